import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ShareReplayTests {
  private let source = TestPublisher<Int, TestError>(keepsSubscribers: true)

  @Test func latestValuesAreDeliveredToANewSubscriber() {
    let shared = source.share(replay: 2)
    let first = shared.recorded()
    for value in 1...3 { source.send(value) }
    let second = shared.recorded()
    source.send(4)
    #expect(first.values == [1, 2, 3, 4])
    #expect(second.values == [2, 3, 4])
    #expect(source.subscriptions.count == 1)
  }

  @Test func lastSubscriberCancelsUpstream() {
    let shared = source.share(replay: 1)
    let recorders = [shared.recorded(), shared.recorded()]
    recorders[0].cancel()
    #expect(source.cancellations.isEmpty)
    recorders[1].cancel()
    #expect(source.cancellations.count == 1)
  }

  @Test func valuesAreStoredForEver() {
    let shared = source.share(replay: 1, scope: .forever)
    let first = shared.recorded()
    source.send(1)
    first.cancel()
    #expect(shared.recorded().values == [1])
    source.send(completion: .finished)
    #expect(shared.recorded().log == ["1", "finished"])
  }

  @Test func subscriberThatComesWhileUpstreamCompletesBelongsToThatConnection() {
    var recorders: [RecordingSubscriber<Int, TestError>] = []
    let source = CompletesAndReleases()
    let shared = source.share(replay: 1)
    source.onRelease = {
      recorders[0].cancel()
      recorders.append(shared.recorded())
    }
    recorders.append(shared.recorded())
    source.complete()
    #expect(source.subscriptions == 1)
    #expect(recorders[1].log == ["finished"])
  }

  @Test func valuesAreStoredWhileConnected() {
    let shared = source.share(replay: 1, scope: .whileConnected)
    let (first, second) = (shared.recorded(), shared.recorded())
    source.send(1)
    first.cancel()
    #expect(shared.recorded().values == [1])
    second.cancel()
    source.send(completion: .finished)
    let next = shared.recorded()
    #expect(next.log.isEmpty)
    #expect(source.subscriptions.count == 2)
    source.send(2)
    #expect(next.values == [2])
  }

  @Test func cancellationOfAllBeginsAgain() {
    let shared = source.share(replay: 1, scope: .whileConnected)
    let first = shared.recorded()
    source.send(1)
    first.cancel()
    #expect(source.cancellations.count == 1)
    #expect(shared.recorded().values.isEmpty)
    #expect(source.subscriptions.count == 2)
  }

  @Test func oldValuesAreNotDelivered() {
    let timeline = TestTimeline()
    let shared = source.share(within: .seconds(5), scheduler: timeline.scheduler)
    let first = shared.recorded()
    source.send(1)
    timeline.advance(by: .seconds(6))
    source.send(2)
    #expect(shared.recorded().values == [2])
    #expect(first.values == [1, 2])
  }

  @Test func subscriberThatCancelsAtOnceStartsNothing() {
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onSubscription = { $0.cancel() }
    let shared = source.share(replay: 1)
    shared.subscribe(recorder)
    #expect(source.subscriptions.isEmpty)
    let next = shared.recorded()
    source.send(1)
    #expect(source.subscriptions.count == 1)
    #expect(next.values == [1])
  }

  @Test func cancellationLeavesTheSubscriptionToANestedSubscriber() {
    let (first, second) = (RecordingSubscriber<Int, TestError>(), RecordingSubscriber<Int, TestError>())
    let shared = source.share(replay: 1)
    first.onSubscription = {
      shared.subscribe(second)
      $0.cancel()
    }
    shared.subscribe(first)
    source.send(1)
    #expect(second.values == [1])
    #expect(source.subscriptions.count == 1)
  }

  // Whether such a value would be seen depends on the threads' order, so there are several runs.
  @Test(arguments: 0..<20)
  func valueThatWaitsDuringTheLastCancellationIsDropped(run: Int) {
    let (first, busy, isOnItsWay) = (RecordingSubscriber<Int, TestError>(), BusyThread(), Latch())
    let shared = source.handleEvents(receiveOutput: { if $0 == 2 { isOnItsWay.open() } }).share(replay: 2)
    first.onValue = { [busy] _ in busy.stay() }
    shared.subscribe(first)
    busy.start { [source] in source.send(1) }
    let end = beginOnOtherThread { [source] in source.send(2) }
    isOnItsWay.wait()
    first.cancel()
    let next = shared.recorded()
    busy.release()
    end.wait()
    source.send(3)
    #expect(next.values == [1, 3])
  }

  @Test func negativeSizeTrapsAtTheCall() async {
    await #expect(processExitsWith: .failure) {
      _ = PassthroughSubject<Int, Never>().share(replay: -1)
    }
  }
}

/// A publisher whose subscription reports its release, once.
private final class CompletesAndReleases: Publisher {
  typealias Output = Int
  typealias Failure = TestError

  private final class Inner: Subscription {
    let onRelease: () -> Void

    init(_ onRelease: @escaping () -> Void) { self.onRelease = onRelease }

    deinit { onRelease() }

    func request(_ demand: Subscribers.Demand) {}
    func cancel() {}
  }

  var onRelease = {}
  private(set) var subscriptions = 0
  private var subscriber: AnySubscriber<Int, TestError>?

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
    subscriptions += 1
    self.subscriber = AnySubscriber(subscriber)
    let isFirst = subscriptions == 1
    subscriber.receive(subscription: Inner { [unowned self] in if isFirst { onRelease() } })
  }

  func complete() {
    subscriber?.receive(completion: .finished)
  }
}
