import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AutoconnectTests {
  private typealias Source = TestPublisher<Int, Never>

  @Test func firstSubscriberConnectsAndTheLastDisconnects() {
    let source = Source(keepsSubscribers: true)
    let shared = source.makeConnectable().autoconnect()
    let one = shared.recorded()
    #expect(source.subscriptions.count == 1)
    let two = shared.recorded()
    #expect(source.subscriptions.count == 1)
    source.send(1)
    one.cancel()
    one.cancel()
    #expect(source.cancellations.isEmpty)
    source.send(2)
    two.cancel()
    #expect(source.cancellations.count == 1)
    #expect(one.log == ["1"])
    #expect(two.log == ["1", "2"])
    #expect(one.subscriptionNames == ["Multicast"])
  }

  @Test func nextSubscriberConnectsAgain() {
    let source = Source(keepsSubscribers: true)
    let shared = source.makeConnectable().autoconnect()
    for round in 1...3 {
      let recorder = shared.recorded()
      #expect(source.subscriptions.count == round)
      source.send(round)
      #expect(recorder.log == ["\(round)"])
      recorder.cancel()
      #expect(source.cancellations.count == round)
    }
  }

  @Test func subscriberIsAttachedBeforeTheConnection() {
    #expect([1, 2].publisher.makeConnectable().autoconnect().recorded().log == ["1", "2", "finished"])
  }

  @Test func everybodyLeavingDuringTheConnectionLeavesItToTheNext() {
    let source = [1, 2, 3].publisher.handleEvents()
    var cancelled = 0
    let shared = source.handleEvents(receiveCancel: { cancelled += 1 }).makeConnectable().autoconnect()
    let recorder = RecordingSubscriber<Int, Never>()
    recorder.onValue = { [unowned recorder] in if $0 == 2 { recorder.cancel() } }
    shared.subscribe(recorder)
    #expect(recorder.log == ["1", "2"])
    // The sequence has run to its end by the time that the connection could be cancelled.
    #expect(cancelled == 0)

    let manual = Source(keepsSubscribers: true)
    manual.onRequest = { _ in manual.send(1) }
    let again = RecordingSubscriber<Int, Never>()
    again.onValue = { [unowned again] _ in again.cancel() }
    let connected = manual.makeConnectable().autoconnect()
    connected.subscribe(again)
    #expect(manual.cancellations.isEmpty)
    #expect(again.log == ["1"])
    let next = connected.recorded()
    manual.send(2)
    #expect(next.log == ["2"])
    #expect(manual.subscriptions.count == 1)
    next.cancel()
    #expect(manual.cancellations.count == 1)
  }

  /// A connectable publisher that sends what the test says.
  private struct ManualConnectable: ConnectablePublisher {
    typealias Output = Int
    typealias Failure = TestError

    let source: TestPublisher<Int, TestError>
    let onDisconnect: () -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      source.receive(subscriber: subscriber)
    }

    func connect() -> any Cancellable { AnyCancellable(onDisconnect) }
  }

  @Test func subscriptionAnswersForUpstreams() throws {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    var disconnections = 0
    let connected = ManualConnectable(source: source) { disconnections += 1 }.autoconnect()
    let recorder = connected.recorded(demand: .max(1))
    #expect(recorder.subscriptionNames == ["TestSubscription"])
    source.send(completion: .finished)
    recorder.request(.max(2))
    #expect(source.requests == [.max(1), .max(2)])
    recorder.cancel()
    recorder.cancel()
    #expect(source.cancellations.count == 2)
    #expect(disconnections == 1)
    recorder.request(.max(3))
    #expect(source.requests.count == 3)
    #expect("\(try #require(recorder.subscription))" == "TestSubscription")

    let announced = Announced(subscription: Subscriptions.empty).autoconnect().recorded()
    #expect(try #require(announced.subscription).combineIdentifier == Subscriptions.empty.combineIdentifier)
  }

  /// A connectable publisher that sends a subscription and nothing else.
  private struct Announced: ConnectablePublisher {
    typealias Output = Int
    typealias Failure = Never

    let subscription: any Subscription

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      subscriber.receive(subscription: subscription)
    }

    func connect() -> any Cancellable { AnyCancellable {} }
  }

  @Test func signalsPassWithoutASubscriptionAndAfterTheEnd() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true, sendsSubscriptions: false)
    let recorder = ManualConnectable(source: source) {}.autoconnect().recorded()
    source.send(1)
    source.send(completion: .finished)
    source.send(2)
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "finished", "2", "finished"])
  }

  @Test func cancelInsideTheSubscriptionLeavesNoConnection() {
    let source = Source(keepsSubscribers: true)
    let shared = source.makeConnectable().autoconnect()
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    recorder.onSubscription = { $0.cancel() }
    shared.subscribe(recorder)
    #expect(source.subscriptions.count == source.cancellations.count)
    let next = shared.recorded()
    source.send(1)
    #expect(next.log == ["1"])
    next.cancel()
    #expect(source.subscriptions.count == source.cancellations.count)
  }

  @Test func othersThatComeWhileTheFirstConnectsShareOneConnection() {
    let source = Source(keepsSubscribers: true)
    let shared = source.makeConnectable().autoconnect()
    let (leaving, coming) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
    source.onRequest = { _ in
      guard source.subscriptions.count == 1 else { return }
      leaving.cancel()
      shared.subscribe(coming)
    }
    shared.subscribe(leaving)
    #expect(source.subscriptions.count == 1)
    #expect(source.cancellations.isEmpty)
    source.send(1)
    #expect(coming.log == ["1"])
    coming.cancel()
    #expect(source.cancellations.count == 1)
  }

  /// A publisher that gives the connection that there is, as a timer's does, and can be watched releasing it.
  private final class OneConnection: ConnectablePublisher {
    typealias Output = Int
    typealias Failure = Never

    private let subject = PassthroughSubject<Int, Never>()
    private var handle: Handle?
    var onCancel: (() -> Void)?
    var onLeaving: (() -> Void)?

    func send(completion: Subscribers.Completion<Never>) { subject.send(completion: completion) }

    var isConnected: Bool { handle != nil }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      subject.handleEvents(receiveCancel: { [weak self] in self?.onLeaving?() }).subscribe(subscriber)
    }

    func connect() -> any Cancellable {
      let handle = self.handle ?? Handle(self)
      self.handle = handle
      return handle
    }

    private final class Handle: Cancellable {
      private unowned let publisher: OneConnection

      init(_ publisher: OneConnection) { self.publisher = publisher }

      func cancel() {
        publisher.onCancel?()
        publisher.handle = nil
      }
    }
  }

  @Test func whoComesWhileAConnectionIsCancelledGetsAnother() {
    let source = OneConnection()
    let shared = source.autoconnect()
    let coming = RecordingSubscriber<Int, Never>()
    source.onCancel = {
      source.onCancel = nil
      shared.subscribe(coming)
    }
    shared.recorded().cancel()
    #expect(source.isConnected)
    coming.cancel()
    #expect(!source.isConnected)
  }

  @Test func completionKeepsTheShareOfTheConnectionUntilACancellation() {
    let source = OneConnection()
    let shared = source.autoconnect()
    let (recorder, other) = (shared.recorded(), shared.recorded())
    source.send(completion: .finished)
    #expect(source.isConnected)
    recorder.cancel()
    recorder.cancel()
    #expect(source.isConnected)
    other.cancel()
    #expect(!source.isConnected)
    let next = shared.recorded()
    #expect(next.log == ["finished"])
    #expect(source.isConnected)
  }

  @Test func connectionIsCancelledBeforeTheSubscription() {
    var cancelled: [String] = []
    let source = OneConnection()
    source.onCancel = { cancelled.append("connection") }
    source.onLeaving = { cancelled.append("subscription") }
    source.autoconnect().recorded().cancel()
    #expect(cancelled == ["connection", "subscription"])
  }

  @Test func comingAndGoingFromSeveralThreadsLeavesNoConnection() {
    for _ in 0..<200 {
      let source = Source(keepsSubscribers: true)
      let shared = UncheckedBox(source.makeConnectable().autoconnect())
      inParallel(4) { _ in
        for _ in 0..<5 { shared.value.sink { _ in }.cancel() }
      }
      #expect(source.subscriptions.count == source.cancellations.count)
      let last = shared.value.recorded()
      source.send(1)
      #expect(last.log == ["1"])
    }
  }

  @Test func eachCallMakesItsOwn() {
    let upstream = Just(1).makeConnectable()
    let connected: Publishers.Autoconnect<Publishers.MakeConnectable<Just<Int>>> = upstream.autoconnect()
    #expect(connected.recorded().log == ["1", "finished"])
    #expect(connected.upstream.autoconnect() !== connected)
  }
}
