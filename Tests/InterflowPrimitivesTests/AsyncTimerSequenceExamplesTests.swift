import Foundation
import InterflowPrimitives
import InterflowTestSupport
import Testing

/// The example of the one type that users see, as written in its documentation.
@Suite struct AsyncTimerSequenceExamplesTests {
  private let print = ExampleOutput()

  @Test func threeTicks() async {
    for await _ in AsyncTimerSequence(interval: .seconds(1), clock: .continuous).prefix(3) {
      print("tick")
    }
    #expect(print.lines == ["tick", "tick", "tick"])
  }

  @Test func everyExampleIsCompiled() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let documentation = try DocumentationExamples(
      of: tests.appendingPathComponent("../../Sources/InterflowPrimitives"), tests: tests)
    #expect(documentation.examples.isEmpty == false)
    for example in documentation.uncompiled {
      Issue.record("\(example.file) has an example that no test compiles:\n\(example.code)")
    }
  }
}
