/// A diagram of an operator, with the pages that show it.
struct Figure {
  let module: String
  let name: String
  /// The symbols, as DocC's links name them.
  let pages: [String]
  let code: [String]
  let inputs: [Row]
  let output: Row

  var rows: [Row] { inputs + [output] }

  /// The text for those who cannot see the figure.
  var description: String {
    "Marble diagram. " + rows.map(\.sentence).joined(separator: " ")
  }

  /// The files of the figure by their paths from the package's folder: two images, and a page for each symbol.
  var files: [(path: String, text: String)] {
    let catalogue = "Sources/\(module)/\(module).docc"
    let images = [("", Theme.light), ("~dark", Theme.dark)].map { suffix, theme in
      ("\(catalogue)/Resources/Diagrams/\(name)\(suffix).svg", svg(theme))
    }
    let pages = pages.enumerated().map { index, page in
      let file = index == 0 ? name : "\(name)-\(index + 1)"
      return (
        "\(catalogue)/Diagrams/\(file).md",
        """
        # ``\(page)``

        ## Diagram

        ![\(description)](\(name))

        """
      )
    }
    return images + pages
  }
}
