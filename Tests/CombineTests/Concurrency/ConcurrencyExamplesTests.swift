import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Concurrency, as written there.
// swift-format-ignore
@Suite struct ConcurrencyExamplesTests {
  private let print = ExampleOutput()

  @Test func asyncPublisher() async {
    for await value in [1, 2, 3].publisher.values {
      print(value)  // 1, 2, 3
    }
    #expect(print.line == "1, 2, 3")
  }

  @Test func asyncThrowingPublisher() async {
    struct Refused: Error {}
    let publisher = Fail<Int, Refused>(error: Refused())
    do {
      for try await value in publisher.values { print(value) }
    } catch {
      print("failed: \(error)")
    }
    #expect(print.line == "failed: Refused()")
  }
}
