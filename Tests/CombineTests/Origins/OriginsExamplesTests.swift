import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Origins, as written there.
// swift-format-ignore
@Suite struct OriginsExamplesTests {
  private let print = ExampleOutput()

  @Test func deferred() {
    let now = Deferred { Just(ContinuousClock.now) }
    let made = ContinuousClock.now
    var asked: ContinuousClock.Instant?
    let cancellable = now.sink { asked = $0 }
    #expect(asked.map { $0 >= made } == true)
    withExtendedLifetime(cancellable) {}
  }

  @Test func empty() {
    let cancellable = Empty<Int, Never>()
      .sink { print($0) } receiveValue: { print($0) }  // finished
    #expect(print.line == "finished")
    withExtendedLifetime(cancellable) {}
  }

  @Test func fail() {
    struct Refused: Error {}
    let cancellable = Fail<Int, Refused>(error: Refused())
      .sink { print($0) } receiveValue: { print($0) }  // failure(Refused())
    #expect(print.shortLine == "failure(Refused())")
    withExtendedLifetime(cancellable) {}
  }

  @Test func future() {
    let future = Future<Int, Never> { promise in promise(.success(7)) }
    let cancellable = future.sink { print($0) }  // 7
    #expect(print.line == "7")
    withExtendedLifetime(cancellable) {}
  }

  @Test func just() {
    let cancellable = Just(1).sink { print($0) }  // 1
    #expect(print.line == "1")
    withExtendedLifetime(cancellable) {}
  }

  @Test func optional() {
    let cancellable = Int("7").publisher.sink { print($0) }  // 7
    #expect(print.line == "7")
    withExtendedLifetime(cancellable) {}
  }

  @Test func record() {
    struct Refused: Error {}
    let record = Record<Int, Refused>(output: [1, 2], completion: .failure(Refused()))
    let cancellable = record.sink { print($0) } receiveValue: { print($0) }
    #expect(print.shortLine == "1, 2, failure(Refused())")
    withExtendedLifetime(cancellable) {}
  }

  @Test func result() {
    let cancellable = Result<Int, Never>.success(7).publisher.sink { print($0) }  // 7
    #expect(print.line == "7")
    withExtendedLifetime(cancellable) {}
  }

  @Test func sequence() {
    let cancellable = (1...3).publisher.sink { print($0) }  // 1, 2, 3
    #expect(print.line == "1, 2, 3")
    withExtendedLifetime(cancellable) {}
  }
}
