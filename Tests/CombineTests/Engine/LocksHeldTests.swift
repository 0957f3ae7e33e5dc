import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

/// During each call-out another thread uses the same object and is waited for: it never returns if a lock is held.
@Suite("No lock is held during a call-out")
struct LocksHeldTests {
  /// Lets another thread do something from inside each call-out, and counts how often that was, and how it went.
  final class Probe: Sendable {
    private let stuck = Shared<[String]>([])
    private let visited = Shared<Set<String>>([])
    private let action = Shared<(@Sendable () -> Void)?>(nil)

    /// What the other thread does.
    func use(_ body: @escaping @Sendable () -> Void) { action.value = body }

    func callOut(_ name: String) {
      guard let action = action.value else { return }
      visited.update { _ = $0.insert(name) }
      if !onOtherThread(action) { stuck.update { $0.append(name) } }
    }

    /// A closure's capture whose deallocation is a call-out too.
    func token() -> Token { Token(self) }

    final class Token: Sendable {
      private let probe: Probe
      init(_ probe: Probe) { self.probe = probe }
      deinit { probe.callOut("deinit") }
      func touch() {}
    }

    func check(_ expected: Set<String>, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(stuck.value == [], sourceLocation: sourceLocation)
      #expect(visited.value.isSuperset(of: expected), "\(visited.value)", sourceLocation: sourceLocation)
      // The action may hold what is under test.
      action.value = nil
    }

    func recorder<Input, Failure: Error>(
      _ demand: Subscribers.Demand = .unlimited, of: Input.Type = Input.self, failingWith: Failure.Type = Failure.self
    ) -> RecordingSubscriber<Input, Failure> {
      let recorder = RecordingSubscriber<Input, Failure>(initialDemand: demand)
      recorder.onSubscription = { _ in self.callOut("subscription") }
      recorder.onValue = { _ in self.callOut("value") }
      recorder.onCompletion = { _ in self.callOut("completion") }
      return recorder
    }

    func publisher<Output, Failure: Error>() -> TestPublisher<Output, Failure> {
      let publisher = TestPublisher<Output, Failure>(keepsSubscribers: true)
      publisher.onRequest = { _ in self.callOut("request") }
      publisher.onCancel = { self.callOut("cancel") }
      return publisher
    }
  }

  @Test(arguments: [true, false])
  func subjects(replaying: Bool) {
    func check<S: Subject & Sendable>(_ subject: S) where S.Output == Int, S.Failure == Never {
      let probe = Probe()
      let bystander = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
      subject.subscribe(bystander)
      let box = UncheckedBox<(any Subject<Int, Never>)>(subject)
      probe.use {
        // Not a value, which would wait for its turn.
        bystander.request(.max(1))
        let late = RecordingSubscriber<Int, Never>()
        box.value.subscribe(late)
        late.cancel()
        box.value.sink { _ in }.cancel()
        box.value.send(subscription: Subscriptions.empty)
      }
      let upstream: TestPublisher<Int, Never> = probe.publisher()
      let connection = upstream.subscribe(subject)
      let recorder: RecordingSubscriber<Int, Never> = probe.recorder()
      subject.subscribe(recorder)
      subject.send(1)
      upstream.send(2)
      let cancellable = {
        let token = probe.token()
        return subject.sink { _ in token.touch() }
      }()
      cancellable.cancel()
      connection.cancel()
      subject.send(completion: .finished)
      probe.check(["subscription", "value", "completion", "request", "cancel", "deinit"])
    }
    if replaying { check(CurrentValueSubject(0)) } else { check(PassthroughSubject()) }
  }

  @Test func aCurrentValueSubjectReleasesTheValueReplaced() {
    let probe = Probe()
    let subject = CurrentValueSubject<Probe.Token?, Never>(probe.token())
    probe.use { _ = subject.value }
    subject.send(nil)
    subject.value = probe.token()
    subject.send(nil)
    probe.check(["deinit"])
  }

  @Test func futures() {
    let probe = Probe()
    var promise: Future<Int, TestError>.Promise?
    let future = UncheckedBox(Future<Int, TestError> { promise = $0 })
    let recorder: RecordingSubscriber<Int, TestError> = probe.recorder(.none)
    let kept = UncheckedBox(promise)
    probe.use {
      future.value.sink { _ in
      } receiveValue: { _ in
      }.cancel()
      recorder.request(.max(1))
    }
    future.value.subscribe(recorder)
    let cancellable = {
      let token = probe.token()
      return future.value.sink { _ in
        token.touch()
      } receiveValue: { _ in
        token.touch()
      }
    }()
    cancellable.cancel()
    probe.use {
      future.value.sink { _ in
      } receiveValue: { _ in
      }.cancel()
      recorder.request(.max(1))
      kept.value?(.success(2))
    }
    promise?(.success(1))
    #expect(recorder.log == ["1", "finished"])
    probe.check(["subscription", "value", "completion", "deinit"])
  }

  @Test func sequences() {
    let probe = Probe()
    let recorder: RecordingSubscriber<Int, Never> = probe.recorder(.none)
    probe.use {
      recorder.request(.max(1))
      _ = recorder.subscription.map { "\($0)" }
    }
    sequence(first: 0) {
      probe.callOut("next")
      return $0 < 5 ? $0 + 1 : nil
    }.publisher.subscribe(recorder)
    recorder.request(.max(1))
    #expect(recorder.log == ["0", "1", "2", "3", "4", "5", "finished"])
    probe.check(["value", "completion", "next"])

    let second = Probe()
    let cancelled = RecordingSubscriber<Probe.Token, Never>(initialDemand: .none)
    [second.token(), second.token()].publisher.subscribe(cancelled)
    second.use {
      cancelled.request(.max(1))
      cancelled.cancel()
      _ = cancelled.subscription.map { "\($0)" }
    }
    cancelled.cancel()
    second.check(["deinit"])
  }

  @Test func sinks() {
    let probe = Probe()
    let upstream: TestPublisher<Int, TestError> = probe.publisher()
    let sink = {
      let token = probe.token()
      return UncheckedBox(
        Subscribers.Sink<Int, TestError> { _ in
          token.touch()
          probe.callOut("completion")
        } receiveValue: { _ in
          token.touch()
          probe.callOut("value")
        })
    }()
    probe.use {
      _ = sink.value.receiveValue
      sink.value.receive(subscription: Subscriptions.empty)
      upstream.subscription?.sendSubscription()
    }
    // The second subscription is cancelled, which would call out without end.
    upstream.onCancel = nil
    upstream.subscribe(sink.value)
    upstream.send(1)
    upstream.send(completion: .finished)
    probe.check(["request", "value", "completion", "deinit"])

    let second = Probe()
    let other: TestPublisher<Int, TestError> = second.publisher()
    let cancelled = UncheckedBox(
      Subscribers.Sink<Int, TestError> { _ in
      } receiveValue: { _ in
      })
    other.subscribe(cancelled.value)
    second.use { cancelled.value.cancel() }
    cancelled.value.cancel()
    second.check(["cancel"])
  }

  @Test func flatMap() {
    let probe = Probe()
    let outer: TestPublisher<Int, TestError> = probe.publisher()
    let inners: [TestPublisher<Int, TestError>] = [probe.publisher(), probe.publisher()]
    let recorder: RecordingSubscriber<Int, TestError> = probe.recorder(.max(1))
    probe.use {
      recorder.request(.max(1))
      _ = recorder.subscription.map { Mirror(reflecting: $0).children.count }
    }
    // Without a limit to the requests the probe and `onRequest` would go on for ever.
    let requests = Shared(0)
    for publisher in [outer] + inners {
      publisher.onRequest = { _ in
        if requests.update({ count in
          count += 1
          return count < 20
        }) {
          probe.callOut("request")
        }
      }
    }
    do {
      let token = probe.token()
      outer.flatMap(maxPublishers: .max(2)) { index in
        token.touch()
        probe.callOut("closure")
        return inners[index]
      }.subscribe(recorder)
    }
    outer.send(0)
    outer.send(1)
    inners[0].send(1)
    inners[1].send(2)
    inners[0].send(completion: .failure(TestError()))
    outer.releaseSubscribers()
    probe.check(["subscription", "value", "completion", "request", "cancel", "closure", "deinit"])
    #expect(recorder.log == ["1", "2", "test error"])
  }

  @Test func buffer() {
    let probe = Probe()
    let upstream: TestPublisher<Int, TestError> = probe.publisher()
    let recorder: RecordingSubscriber<Int, TestError> = probe.recorder(.none)
    do {
      let token = probe.token()
      upstream.buffer(
        size: 2, prefetch: .keepFull,
        whenFull: .customError {
          token.touch()
          probe.callOut("closure")
          return TestError("full")
        }
      ).subscribe(recorder)
    }
    for value in 1...2 { upstream.send(value) }
    let requests = Shared(0)
    probe.use {
      _ = recorder.subscription.map { Mirror(reflecting: $0).children.count }
      if requests.update({ count in
        count += 1
        return count > 4
      }) {
        recorder.request(.max(1))
      }
    }
    upstream.send(3)
    recorder.request(.max(1))
    recorder.request(.max(1))
    upstream.releaseSubscribers()
    #expect(recorder.log == ["1", "2", "full"])
    probe.check(["value", "completion", "cancel", "closure", "deinit"])
  }

  @Test func bufferDropsWhatItHoldsWithoutALock() {
    let probe = Probe()
    let upstream = TestPublisher<Probe.Token, Never>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Probe.Token, Never>(initialDemand: .none)
    upstream.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest).subscribe(recorder)
    for _ in 0..<2 { upstream.send(probe.token()) }
    probe.use { _ = recorder.subscription.map { Mirror(reflecting: $0).children.count } }
    upstream.send(probe.token())
    probe.check(["deinit"])
    probe.use { recorder.request(.max(1)) }
    recorder.cancel()
    probe.check(["deinit"])
  }

  @Test func throttleReleasesAPendingFailureWithoutALock() {
    struct Heavy: Error {
      let token: Probe.Token
    }
    let probe = Probe()
    let (upstream, scheduler) = (TestPublisher<Int, Heavy>(keepsSubscribers: true), VirtualScheduler())
    let recorder = RecordingSubscriber<Int, Heavy>()
    upstream.throttle(for: 1, scheduler: scheduler, latest: true).subscribe(recorder)
    upstream.send(1)
    upstream.send(completion: .failure(Heavy(token: probe.token())))
    upstream.releaseSubscribers()
    probe.use { recorder.request(.max(1)) }
    recorder.cancel()
    probe.check(["deinit"])
  }

  @Test func scheduledOperatorsReleaseWhatTheyHoldWithoutALock() {
    struct Heavy: Error {
      let token: Probe.Token
    }
    func check<P: Publisher>(_ make: (TestPublisher<Probe.Token, Heavy>, VirtualScheduler) -> P)
    where P.Output == Probe.Token, P.Failure == Heavy {
      for end in 0..<3 {
        let probe = Probe()
        let (upstream, scheduler) = (TestPublisher<Probe.Token, Heavy>(keepsSubscribers: true), VirtualScheduler())
        let recorder = RecordingSubscriber<Probe.Token, Heavy>(initialDemand: .none)
        make(upstream, scheduler).subscribe(recorder)
        probe.use { recorder.request(.none) }
        upstream.send(probe.token())
        if end == 1 { scheduler.advance(by: 1) }
        upstream.send(probe.token())
        if end == 2 { upstream.send(completion: .failure(Heavy(token: probe.token()))) }
        recorder.cancel()
        upstream.releaseSubscribers()
        scheduler.run()
        probe.check(["deinit"])
      }
    }
    check { $0.receive(on: $1) }
    check { $0.delay(for: 1, scheduler: $1) }
    check { $0.debounce(for: 1, scheduler: $1) }
    check { $0.throttle(for: 1, scheduler: $1, latest: true) }
    check { $0.throttle(for: 1, scheduler: $1, latest: false) }
    check { $0.timeout(5, scheduler: $1) }
  }

  @Test func cancellables() {
    let probe = Probe()
    let box = Shared<AnyCancellable?>(nil)
    let cancellable = {
      let token = probe.token()
      return AnyCancellable {
        token.touch()
        probe.callOut("cancel")
      }
    }()
    box.value = cancellable
    probe.use { box.value?.cancel() }
    cancellable.cancel()
    box.value = nil
    probe.check(["cancel", "deinit"])
  }
}
