import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Operators/Debugging, as written there.
// swift-format-ignore
@Suite struct DebuggingExamplesTests {
  private let print = ExampleOutput()

  private struct Log: TextOutputStream {
    let text = Shared("")

    func write(_ string: String) { text.update { $0 += string } }
  }

  @Test func handleEvents() {
    let cancellable = [1, 2].publisher
      .handleEvents(receiveOutput: { print("passing", $0) })
      .sink { print($0) }
    #expect(print.line == "passing 1, 1, passing 2, 2")
    withExtendedLifetime(cancellable) {}
  }

  @Test func printedSignals() {
    let cancellable = [1].publisher.print("numbers").sink { _ in }
    let log = Log()
    let logged = [1].publisher.print("numbers", to: log).sink { _ in }
    #expect(
      log.text.value == """
        numbers: receive subscription: ([1])
        numbers: request unlimited
        numbers: receive value: (1)
        numbers: receive finished

        """)
    withExtendedLifetime(logged) {}
    withExtendedLifetime(cancellable) {}
  }
}
