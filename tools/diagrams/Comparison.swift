import Foundation

/// What the files of the documentation are compared with.
struct Comparison {
  /// The texts of the files that there should be, by their paths from the package's folder.
  let files: [String: String]
  /// The paths of the files that differ, that are missing, and that should not be there.
  let differences: [String]

  /// - Parameters:
  ///   - figures: What the operators do.
  ///   - pictures: What no operator draws.
  ///   - present: The paths of the files that are there.
  ///   - read: Returns the text of a file.
  init(_ figures: [Figure], pictures: [any Picture] = [], present: [String], read: (String) -> String?) {
    let all = figures.flatMap(\.files) + pictures.flatMap(\.files)
    let files = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0.text) })
    self.files = files
    differences = files.keys.filter { read($0) != files[$0] }.sorted() + present.filter { files[$0] == nil }.sorted()
  }

  /// What to say of differences; `nil` where there are none.
  var message: String? {
    if differences.isEmpty { return nil }
    return
      (differences.map { "  \($0)" } + [
        "These files are not what the operators do now. If the operators are right: make diagrams"
      ]).joined(separator: "\n")
  }
}
