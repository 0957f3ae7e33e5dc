/// An image of an article that is not drawn by running an operator.
protocol Picture: Sendable {
  var module: String { get }
  var name: String { get }
  var title: String { get }
  /// The text for those who cannot see the picture.
  var description: String { get }

  func svg(_ theme: Theme) -> String
}

extension Picture {
  /// The images by their paths from the package's folder.
  var files: [(path: String, text: String)] {
    [("", Theme.light), ("~dark", Theme.dark)].map { suffix, theme in
      ("Sources/\(module)/\(module).docc/Diagrams/\(name)\(suffix).svg", svg(theme))
    }
  }

  /// How an article shows the picture.
  var markdown: String { "![\(description)](\(name))" }
}
