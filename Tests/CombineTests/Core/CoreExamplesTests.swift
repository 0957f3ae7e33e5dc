import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Core, as written there.
// swift-format-ignore
@Suite struct CoreExamplesTests {
  private let print = ExampleOutput()

  @Test func anyCancellable() {
    var cancellables = Set<AnyCancellable>()
    Just(1).sink { print($0) }.store(in: &cancellables)
    #expect(print.line == "1")
    #expect(cancellables.count == 1)
  }

  @Test func anyPublisher() {
    let publisher: AnyPublisher<Int, Never> = [1, 2, 3].publisher.map { $0 * 2 }.eraseToAnyPublisher()
    let cancellable = publisher.sink { print($0) }
    #expect(print.line == "2, 4, 6")
    withExtendedLifetime(cancellable) {}
  }

  @Test func demand() {
    let demand = Subscribers.Demand.max(2) + 3
    print(demand)  // max(5)
    #expect(print.line == "max(5)")
  }

  @Test func publisher() {
    let cancellable = [1, 2, 3].publisher
      .map { $0 * 10 }
      .sink { print($0) }  // 10, 20, 30
    #expect(print.line == "10, 20, 30")
    withExtendedLifetime(cancellable) {}
  }
}
