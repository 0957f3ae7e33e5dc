import Foundation
import InterflowTestSupport
import Testing

@Suite struct DocumentationTests {
  @Test func everyExampleIsCompiled() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let documentation = try DocumentationExamples(
      of: tests.appendingPathComponent("../../Sources/InterflowTracing"), tests: tests)
    #expect(documentation.examples.count > 8)
    for example in documentation.uncompiled {
      Issue.record("\(example.file) has an example that no test compiles:\n\(example.code)")
    }
  }
}
