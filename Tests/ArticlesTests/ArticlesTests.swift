import Foundation
import InterflowTestSupport
import Testing

/// The examples of the bridge's articles, which are about all modules.
@Suite struct ArticlesTests {
  @Test func everyExampleIsCompiled() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let documentation = try DocumentationExamples(
      of: tests.appendingPathComponent("../Sources/Interflow/Interflow.docc"), tests: tests)
    #expect(documentation.examples.isEmpty == false)
    for example in documentation.uncompiled {
      Issue.record("\(example.file) has an example that no test compiles:\n\(example.code)")
    }
  }
}
