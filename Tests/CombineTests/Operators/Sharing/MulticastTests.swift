import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MulticastTests {
  private typealias Source = TestPublisher<Int, TestError>

  @Test func subscribersShareOneSubscriptionOnceConnected() {
    let source = Source(keepsSubscribers: true)
    let shared = source.multicast { PassthroughSubject<Int, TestError>() }
    let (one, two) = (shared.recorded(), shared.recorded())
    #expect(source.subscriptions.isEmpty)
    let connection = shared.connect()
    #expect(source.subscriptions.count == 1)
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(one.log == ["1", "test error"])
    #expect(two.log == ["1", "test error"])
    #expect(one.subscriptionNames == ["Multicast"])
    withExtendedLifetime(connection) {}
  }

  @Test func subjectIsMadeOnce() {
    var made = 0
    let shared = Source(keepsSubscribers: true).multicast { () -> PassthroughSubject<Int, TestError> in
      made += 1
      return PassthroughSubject()
    }
    #expect(made == 0)
    _ = (shared.recorded(), shared.recorded(), shared.connect())
    #expect(made == 1)
  }

  @Test func subjectThatIsGivenIsUsed() {
    let (source, subject) = (Source(keepsSubscribers: true), CurrentValueSubject<Int, TestError>(0))
    let shared = source.multicast(subject: subject)
    let recorder = shared.recorded()
    let connection = shared.connect()
    source.send(1)
    #expect(recorder.log == ["0", "1"])
    #expect(subject.value == 1)
    withExtendedLifetime(connection) {}
  }

  @Test func demandIsTheSubjects() {
    let source = Source(keepsSubscribers: true)
    let shared = source.multicast { PassthroughSubject<Int, TestError>() }
    let recorder = shared.recorded(demand: .max(1))
    let connection = shared.connect()
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.send(2)
    recorder.request(.max(1))
    source.send(3)
    #expect(recorder.log == ["1", "3"])
    withExtendedLifetime(connection) {}
  }

  @Test func returnedDemandIsRequestedFromTheSubject() {
    let (source, subject) = (Source(keepsSubscribers: true), TestPublisher<Int, TestError>(keepsSubscribers: true))
    let shared = source.multicast { ManualSubject(subject) }
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { .max($0) })
    shared.subscribe(recorder)
    #expect(subject.send(3) == .none)
    #expect(subject.send(0) == .none)
    #expect(subject.requests == [.max(1), .max(3)])
  }

  /// A subject whose subscriptions the test sees.
  private final class ManualSubject: Subject {
    typealias Output = Int
    typealias Failure = TestError

    private let publisher: TestPublisher<Int, TestError>

    init(_ publisher: TestPublisher<Int, TestError>) { self.publisher = publisher }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      publisher.subscribe(subscriber)
    }

    func send(_ value: Int) {}
    func send(completion: Subscribers.Completion<TestError>) {}
    func send(subscription: any Subscription) {}
  }

  @Test func connectionEndsByCancellationOrWithItsLastReference() {
    let source = Source(keepsSubscribers: true)
    let shared = source.multicast { PassthroughSubject<Int, TestError>() }
    let recorder = shared.recorded()
    let first = shared.connect()
    first.cancel()
    first.cancel()
    #expect(source.cancellations.count == 1)
    source.send(1)
    var second: (any Cancellable)? = shared.connect()
    source.send(2)
    #expect(second != nil)
    second = nil
    #expect(source.cancellations.count == 2)
    #expect(recorder.log == ["2"])
  }

  @Test func subscriberThatCancelsLeavesTheConnection() {
    let source = Source(keepsSubscribers: true)
    let shared = source.multicast { PassthroughSubject<Int, TestError>() }
    let (one, two) = (shared.recorded(), shared.recorded())
    let connection = shared.connect()
    one.cancel()
    source.send(1)
    #expect(one.log.isEmpty)
    #expect(two.log == ["1"])
    #expect(source.cancellations.isEmpty)
    withExtendedLifetime(connection) {}
  }

  @Test func subscriberAfterTheEndIsTold() {
    let source = Source(keepsSubscribers: true)
    let shared = source.multicast { PassthroughSubject<Int, TestError>() }
    let connection = shared.connect()
    source.send(completion: .finished)
    #expect(shared.recorded().log == ["finished"])
    withExtendedLifetime(connection) {}
  }

  @Test func closureMayBeEnteredFromAnotherThread() {
    let source = Source(keepsSubscribers: true)
    let shared = Shared<Publishers.Multicast<Source, PassthroughSubject<Int, TestError>>?>(nil)
    let entered = Shared(false)
    shared.value = source.multicast {
      // Whoever holds a lock here keeps the other thread from asking for the subject, which then makes its own.
      if !entered.update({ $0.toggleOn() }) {
        #expect(onOtherThread { _ = shared.value?.recorded() })
      }
      return PassthroughSubject()
    }
    let recorder = shared.value?.recorded()
    let connection = shared.value?.connect()
    source.send(1)
    #expect(recorder?.log == ["1"])
    connection?.cancel()
    shared.value = nil
  }
}

extension Bool {
  /// Makes it true.
  ///
  /// - Returns: What it was.
  fileprivate mutating func toggleOn() -> Bool {
    defer { self = true }
    return self
  }
}
