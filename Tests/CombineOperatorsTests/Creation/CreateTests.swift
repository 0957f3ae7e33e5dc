import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct CreateTests {
  private final class Ends {
    var count = 0
  }

  private let ends = Ends()

  private func publisher(
    _ completion: Subscribers.Completion<TestError>, _ buffering: CreateBufferingPolicy? = nil
  ) -> AnyPublisher<Int, TestError> {
    let factory = { [ends] (subscriber: Publishers.Create<Int, TestError>.Subscriber) -> any Cancellable in
      for value in 1...4 { subscriber.send(value) }
      subscriber.send(completion: completion)
      subscriber.send(9)
      subscriber.send(completion: .finished)
      return AnyCancellable { ends.count += 1 }
    }
    return buffering.map { .create(buffering: $0, factory) } ?? AnyPublisher(factory)
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure(TestError("no"))])
  func unlimitedDemandGetsAll(completion: Subscribers.Completion<TestError>) {
    let recorder = publisher(completion).recorded()
    #expect(recorder.values == [1, 2, 3, 4])
    #expect(recorder.completions == 1)
    #expect(recorder.isFinished == (completion == .finished))
    #expect(ends.count == 1)
  }

  @Test func completionDropsWhatTheFirstRequestLeaves() {
    let recorder = publisher(.finished).recorded(demand: .max(2))
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test(arguments: [0, 3]) func valuesAndCompletionWaitForTheFirstRequest(demand: Int) {
    let recorder = publisher(.finished).recorded(demand: .none)
    #expect(recorder.log.isEmpty)
    recorder.request(.max(demand))
    #expect(recorder.log == (1...4).prefix(demand).map(String.init) + ["finished"])
  }

  @Test func laterCompletionDropsWhatWasNotRequested() {
    var subscriber: Publishers.Create<Int, Never>.Subscriber?
    let publisher = AnyPublisher<Int, Never>.create {
      subscriber = $0
      return AnyCancellable {}
    }
    let recorder = publisher.recorded(demand: .max(1))
    for value in 1...2 { subscriber?.send(value) }
    subscriber?.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func operatorsThatRequestLaterGetAllValues() async {
    let publisher = publisher(.finished).replaceError(with: 0).eraseToAnyPublisher()
    let scheduler = VirtualScheduler()
    let scheduled = publisher.subscribe(on: scheduler).recorded()
    scheduler.advance(by: .seconds(1))
    #expect(scheduled.values == [1, 2, 3, 4])
    #expect(publisher.zip((5...9).publisher) { $0 + $1 }.recorded().values == [6, 8, 10, 12])
    #expect(publisher.combineLatest(Just(9)) { $0 + $1 }.recorded().values == [13])
    #expect(publisher.withLatestFrom(Just(9)) { $0 + $1 }.recorded().values == [10, 11, 12, 13])
    #expect(publisher.amb(Empty(completeImmediately: false)).recorded().values == [1, 2, 3, 4])
    #expect([publisher, publisher].zip().recorded().values == [[1, 1], [2, 2], [3, 3], [4, 4]])
    #expect([publisher, publisher].combineLatest().recorded().values.last == [4, 4])
    var first: Int?
    for await value in publisher.values where first == nil { first = value }
    #expect(first == 1)
  }

  @Test func completionFollowsBufferedValuesWithAPolicy() {
    let recorder = publisher(.finished, .unbounded).recorded(demand: .max(1))
    #expect(recorder.log == ["1"])
    recorder.request(.max(3))
    #expect(recorder.log == ["1", "2", "3", "4", "finished"])
  }

  @Test(arguments: [
    (CreateBufferingPolicy.bufferingOldest(2), [1, 2]), (.bufferingNewest(2), [3, 4]), (.bufferingOldest(0), []),
    (.bufferingNewest(0), []),
  ]) func policyDecidesWhichValuesAreBuffered(policy: CreateBufferingPolicy, kept: [Int]) {
    #expect(publisher(.finished, policy).recorded().values == kept)
  }

  @Test(arguments: [CreateBufferingPolicy.bufferingOldest(0), .bufferingNewest(0)])
  func requestedValueNeedsNoRoom(policy: CreateBufferingPolicy) {
    var subscriber: Publishers.Create<Int, Never>.Subscriber?
    let recorder = AnyPublisher<Int, Never>.create(buffering: policy) {
      subscriber = $0
      return AnyCancellable {}
    }.recorded(demand: .max(1))
    subscriber?.send(1)
    subscriber?.send(2)
    recorder.request(.max(1))
    subscriber?.send(3)
    #expect(recorder.values == [1, 3])
  }

  @Test(arguments: [false, true]) func newestNeverReplacesARequestedValue(isRequestedElsewhere: Bool) {
    var subscriber: Publishers.Create<Int, Never>.Subscriber?
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    let publisher = AnyPublisher<Int, Never>.create(buffering: .bufferingNewest(2)) {
      subscriber = $0
      return AnyCancellable {}
    }
    publisher.subscribe(recorder)
    recorder.onValue = { [unowned recorder] in
      guard $0 == 1 else { return }
      subscriber?.send(3)
      // The buffer is full, and is served when this delivery is over.
      if isRequestedElsewhere { onOtherThread { recorder.request(.max(2)) } } else { recorder.request(.max(2)) }
      subscriber?.send(4)
      subscriber?.send(5)
      subscriber?.send(6)
    }
    for value in 1...2 { subscriber?.send(value) }
    recorder.request(.max(1))
    #expect(recorder.values == [1, 2, 3])
    recorder.request(.unlimited)
    #expect(recorder.values == [1, 2, 3, 5, 6])
  }

  @Test func valueSentByTheReleaseOfADroppedOneComesLater() {
    var subscriber: Publishers.Create<ReportsRelease, Never>.Subscriber?
    let recorder = AnyPublisher<ReportsRelease, Never>.create(buffering: .bufferingNewest(2)) {
      subscriber = $0
      return AnyCancellable {}
    }.recorded(demand: .none)
    subscriber?.send(ReportsRelease(1) { subscriber?.send(ReportsRelease(9)) })
    for number in 2...3 { subscriber?.send(ReportsRelease(number)) }
    recorder.request(.unlimited)
    #expect(recorder.values.map(\.number) == [3, 9])
  }

  @Test func cancellationCancelsWhatTheClosureReturned() {
    let recorder = AnyPublisher<Int, Never>.create { [ends] _ in AnyCancellable { ends.count += 1 } }.recorded()
    #expect(ends.count == 0)
    recorder.cancel()
    recorder.cancel()
    #expect(ends.count == 1)
  }

  @Test func everythingIsReleasedAfterCancellation() {
    let counter = LifetimeCounter()
    func subscription() -> (any Subscription)? {
      let token = counter.make()
      let publisher = AnyPublisher<Int, Never>.create { subscriber in
        subscriber.send(1)
        return AnyCancellable {
          token.touch()
          subscriber.send(2)
        }
      }
      return publisher.subscription(holding: counter.make(), demand: .none)
    }
    let subscription = subscription()
    #expect(counter.count == 2)
    subscription?.cancel()
    #expect(counter.count == 0)
  }

  @Test func eachSubscriberHasItsOwnCall() {
    var calls = 0
    let publisher = AnyPublisher<Int, Never> { subscriber in
      calls += 1
      subscriber.send(calls)
      return AnyCancellable {}
    }
    #expect([publisher.recorded(), publisher.recorded()].map(\.values) == [[1], [2]])
  }

  @Test func subscriptionIsNamedAsInCombineExt() {
    #expect(
      publisher(.finished, .unbounded).recorded(demand: .none).subscriptionNames == [
        "Create.Subscription<Int, TestError>"
      ])
  }
}
