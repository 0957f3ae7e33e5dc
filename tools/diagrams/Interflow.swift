import Interflow

extension Gallery {
  func drawInterflow() {
    begin("Interflow", pagesIn: "Interflow/Combine/Publisher/")
    draw("asyncValues", on: "asyncValues", of: cold("-a-b--c-|")) { source in
      source.asyncValues
    }
  }
}
