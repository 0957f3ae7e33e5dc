import InterflowTestSupport
import InterflowTesting
import Testing

@testable import Combine

@Suite("SubjectSubscriber")
struct SubjectSubscriberTests {
  @Test func aSecondSubscriptionIsCancelled() {
    let subject = CurrentValueSubject<Int, Never>(0)
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    let cancellable = upstream.subscribe(subject)
    upstream.subscription?.sendSubscription()
    #expect(upstream.cancellations.count == 1)
    #expect(upstream.requests == [.unlimited])
    withExtendedLifetime(cancellable) {}
  }

  @Test func subjectLetsGoOfUpstreamsThatHaveEnded() {
    let subject = PassthroughSubject<Int, Never>()
    var cancellables: [AnyCancellable] = []
    for _ in 0..<1_000 {
      // Never completes the subject: each upstream is cancelled instead.
      let cancellable = TestPublisher<Int, Never>(keepsSubscribers: true).subscribe(subject)
      cancellable.cancel()
      cancellables.append(cancellable)
    }
    #expect(subject.core.upstreams.count <= 8)
  }

  @Test func valuesWithoutASubscriptionAreDropped() {
    let subject = CurrentValueSubject<Int, Never>(0)
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true, sendsSubscriptions: false)
    let cancellable = upstream.subscribe(subject)
    upstream.send(1)
    #expect(subject.value == 0)
    withExtendedLifetime(cancellable) {}
  }

  @Test func nothingFollowsTheCompletion() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>()
    subject.subscribe(recorder)
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    let cancellable = upstream.subscribe(subject)
    upstream.send(1)
    upstream.send(completion: .finished)
    upstream.send(2)
    #expect(recorder.log == ["1", "finished"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func aCompletedConnectionKeepsNothingOfTheUpstreamAlive() {
    let lifetime = LifetimeCounter()
    let subject = PassthroughSubject<Int, Never>()
    subject.subscribe(RecordingSubscriber<Int, Never>())
    let source = PassthroughSubject<Int, Never>()
    let cancellable = {
      let token = lifetime.make()
      return source.map { value in
        token.touch()
        return value
      }.subscribe(subject)
    }()
    #expect(lifetime.count == 1)
    source.send(completion: .finished)
    #expect(lifetime.count == 0)
    withExtendedLifetime(cancellable) {}
  }

  @Test func aChainOfSubjectsPassesEverythingOn() {
    let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
    let cancellables = zip(subjects, subjects.dropFirst()).map { $0.subscribe($1) }
    let recorder = RecordingSubscriber<Int, Never>()
    subjects[3].subscribe(recorder)
    subjects[0].send(1)
    subjects[0].send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
    withExtendedLifetime(cancellables) {}
  }

  /// How a subject comes to be fed.
  enum Feed: CaseIterable {
    case subscribe, anySubscriber

    func attach(_ subject: PassthroughSubject<Int, Never>, to upstream: TestPublisher<Int, Never>) -> AnyCancellable? {
      switch self {
      case .subscribe: return upstream.subscribe(subject)
      case .anySubscriber:
        upstream.subscribe(AnySubscriber(subject))
        return nil
      }
    }
  }

  @Test(arguments: Feed.allCases)
  func anUpstreamThatKeepsItsSubscriberDoesNotKeepTheSubjectAfterTheCompletion(_ feed: Feed) {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    weak var subject: PassthroughSubject<Int, Never>?
    var cancellable: AnyCancellable?
    do {
      let fed = PassthroughSubject<Int, Never>()
      subject = fed
      cancellable = feed.attach(fed, to: upstream)
      upstream.send(1)
      upstream.send(completion: .finished)
    }
    #expect(subject == nil)
    upstream.send(2)
    upstream.send(completion: .finished)
    withExtendedLifetime(cancellable) {}
  }

  @Test func anUpstreamThatKeepsItsSubscriberDoesNotKeepTheSubjectAfterACancellation() {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    weak var subject: PassthroughSubject<Int, Never>?
    do {
      let fed = PassthroughSubject<Int, Never>()
      subject = fed
      upstream.subscribe(fed).cancel()
    }
    #expect(subject == nil)
    upstream.send(1)
    #expect(upstream.cancellations.count == 1)
  }

  @Test func cancellingBeforeTheSubscriptionLetsGoOfTheSubject() {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true, sendsSubscriptions: false)
    weak var subject: PassthroughSubject<Int, Never>?
    do {
      let fed = PassthroughSubject<Int, Never>()
      subject = fed
      upstream.subscribe(fed).cancel()
    }
    #expect(subject == nil)
    upstream.subscription?.sendSubscription()
    #expect(upstream.cancellations.count == 1)
  }

  @Test func aSubscriberThatIsKeptLetsGoOfTheSubjectAtTheEndOfASourceOfThisModule() {
    let source = PassthroughSubject<Int, Never>()
    weak var subject: PassthroughSubject<Int, Never>?
    let kept: AnySubscriber<Int, Never>
    do {
      let fed = PassthroughSubject<Int, Never>()
      subject = fed
      kept = AnySubscriber(fed)
      source.subscribe(kept)
      source.send(completion: .finished)
    }
    #expect(subject == nil)
    withExtendedLifetime(kept) {}
  }

  @Test(arguments: [false, true])
  func theSubjectOutlivesTheDeliveryThatEndsItsFeed(_ isForeign: Bool) {
    let (source, foreign) = (PassthroughSubject<Int, Never>(), TestPublisher<Int, Never>(keepsSubscribers: true))
    let counter = LifetimeCounter()
    let recorder = RecordingSubscriber<Int, Never>()
    var cancellable: AnyCancellable?
    var inside = 0
    do {
      let token = counter.make()
      let subject = PassthroughSubject<Int, Never>()
      subject.map { value in
        token.touch()
        return value
      }.subscribe(recorder)
      cancellable = isForeign ? foreign.subscribe(subject) : source.subscribe(subject)
    }
    recorder.onValue = { _ in
      cancellable?.cancel()
      inside = counter.count
    }
    if isForeign { foreign.send(1) } else { source.send(1) }
    #expect(recorder.log == ["1"])
    #expect(inside == 1)
    recorder.cancel()
    recorder.releaseSubscriptions()
    #expect(counter.count == 0)
  }

  @Test func aCompletionFromInsideADeliveryEndsTheFeed() {
    let source = PassthroughSubject<Int, Never>()
    weak var subject: PassthroughSubject<Int, Never>?
    let recorder = RecordingSubscriber<Int, Never>()
    recorder.onValue = { _ in source.send(completion: .finished) }
    var cancellable: AnyCancellable?
    do {
      let fed = PassthroughSubject<Int, Never>()
      subject = fed
      fed.subscribe(recorder)
      cancellable = source.subscribe(fed)
    }
    source.send(1)
    #expect(recorder.log == ["1", "finished"])
    recorder.releaseSubscriptions()
    #expect(subject == nil)
    withExtendedLifetime(cancellable) {}
  }

  @Test(arguments: [false, true])
  func valuesAndACancellationMayRace(_ isForeign: Bool) {
    for _ in 0..<200 {
      let (source, foreign) = (PassthroughSubject<Int, Never>(), TestPublisher<Int, Never>(keepsSubscribers: true))
      weak var subject: PassthroughSubject<Int, Never>?
      do {
        let fed = PassthroughSubject<Int, Never>()
        subject = fed
        let cancellable = isForeign ? foreign.subscribe(fed) : source.subscribe(fed)
        let box = UncheckedBox(source)  // Made for several threads.
        inParallel(2) { thread in
          if thread == 1 { return cancellable.cancel() }
          for value in 0..<20 { if isForeign { foreign.send(value) } else { box.value.send(value) } }
        }
      }
      #expect(subject == nil)
    }
  }

  // MARK: Ownership

  /// A subject that is not of this module, and that owns its connection.
  private final class ForeignSubject: Subject {
    typealias Output = Int
    typealias Failure = Never

    let values = PassthroughSubject<Int, Never>()
    let received = Shared<[String]>([])
    var connection: AnyCancellable?

    func send(_ value: Int) {
      received.update { $0.append("\(value)") }
      values.send(value)
    }

    func send(completion: Subscribers.Completion<Never>) { values.send(completion: completion) }

    func send(subscription: any Subscription) {
      received.update { $0.append("subscription") }
      subscription.request(.unlimited)
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      values.receive(subscriber: subscriber)
    }
  }

  @Test func aForeignSubjectThatOwnsItsConnectionIsReleased() {
    let (source, upstream) = (PassthroughSubject<Int, Never>(), TestPublisher<Int, Never>(keepsSubscribers: true))
    weak var subject: ForeignSubject?
    for isForeign in [false, true] {
      do {
        let fed = ForeignSubject()
        fed.connection = isForeign ? upstream.subscribe(fed) : source.subscribe(fed)
        if isForeign { upstream.send(1) } else { source.send(1) }
        #expect(fed.received.value == ["subscription", "1"])
        subject = fed
      }
      #expect(subject == nil)
    }
    upstream.send(2)
    #expect(upstream.cancellations.count == 1)
  }

  @Test func aCurrentValueSubjectWhoseValueIsItsConnectionIsReleased() {
    let source = PassthroughSubject<AnyCancellable?, Never>()
    let cancelled = Shared(0)
    weak var subject: CurrentValueSubject<AnyCancellable?, Never>?
    do {
      let fed = CurrentValueSubject<AnyCancellable?, Never>(nil)
      subject = fed
      fed.value = source.handleEvents(receiveCancel: { cancelled.update { $0 += 1 } }).subscribe(fed)
      #expect(cancelled.value == 0)
    }
    #expect(subject == nil)
    #expect(cancelled.value == 1)
  }

  @Test func aSubjectIsFedWhileItHasASubscriber() {
    let source = PassthroughSubject<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>()
    let connection = {
      let fed = PassthroughSubject<Int, Never>()
      fed.subscribe(recorder)
      return source.subscribe(fed)
    }()
    source.send(1)
    #expect(recorder.log == ["1"])
    withExtendedLifetime(connection) {}
  }

  @Test func aSubjectThatIsReleasedCancelsItsUpstream() {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    let connection = upstream.subscribe(PassthroughSubject<Int, Never>())
    #expect(upstream.cancellations.count == 1)
    upstream.send(1)
    withExtendedLifetime(connection) {}
  }

  @Test func anErasedSubscriberKeepsItsSubject() {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    let received = {
      let subject = ForeignSubject()
      upstream.subscribe(AnySubscriber(subject))
      return subject.received
    }()
    upstream.send(1)
    #expect(received.value == ["subscription", "1"])
  }

  @Test func valuesAndTheSubjectsReleaseMayRace() {
    for _ in 0..<200 {
      let source = UncheckedBox(PassthroughSubject<Int, Never>())  // Made for several threads.
      let fed = Shared<PassthroughSubject<Int, Never>?>(PassthroughSubject())
      let connection = source.value.subscribe(fed.value!)
      inParallel(2) { thread in
        if thread == 1 { return fed.update { $0 = nil } }
        for value in 0..<20 { source.value.send(value) }
      }
      withExtendedLifetime(connection) {}
    }
  }
}
