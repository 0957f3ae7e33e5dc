import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Subscribers, as written there.
// swift-format-ignore
@Suite struct SubscribersExamplesTests {
  private let print = ExampleOutput()

  @Test func assign() {
    final class Counter { var count = 0 }
    let counter = Counter()
    let cancellable = [1, 2].publisher.assign(to: \.count, on: counter)
    #expect(counter.count == 2)
    withExtendedLifetime(cancellable) {}
  }

  @Test func sink() {
    let cancellable = [1, 2].publisher
      .sink { print($0) } receiveValue: { print($0) }  // 1, 2, finished
    #expect(print.line == "1, 2, finished")
    withExtendedLifetime(cancellable) {}
  }
}
