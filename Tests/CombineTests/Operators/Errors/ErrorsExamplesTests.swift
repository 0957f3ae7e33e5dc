import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Operators/Errors, as written there.
// swift-format-ignore
@Suite struct ErrorsExamplesTests {
  private let print = ExampleOutput()

  @Test func catchOfAFailure() {
    struct Refused: Error {}
    let cancellable = Fail<Int, Refused>(error: Refused())
      .catch { _ in [1, 2].publisher }
      .sink { print($0) }  // 1, 2
    #expect(print.line == "1, 2")
    withExtendedLifetime(cancellable) {}
  }

  @Test func replaceError() {
    struct Refused: Error {}
    let cancellable = Fail<Int, Refused>(error: Refused())
      .replaceError(with: 0)
      .sink { print($0) }  // 0
    #expect(print.line == "0")
    withExtendedLifetime(cancellable) {}
  }
}
