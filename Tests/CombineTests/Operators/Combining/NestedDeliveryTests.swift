import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

/// What is sent from inside the subscriber of the operators that have several publishers, and what a failure leaves of
/// it: they deliver it at once, inside the delivery.
@Suite struct NestedDeliveryTests {
  private typealias Source = PassthroughSubject<Int, TestError>
  private typealias Values = AnyPublisher<Int, TestError>

  enum Kind: CaseIterable {
    case merge, flatMap, flatMapOfJust, switchToLatest, zip, combineLatest

    /// Those that request from inside the subscriber what is requested there.
    static let requestingAtOnce: [Kind] = [.merge, .flatMap, .flatMapOfJust, .switchToLatest]
    static let oneByOne: [Kind] = [.merge, .flatMap, .flatMapOfJust]
  }

  /// Passes on what the subject sends, through an operator that could do so for others.
  private func values(_ kind: Kind, of source: Source, _ other: Source = Source()) -> Values {
    switch kind {
    case .merge: source.merge(with: other).eraseToAnyPublisher()
    case .flatMap:
      [source, other].publisher.setFailureType(to: TestError.self).flatMap { $0 }.eraseToAnyPublisher()
    case .flatMapOfJust: source.flatMap { Just($0) }.eraseToAnyPublisher()
    case .switchToLatest: Just(source).setFailureType(to: TestError.self).switchToLatest().eraseToAnyPublisher()
    case .zip: source.zip(source) { value, _ in value }.eraseToAnyPublisher()
    case .combineLatest:
      source.combineLatest(Just(0).setFailureType(to: TestError.self)) { $0 + $1 }.eraseToAnyPublisher()
    }
  }

  /// A subscriber that does something with a value while it takes it, and what it sees begin and end.
  private func recorded(
    _ values: Values, demand: Subscribers.Demand = .unlimited,
    _ inside: @escaping (Int, RecordingSubscriber<Int, TestError>) -> Void
  ) -> (recorder: RecordingSubscriber<Int, TestError>, log: () -> [String]) {
    var log: [String] = []
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: demand)
    recorder.onValue = { [unowned recorder] value in
      log.append("\(value)")
      inside(value, recorder)
      log.append("end \(value)")
    }
    recorder.onCompletion = { log.append($0 == .finished ? "finished" : "failed") }
    values.subscribe(recorder)
    return (recorder, { log })
  }

  // MARK: Nested

  @Test(arguments: Kind.allCases) func aValueFromInsideIsDeliveredAtOnce(_ kind: Kind) {
    let source = Source()
    let (recorder, log) = recorded(values(kind, of: source)) { value, _ in if value < 3 { source.send(value + 1) } }
    source.send(1)
    source.send(7)
    // The third is not delivered where the second has been folded, and part of the seventh.
    #expect(
      log()
        == (kind == .combineLatest
          ? ["1", "end 1", "2", "end 2", "7", "end 7"] : ["1", "2", "3", "end 3", "end 2", "end 1", "7", "end 7"]))
    withExtendedLifetime(recorder) {}
  }

  @Test(arguments: Kind.allCases) func aCompletionFromInsideIsDeliveredAtOnce(_ kind: Kind) {
    for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError())] {
      let (source, other) = (Source(), Source())
      let (recorder, log) = recorded(values(kind, of: source, other)) { value, _ in
        guard value == 1 else { return }
        source.send(2)
        other.send(completion: completion)
        source.send(completion: completion)
        source.send(3)
      }
      source.send(1)
      // The `Just` that brings the value has not finished before the value has been taken.
      let end =
        switch (completion, kind) {
        case (.finished, .flatMapOfJust): ["end 1", "finished"]
        case (.finished, _): ["finished", "end 1"]
        case (.failure, _): ["failed", "end 1"]
        }
      #expect(log() == ["1", "2", "end 2"] + end)
      source.send(4)
      #expect(log().count == 5)
      withExtendedLifetime(recorder) {}
    }
  }

  @Test(arguments: Kind.requestingAtOnce) func aValueFromInsideFindsWhatIsRequestedThere(_ kind: Kind) {
    let (source, other) = (Source(), Source())
    let (recorder, log) = recorded(values(kind, of: source, other), demand: .max(1)) { value, recorder in
      guard value == 1 else { return }
      recorder.request(.max(1))
      // One of several publishers is not asked for another value before this one has been taken.
      for next in [other, source] { next.send(2) }
    }
    source.send(1)
    #expect(log() == ["1", "2", "end 2", "end 1"])
    withExtendedLifetime(recorder) {}
  }

  @Test(arguments: Kind.oneByOne) func aValueFromInsideWaitsForDemand(_ kind: Kind) {
    let source = Source()
    let (recorder, log) = recorded(values(kind, of: source), demand: .max(1)) { value, _ in
      if value == 1 { source.send(2) }
    }
    source.send(1)
    #expect(log() == ["1", "end 1"])
    // `flatMap` has asked upstream without limit, the others are not asked again before this is taken.
    recorder.request(.max(1))
    #expect(log() == ["1", "end 1", "2", "end 2"] || kind != .flatMapOfJust)
  }

  @Test(arguments: [Kind.merge, .flatMap]) func aValueOfAnotherThreadFollowsTheDelivery(_ kind: Kind) {
    let (source, other) = (Source(), Source())
    let sent = Shared<Latch?>(nil)
    let (recorder, log) = recorded(values(kind, of: source, other)) { value, _ in
      if value == 1 { sent.value = beginOnOtherThread { other.send(2) } }
    }
    source.send(1)
    sent.value?.wait()
    #expect(log() == ["1", "end 1", "2", "end 2"])
    withExtendedLifetime(recorder) {}
  }

  // MARK: Failures

  @Test(arguments: Kind.allCases) func aFailureFollowsWhatWasSentFromInside(_ kind: Kind) {
    let source = Source()
    let (recorder, _) = recorded(values(kind, of: source)) { value, _ in
      guard value == 1 else { return }
      source.send(2)
      source.send(completion: .failure(TestError()))
    }
    source.send(1)
    #expect(recorder.log == ["1", "2", "test error"])
  }

  @Test(arguments: Kind.allCases) func aFailureOfAnotherThreadFollowsWhatHasDemand(_ kind: Kind) {
    typealias Manual = TestPublisher<Int, TestError>
    let (first, second) = (Manual(keepsSubscribers: true), Manual(keepsSubscribers: true))
    let values: Values =
      switch kind {
      case .merge: first.merge(with: second).eraseToAnyPublisher()
      case .flatMap: [first, second].publisher.setFailureType(to: TestError.self).flatMap { $0 }.eraseToAnyPublisher()
      case .flatMapOfJust: first.merge(with: second).flatMap { Just($0) }.eraseToAnyPublisher()
      case .switchToLatest: Just(first).setFailureType(to: TestError.self).switchToLatest().eraseToAnyPublisher()
      case .zip: first.zip(second) { value, _ in value }.eraseToAnyPublisher()
      case .combineLatest:
        first.combineLatest(Just(0).setFailureType(to: TestError.self)) { $0 + $1 }.eraseToAnyPublisher()
      }
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2))
    let sent = Shared<Latch?>(nil)
    recorder.onValue = { value in
      guard value == 1 else { return }
      sent.value = beginOnOtherThread {
        for value in 2...3 {
          first.send(value)
          if kind == .zip { second.send(value) }
        }
        first.send(completion: .failure(TestError()))
      }
    }
    values.subscribe(recorder)
    second.send(1)
    if ![.merge, .flatMap, .flatMapOfJust].contains(kind) { first.send(1) }
    sent.value?.wait()
    #expect(recorder.log == ["1", "2", "test error"])
  }

  @Test(arguments: Kind.allCases) func aCancellationFollowsWhatWasSentFromInside(_ kind: Kind) {
    let source = Source()
    let (recorder, _) = recorded(values(kind, of: source)) { value, recorder in
      guard value == 1 else { return }
      source.send(2)
      recorder.cancel()
    }
    source.send(1)
    source.send(3)
    #expect(recorder.log == (kind == .combineLatest ? ["1"] : ["1", "2"]))
  }

  // MARK: Requests do not recurse

  @Test func valuesAskedForOneByOneDoNotGrowTheStack() {
    let count = longStreamCount / 5
    for kind in 0..<3 {
      let values = (0..<count / 2).publisher
      var (seen, isInside, nested) = (0, false, 0)
      let recorder = AskingSubscriber<Int> {
        if isInside { nested += 1 }
        isInside = true
        $0.request(.max(1))
        isInside = false
        seen += 1
      }
      switch kind {
      case 0: values.merge(with: values).subscribe(recorder)
      case 1: [values, values].publisher.flatMap { $0 }.subscribe(recorder)
      default: Just((0..<count).publisher).switchToLatest().subscribe(recorder)
      }
      #expect(seen == count)
      #expect(nested == 0)
    }
  }

  /// Keeps nothing of what it takes.
  private final class AskingSubscriber<Input>: Subscriber {
    typealias Failure = Never
    private let onValue: (any Subscription) -> Void
    private var subscription: (any Subscription)?

    init(onValue: @escaping (any Subscription) -> Void) { self.onValue = onValue }

    func receive(subscription: any Subscription) {
      self.subscription = subscription
      subscription.request(.max(1))
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      if let subscription { onValue(subscription) }
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}
  }

  @Test func manyPublishersWhoseValuesWaitDoNotGrowTheStack() {
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
    var (isInside, nested) = (false, 0)
    recorder.onValue = { [unowned recorder] _ in
      if isInside { nested += 1 }
      isInside = true
      recorder.request(.max(1))
      isInside = false
    }
    (0..<20_000).publisher.flatMap { [$0, $0, $0].publisher }.subscribe(recorder)
    recorder.request(.max(1))
    #expect(recorder.values.count == 60_000)
    #expect(recorder.isFinished)
    #expect(nested == 0)
  }

  @Test func aPublisherThatAnswersARequestAtOnceDoesNotNest() {
    let inner = TestPublisher<Int, Never>(keepsSubscribers: true)
    var next = 0
    inner.onRequest = { _ in
      next += 1
      inner.send(next)
    }
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    var isInside = false
    recorder.onValue = { [unowned recorder] in
      #expect(!isInside)
      isInside = true
      if $0 < 10_000 { recorder.request(.max(1)) }
      isInside = false
    }
    Just(inner.eraseToAnyPublisher()).switchToLatest().subscribe(recorder)
    #expect(recorder.values == Array(1...10_000))
  }
}
