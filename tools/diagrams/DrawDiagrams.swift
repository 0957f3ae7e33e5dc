import Foundation

/// Writes the diagrams of the documentation, or with `--check` says which differ from what the code does.
@main struct DrawDiagrams {
  static func main() throws {
    let gallery = Gallery()
    gallery.drawCombine()
    gallery.drawInterflow()
    gallery.drawAsyncOperators()

    let files = Dictionary(uniqueKeysWithValues: gallery.figures.flatMap(\.files).map { ($0.path, $0.text) })
    let isCheck = CommandLine.arguments.contains("--check")
    var differences: [String] = []
    for (path, text) in files.sorted(by: { $0.key < $1.key }) {
      if (try? String(contentsOfFile: path, encoding: .utf8)) == text { continue }
      differences.append(path)
      if isCheck { continue }
      let url = URL(fileURLWithPath: path)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    for path in committed() where files[path] == nil {
      differences.append(path)
      if !isCheck { try FileManager.default.removeItem(atPath: path) }
    }

    print("diagrams: \(gallery.figures.count); files that differ: \(differences.count)")
    guard isCheck, !differences.isEmpty else { return }
    for path in differences { print("  \(path)") }
    print("A diagram is not what the code does. If the code is right: make diagrams")
    exit(1)
  }

  /// The files that are there, below the folder of the package.
  private static func committed() -> [String] {
    ["Combine", "Interflow", "AsyncOperators"].flatMap { module in
      ["Resources/Diagrams", "Diagrams"].flatMap { folder -> [String] in
        let path = "Sources/\(module)/\(module).docc/\(folder)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().map { "\(path)/\($0)" }
      }
    }
  }
}
