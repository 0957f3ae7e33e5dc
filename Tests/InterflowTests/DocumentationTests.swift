import Foundation
import InterflowTestSupport
import Testing

@Suite struct DocumentationTests {
  /// Those of the articles are in a folder of their own.
  @Test func everyExampleIsCompiled() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let documentation = try DocumentationExamples(
      of: tests.appendingPathComponent("../Sources/Interflow"), tests: tests)
    #expect(documentation.examples.count > 50)
    for example in documentation.uncompiled {
      Issue.record("\(example.file) has an example that no test compiles:\n\(example.code)")
    }
  }
}
