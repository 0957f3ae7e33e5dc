import Foundation

/// The examples in the documentation of a module, and the tests that have them.
package struct DocumentationExamples {
  /// An example, each line without its indentation.
  package struct Example {
    package let file: String
    package let code: String
  }

  /// All examples of the articles and of the documentation comments.
  package let examples: [Example]
  private let compiled: String

  /// - Parameters:
  ///   - module: The folder of the module.
  ///   - tests: The folder of its tests. Those of examples are in files whose names end with `ExamplesTests.swift`.
  package init(of module: URL, tests: URL) throws {
    examples = try Self.files(in: module).flatMap { file -> [Example] in
      let prefix = file.pathExtension == "md" ? "" : file.pathExtension == "swift" ? "///" : nil
      guard let prefix else { return [] }
      let text = try String(contentsOf: file, encoding: .utf8)
      return Self.examples(in: text, prefix: prefix).map { Example(file: file.lastPathComponent, code: $0) }
    }
    compiled = try Self.files(in: tests).filter { $0.lastPathComponent.hasSuffix("ExamplesTests.swift") }
      .map { Self.compared(try String(contentsOf: $0, encoding: .utf8)) }
      .joined(separator: "\n")
  }

  /// The examples that no test has.
  package var uncompiled: [Example] { examples.filter { !compiled.contains(Self.compared($0.code)) } }

  private static func files(in folder: URL) -> [URL] {
    let all = FileManager.default.enumerator(
      at: folder.resolvingSymlinksInPath(), includingPropertiesForKeys: nil)
    return (all?.allObjects as? [URL] ?? []).sorted { $0.path < $1.path }
  }

  /// What is left of a text without its layout, comments and imports: an example stands in a function of a test, laid
  /// out as tests are, and its comments say what the test expects.
  private static func compared(_ text: String) -> String {
    let code = text.split(separator: "\n").filter { !$0.contains(#/^(@testable )?import /#) }.map { line in
      line.prefix(upTo: line.firstRange(of: #/(^|\s)// /#)?.lowerBound ?? line.endIndex)
    }
    return code.joined().filter { !$0.isWhitespace }
  }

  /// Every block of Swift code in a text whose lines begin with a prefix.
  private static func examples(in text: String, prefix: String) -> [String] {
    var examples: [String] = []
    var current: [String]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let line = line.trimmingCharacters(in: .whitespaces)
      guard line.hasPrefix(prefix) else {
        current = nil
        continue
      }
      let content = line.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces)
      if content == "```swift" {
        current = []
      } else if content == "```", let example = current {
        examples.append(example.joined(separator: "\n"))
        current = nil
      } else if !content.isEmpty {
        current?.append(content)
      }
    }
    return examples
  }
}
