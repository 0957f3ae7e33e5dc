/// A diagram of an operator, with the pages that show it.
struct Figure {
  let module: String
  let name: String
  /// The paths of the symbols, as DocC's links have them.
  let pages: [String]
  let code: [String]
  let inputs: [Row]
  let outputs: [Row]

  var rows: [Row] { inputs + outputs }

  /// The text for those who cannot see the figure.
  var description: String {
    let symbols = pages.first?.split(separator: "/").map { Pages.symbol($0).prefix { $0 != "(" } } ?? []
    return "Marble diagram of \(symbols.last { $0 != "init" } ?? "\(name)"). "
      + rows.map(\.sentence).joined(separator: " ")
  }

  /// The files of the figure by their paths from the package's folder: two images, and a page for each symbol.
  var files: [(path: String, text: String)] {
    let catalogue = "Sources/\(module)/\(module).docc"
    let images = [("", Theme.light), ("~dark", Theme.dark)].map { suffix, theme in
      ("\(catalogue)/Diagrams/\(name)\(suffix).svg", svg(theme))
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
