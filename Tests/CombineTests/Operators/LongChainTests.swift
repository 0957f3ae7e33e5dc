import Combine
import InterflowTestSupport
import Testing

/// Many values and many operators, one value at a time: nothing nests, and nothing is lost.
@Suite struct LongChainTests {
  /// Runs a publisher of ascending numbers, asking for one after the other, and watches the stack.
  private func expectFlat<P: Publisher>(
    _ publisher: P, count: Int, reentrant: Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) where P.Output == Int, P.Failure == any Error {
    let subscriber = OneByOne(reentrant: reentrant)
    publisher.subscribe(subscriber)
    #expect(subscriber.count == count, sourceLocation: sourceLocation)
    #expect(subscriber.isFinished, sourceLocation: sourceLocation)
    #expect(subscriber.stack.growth < 16_384, sourceLocation: sourceLocation)
  }

  /// A subscriber that keeps nothing of what it gets, and gives up when the stack grows.
  private final class OneByOne: Subscriber {
    typealias Input = Int
    typealias Failure = any Error

    let stack = StackGauge()
    let reentrant: Bool
    var count = 0
    var isFinished = false
    var subscription: (any Subscription)?

    init(reentrant: Bool) { self.reentrant = reentrant }

    func receive(subscription: any Subscription) {
      self.subscription = subscription
      subscription.request(.max(1))
    }

    func receive(_ input: Int) -> Subscribers.Demand {
      count += 1
      stack.measure()
      if stack.growth > 100_000 {
        subscription?.cancel()
        return .none
      }
      guard reentrant else { return .max(1) }
      subscription?.request(.max(1))
      return .none
    }

    func receive(completion: Subscribers.Completion<any Error>) {
      if case .finished = completion { isFinished = true }
      subscription = nil
    }
  }

  @Test(arguments: [(longStreamCount / 5, false), (longStreamCount / 10, true)])
  func valuesPassThroughTwentyOperators(count: Int, reentrant: Bool) {
    let first = (0..<count).publisher.eraseToAnyPublisher()
      .map { $0 + 1 }
      .filter { $0 >= 0 }
      .scan(0) { max($0, $1) }
      .compactMap { Optional($0) }
      .handleEvents()
      .eraseToAnyPublisher()
      .removeDuplicates()
      .prefix(count)
      .tryMap { $0 }
      .mapError { $0 as any Error }
      .eraseToAnyPublisher()
    let second =
      first
      .drop { $0 < 0 }
      .dropFirst(0)
      .prefix { $0 > 0 }
      .tryScan(0) { $1 }
      .tryFilter { _ in true }
      .catch { Fail(error: $0) }
      .retry(1)
      .append(Empty())
      .merge(with: Empty())
      .buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest)
      .breakpoint()
    expectFlat(second, count: count, reentrant: reentrant)
  }

  @Test(arguments: [false, true]) func joinedPublishersDoNotNest(reentrant: Bool) {
    let count = 20_000
    let numbers = (0..<count).publisher.setFailureType(to: (any Error).self).eraseToAnyPublisher()
    expectFlat(numbers.zip(numbers, numbers) { a, _, _ in a }, count: count, reentrant: reentrant)
    expectFlat(numbers.zip(numbers) { a, _ in a }, count: count, reentrant: reentrant)
    expectFlat(numbers.merge(with: numbers, numbers), count: 3 * count, reentrant: reentrant)
    let one = Just(0).setFailureType(to: (any Error).self)
    expectFlat(one.combineLatest(numbers) { $1 }, count: count, reentrant: reentrant)
    let inner = numbers.map { Just($0).setFailureType(to: (any Error).self) }
    expectFlat(inner.switchToLatest(), count: count, reentrant: reentrant)
    expectFlat(inner.flatMap { $0 }, count: count, reentrant: reentrant)
  }
}
