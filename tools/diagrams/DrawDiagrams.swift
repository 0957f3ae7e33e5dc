import Foundation

/// Writes the diagrams of the documentation, or with `--check` says which differ from what the code does, and which
/// operators have none.
@main struct DrawDiagrams {
  /// The folder of the package.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func main() throws {
    let gallery = gallery()
    let comparison = comparison(of: gallery.figures)
    print("diagrams: \(gallery.figures.count); files that differ: \(comparison.differences.count)")
    if CommandLine.arguments.contains("--check") {
      let problems = coverage(of: gallery.figures).problems + [comparison.message].compactMap(\.self)
      for problem in problems { print(problem) }
      if !problems.isEmpty { exit(1) }
    } else {
      try write(comparison)
      for problem in coverage(of: gallery.figures).problems { print(problem) }
    }
  }

  /// All figures, drawn by what the operators do now.
  static func gallery() -> Gallery {
    let gallery = Gallery(pages: Pages(text(of: "tools/diagrams/pages.txt") ?? ""))
    gallery.drawCombine()
    gallery.drawCombineOperators()
    gallery.drawInterflow()
    gallery.drawAsyncOperators()
    return gallery
  }

  static func comparison(of figures: [Figure]) -> Comparison {
    Comparison(figures, pictures: pictures, present: present(), read: text)
  }

  /// What no operator draws.
  static let pictures: [any Picture] = [StreamPicture.diagram, WorkPicture.diagram]

  static func coverage(of figures: [Figure]) -> Coverage {
    Coverage(
      figures, pages: Pages(text(of: "tools/diagrams/pages.txt") ?? ""), exceptions: .all,
      listings: modules.map { text(of: "API/\($0).txt") ?? "" })
  }

  private static let modules = ["Combine", "AsyncOperators", "CombineOperators", "Interflow"]

  private static func text(of path: String) -> String? {
    try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  private static func write(_ comparison: Comparison) throws {
    for path in comparison.differences {
      let url = root.appendingPathComponent(path)
      if let text = comparison.files[path] {
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
      } else {
        try FileManager.default.removeItem(at: url)
      }
    }
  }

  /// The files that are there, below the folder of the package.
  private static func present() -> [String] {
    Set(modules + pictures.map(\.module)).flatMap { module in
      let path = "Sources/\(module)/\(module).docc/Diagrams"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(path).path)) ?? []
      return names.map { "\(path)/\($0)" }
    }
  }
}
