import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

/// The inputs of an operator in a table of marble diagrams. Each subscriber gets them from their beginning.
struct MarbleInputs {
  let timeline: TestTimeline
  let a: MarblePublisher<String, TestError>
  let b: MarblePublisher<String, TestError>

  var scheduler: TestScheduler { timeline.scheduler }
}

/// An operator and the marble diagrams of its inputs and its output, for tables of operators.
struct MarbleRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let check: @Sendable () throws -> Void

  /// - Parameters:
  ///   - name: The operator, as it is called.
  ///   - a: The diagram of the first input.
  ///   - b: The diagram of the second input.
  ///   - output: The diagram of the operator.
  ///   - values: What characters of `output` stand for that do not stand for themselves.
  ///   - make: The operator.
  init<P: Publisher<String, F>, F: Error>(
    _ name: String, a: String, b: String = "|", is output: String, _ values: [Character: String] = [:],
    fileID: StaticString = #fileID, line: Int = #line, make: @escaping @Sendable (MarbleInputs) -> P
  ) where P: SendableMetatype {
    testDescription = name
    check = {
      let timeline = TestTimeline()
      let inputs = MarbleInputs(
        timeline: timeline, a: try timeline.cold(a, error: TestError()), b: try timeline.cold(b, error: TestError()))
      try timeline.expect(
        make(inputs), toEmit: output, values: values, error: TestError() as? F, fileID: fileID, line: line)
    }
  }
}
