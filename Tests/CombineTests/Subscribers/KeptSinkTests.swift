import Combine
import InterflowTestSupport
import Testing

/// A cancelled sink has released its closures, even where somebody upstream keeps the sink.
@Suite struct KeptSinkTests {
  /// Hands out a subscription and keeps the subscriber for good.
  private struct Keeper: Publisher {
    typealias Output = Int
    typealias Failure = TestError

    let kept: Shared<[(Int) -> Void]>
    var subscription: any Subscription = Subscriptions.empty

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      subscriber.receive(subscription: subscription)
      kept.update { $0.append { _ = subscriber.receive($0) } }
    }
  }

  private func expectClosuresGo<P: Publisher>(
    keeping kept: Shared<[(Int) -> Void]>, _ publisher: P, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    weak var probe: LifetimeProbe?
    var cancellable: AnyCancellable?
    do {
      let held = LifetimeProbe()
      probe = held
      cancellable = publisher.sink(receiveCompletion: { _ in _ = held }, receiveValue: { _ in _ = held })
    }
    #expect(probe != nil, sourceLocation: sourceLocation)
    cancellable?.cancel()
    #expect(probe == nil, sourceLocation: sourceLocation)
    // What comes all the same reaches nobody.
    for deliver in kept.value { deliver(1) }
    withExtendedLifetime(cancellable) {}
  }

  private final class LifetimeProbe {}

  @Test func behindTheEmptySubscription() {
    let kept = Shared<[(Int) -> Void]>([])
    expectClosuresGo(keeping: kept, Keeper(kept: kept))
    #expect(kept.value.count == 1)
  }

  @Test func behindTheSecondAttemptOfARetry() {
    let kept = Shared<[(Int) -> Void]>([])
    var attempts = 0
    let publisher = Deferred {
      attempts += 1
      return attempts == 1
        ? Fail<Int, TestError>(error: TestError()).eraseToAnyPublisher() : Keeper(kept: kept).eraseToAnyPublisher()
    }
    expectClosuresGo(keeping: kept, publisher.retry(1))
    #expect(kept.value.count == 1)
  }

  @Test func behindASignalThatIsKept() {
    let kept = Shared<[(Int) -> Void]>([])
    let subject = PassthroughSubject<Int, TestError>()
    expectClosuresGo(keeping: kept, subject.prefix(untilOutputFrom: Keeper(kept: kept)))
    #expect(kept.value.count == 1)
  }

  @Test func behindASchedulerThatDoesNotRun() {
    let scheduler = VirtualScheduler()
    let subject = PassthroughSubject<Int, TestError>()
    let publisher = Deferred { subject }.subscribe(on: scheduler)
    weak var probe: LifetimeProbe?
    var cancellable: AnyCancellable?
    do {
      let held = LifetimeProbe()
      probe = held
      cancellable = publisher.sink(receiveCompletion: { _ in _ = held }, receiveValue: { _ in _ = held })
    }
    scheduler.advance()
    cancellable?.cancel()
    #expect(probe == nil)
    withExtendedLifetime(cancellable) {}
  }

  // MARK: Behind a subscription that is sent before there is one upstream

  private func sink<P: Publisher>(_ publisher: P, onValue: @escaping () -> Void = {}) -> (AnyCancellable, Watch) {
    let held = LifetimeProbe()
    let watch = Watch(held)
    let cancellable = publisher.sink(
      receiveCompletion: { _ in _ = held },
      receiveValue: { _ in
        onValue()
        _ = held
      })
    return (cancellable, watch)
  }

  private final class Watch {
    weak var probe: LifetimeProbe?

    init(_ probe: LifetimeProbe) { self.probe = probe }
  }

  @Test func behindAnEarlySubscriptionOfAPublisherThatKeepsIt() {
    for dropped in [0, 1] {
      let kept = Shared<[(Int) -> Void]>([])
      let (cancellable, watch) = sink(Keeper(kept: kept).dropFirst(dropped).prefix { _ in true })
      for value in 0..<3 { kept.value.forEach { $0(value) } }
      #expect(watch.probe != nil)
      cancellable.cancel()
      #expect(watch.probe == nil)
      kept.value.forEach { $0(4) }
    }
  }

  @Test func behindAnEarlySubscriptionOfASubject() {
    let subject = PassthroughSubject<Int, TestError>()
    let (cancellable, watch) = sink(subject.dropFirst().prefix { _ in true })
    for value in 0..<4 { subject.send(value) }
    #expect(watch.probe != nil)
    cancellable.cancel()
    #expect(watch.probe == nil)
  }

  @Test func behindAnEarlySubscriptionThatIsCancelledInsideAValue() {
    for last in 1...3 {
      let subject = PassthroughSubject<Int, TestError>()
      var cancellable: AnyCancellable?
      var count = 0
      let watch: Watch
      (cancellable, watch) = sink(subject.dropFirst()) {
        count += 1
        if count == last { cancellable?.cancel() }
      }
      for value in 0..<5 { subject.send(value) }
      #expect(count == last)
      #expect(watch.probe == nil)
    }
  }

  @Test func behindAnEarlySubscriptionThatAnotherThreadCancels() {
    for _ in 0..<200 {
      let subject = PassthroughSubject<Int, TestError>()
      let (cancellable, watch) = sink(subject.dropFirst(0))
      let cancelling = UncheckedBox(cancellable)  // A cancellable may be cancelled from any thread.
      inParallel(2) { thread in
        if thread == 0 { for value in 0..<5 { subject.send(value) } } else { cancelling.value.cancel() }
      }
      #expect(watch.probe == nil)
    }
  }

  /// Passes the subscription on unchanged, and keeps its subscriber.
  private struct Tap<Upstream: Publisher>: Publisher {
    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    final class Stage<Downstream: Subscriber>: Subscriber {
      typealias Input = Downstream.Input
      typealias Failure = Downstream.Failure

      let downstream: Downstream

      init(_ downstream: Downstream) {
        self.downstream = downstream
      }

      func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }
      func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }
      func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: completion) }
    }

    let upstream: Upstream
    let kept: Shared<[AnyObject]>

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = Stage(subscriber)
      kept.update { $0.append(stage) }
      upstream.subscribe(stage)
    }
  }

  /// The one case in which closures are released later than Apple's, in *Differences from Apple's Combine*.
  @Test func behindAStageThatIsKeptTheyAreReleasedWithIt() {
    let (subject, kept) = (PassthroughSubject<Int, Never>(), Shared<[AnyObject]>([]))
    weak var probe: LifetimeProbe?
    var values: [Int] = []
    var cancellable: AnyCancellable?
    do {
      let held = LifetimeProbe()
      probe = held
      cancellable = Tap(upstream: subject, kept: kept).sink {
        _ = held
        values.append($0)
      }
    }
    subject.send(1)
    cancellable?.cancel()
    cancellable = nil
    subject.send(2)
    #expect(values == [1])
    kept.value = []
    #expect(probe == nil)
  }
}
