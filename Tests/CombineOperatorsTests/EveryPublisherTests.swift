import CombineOperators
import Dispatch
import Foundation
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

/// Every publisher of the module keeps the rules.
///
/// One after the other: each needs several threads, and a deadline that a busy machine keeps.
@Suite(.serialized) struct EveryPublisherTests {
  static let table = creation + passing + joining + errors + sharing + windows

  @Test(arguments: table) func keepsTheRules(row: VerificationRow) async throws {
    try await row.verify()
  }

  /// The rule is not applicable without a closure that sends, so that a row that has lost it would pass as well.
  @Test func aSendWaitsForItsTurnWhereThreadsMeet() async throws {
    var checked: Set<String> = []
    for row in Self.table where try await row.checksSending() { checked.insert(row.type) }
    let types = ["Amb", "Create", "GroupBy", "RetryWhen", "Sample", "ShareReplay", "WindowByCount", "WithLatestFrom"]
    let others = ["CurrentValueRelay", "GroupedPublisher", "PassthroughRelay", "ReplaySubject"]
    let functions = ["amb()", "combineLatest()", "flatMapFirst", "flatMapLatest", "merge()", "zip()"]
    let expected = Set(types.map { "Publishers.\($0)" } + others + functions)
    #expect(expected.subtracting(checked).sorted() == [], "publishers for which it was not checked")
  }

  /// The types of the module that are publishers come from the listing in `API`, which `make check-api` holds against
  /// the module's symbol graph.
  @Test func everyPublisherIsInTheTable() throws {
    let listing = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../API/CombineOperators.txt")
    let lines = try String(contentsOf: listing, encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: "\t").map(String.init) }
    let protocols = Set(lines.filter { $0.count > 2 && $0[2] == "protocol" }.map { $0[1] })
    let conformances = lines.filter { $0.count > 3 && $0[2] == "conformance" }
    let publishers = Set(conformances.filter { $0[3] == "Publisher" || $0[3].hasPrefix("Publisher [") }.map { $0[1] })
      .subtracting(protocols)
    #expect(publishers.count > 15, "the listing has lost its publishers")
    #expect(publishers.subtracting(Self.table.map(\.type)).sorted() == [], "publishers that are not verified")
  }
}

// MARK: What the rows have in common

private typealias Numbers = PassthroughSubject<Int, TestError>

private let failure = Fail<Int, TestError>(error: TestError())

private func just(_ value: Int) -> Result<Int, TestError>.Publisher { .init(value) }

private var endless: Empty<Int, TestError> { Empty(completeImmediately: false) }

private func numbers(_ count: Int) -> AnyPublisher<Int, TestError> {
  (0..<count).publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
}

private func dropping(completes: Bool = true) -> PublisherVerification.Options {
  var options = PublisherVerification.Options.patient
  options.surplus = .isDropped
  options.completes = completes
  return options
}

/// An operator on some subjects, to each of which one thread sends while another's value is delivered.
///
/// - Parameter together: Whether a value of each makes one, rather than a value of any.
private func sent<P: Publisher>(
  _ type: String, _ count: Int = 1, together: Bool = false, make: @escaping @Sendable ([Numbers]) -> P
) -> VerificationRow where P: SendableMetatype {
  var options = dropping()
  options.rules = [.sendDuringASignalWaits]
  return VerificationRow(type, "sent", options: options) { _ in
    let (subjects, turns) = ((0..<count).map { _ in Numbers() }, Turns())
    return PublisherUnderTest(
      make(subjects),
      send: {
        let turn = turns.next()
        if together {
          for subject in subjects { subject.send(turn) }
        } else {
          subjects[turn % count].send(turn)
        }
      })
  }
}

/// A subject, and what is made of it: values are sent to the one and delivered by the other.
private func sending(
  _ count: Int, _ subject: some Subject<Int, TestError> & Sendable, _ publisher: some Publisher
) -> PublisherUnderTest {
  PublisherUnderTest(publisher) {
    for number in 0..<count { subject.send(number) }
    subject.send(completion: .finished)
  } send: {
    subject.send(count)
  }
}

/// Numbers from zero, each once, for whichever thread asks.
private final class Turns: Sendable {
  private let count = Atomic<Int>(0)

  func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }
}

// MARK: The rows

private let creation = [
  created(
    "create(_:)",
    dropping().exempting(.requestsFromAnyThread, because: "the completion drops what the first request leaves")
  ) { .create($0) },
  created("unbounded") { .create(buffering: .unbounded, $0) },
  created("oldest") { .create(buffering: .bufferingOldest(.max), $0) },
  created("newest") { .create(buffering: .bufferingNewest(.max), $0) },
  VerificationRow("Publishers.Create", "sent") { count in
    let subscribers = Shared<[Publishers.Create<Int, TestError>.Subscriber]>([])
    let publisher = AnyPublisher<Int, TestError>.create(buffering: .unbounded) { subscriber in
      subscribers.update { $0.append(subscriber) }
      return AnyCancellable {}
    }
    return PublisherUnderTest(publisher) {
      for subscriber in subscribers.value {
        for number in 0..<count { subscriber.send(number) }
        subscriber.send(completion: .finished)
      }
    } send: {
      for subscriber in subscribers.value { subscriber.send(count) }
    }
  },
  VerificationRow("Publishers.Interval", options: dropping(completes: false)) { count in
    let timeline = TestTimeline()
    return PublisherUnderTest(Publishers.Interval(every: .seconds(1), on: timeline.scheduler)) {
      timeline.advance(by: .seconds(count))
    }
  },
  VerificationRow("Publishers.Unfold") { (count: Int) in
    PublisherUnderTest(
      Publishers.Unfold(0) { number -> Int? in
        defer { number += 1 }
        return number < count ? number : nil
      })
  },
]

/// A publisher whose closure sends all values before it returns.
private func created(
  _ detail: String, _ options: PublisherVerification.Options = .patient,
  _ make:
    @escaping @Sendable (@escaping Publishers.Create<Int, TestError>.SubscriberHandler) -> AnyPublisher<Int, TestError>
) -> VerificationRow {
  VerificationRow("Publishers.Create", detail, options: options) {
    PublisherUnderTest(
      make { subscriber in
        subscriber.send(completion: .failure(TestError()))
        return AnyCancellable {}
      })
  } publisher: { count in
    PublisherUnderTest(
      make { subscriber in
        for number in 0..<count { subscriber.send(number) }
        subscriber.send(completion: .finished)
        return AnyCancellable {}
      })
  }
}

private let needsDemand = "the event of the completion needs demand from upstream, as each event does"

private let passing = [
  VerificationRow("Publishers.Enumerated") { $0.enumerated().map(\.index) },
  // The last event needs demand, so `materialize` of fewer values delivers as many.
  VerificationRow("Publishers.Materialize") { (count: Int) in
    PublisherUnderTest(numbers(max(0, count - 1)).materialize().prefix(count))
  },
  VerificationRow(
    "Publishers.Dematerialize",
    .patient.exempting(.completionNeedsNoDemand, because: needsDemand)
      .exempting(.failureNeedsNoDemand, because: needsDemand)
  ) { $0.materialize().dematerialize() },
]

private let joining = [
  VerificationRow("Publishers.Amb") { $0.amb(endless) },
  sent("Publishers.Amb") { $0[0].amb(endless) },
  VerificationRow("amb(with:)") { $0.amb(with: endless, endless) },
  sent("amb()") { [$0[0].eraseToAnyPublisher(), endless.eraseToAnyPublisher()].amb() },
  VerificationRow("race") { race($0, endless) },
  VerificationRow("flatMapFirst") { upstream in just(0).flatMapFirst { _ in upstream } },
  sent("flatMapFirst") { $0[0].flatMapFirst { just($0) } },
  VerificationRow("flatMapLatest") { upstream in just(0).flatMapLatest { _ in upstream } },
  sent("flatMapLatest") { $0[0].flatMapLatest { just($0) } },
  VerificationRow("combineLatest()") { [$0].combineLatest() },
  sent("combineLatest()", 2) { $0.map { $0.prepend(0) }.combineLatest() },
  sent("merge()", 4) { $0.merge() },
  VerificationRow("Publishers.Sample", options: dropping()) {
    let trigger = Numbers()
    return PublisherUnderTest(endless.sample(trigger)) { trigger.send(completion: .failure(TestError())) }
  } publisher: { count in
    let (upstream, trigger) = (Numbers(), Numbers())
    return PublisherUnderTest(upstream.sample(trigger)) {
      for number in 0..<count {
        upstream.send(number)
        trigger.send(number)
      }
      upstream.send(completion: .finished)
    }
  },
  sent("Publishers.Sample") { $0[0].sample($0[0]) },
  VerificationRow("Publishers.WithLatestFrom") { $0.withLatestFrom(just(1)) { $0 + $1 } },
  sent("Publishers.WithLatestFrom", 2) { subjects in
    subjects[0].merge(with: subjects[1]).withLatestFrom(subjects[1].prepend(0)) { value, _ in value }
  },
  VerificationRow("zip()") { [$0, $0, $0].zip() },
  VerificationRow("zip(with:)") { $0.zip(with: $0, $0) },
  sent("zip()", 3, together: true) { $0.zip() },
]

private let errors = [
  VerificationRow("Publishers.RetryWhen", fails: false) { $0.retryWhen { $0 } },
  VerificationRow("Publishers.RetryWhen") { upstream in upstream.retryWhen { errors in errors.tryMap { throw $0 } } },
  VerificationRow("retry(_:delay:)") { $0.retry(2, delay: 1, on: ImmediateScheduler.shared) },
  failingOnce("Publishers.RetryWhen") { $0.retryWhen { $0 } },
  failingOnce("retry(_:delay:)") { $0.retry(1, delay: 1, on: ImmediateScheduler.shared) },
  failingOnce("retry(_:delay:), on a queue") { $0.retry(1, delay: .zero, on: DispatchQueue.global()) },
  sent("Publishers.RetryWhen") { $0[0].retryWhen { $0 } },
]

/// An operator on a publisher that fails after one half of the values, and delivers the others when it is subscribed to
/// again.
private func failingOnce<P: Publisher>(
  _ type: String, make: @escaping @Sendable (AnyPublisher<Int, TestError>) -> P
) -> VerificationRow where P: SendableMetatype {
  VerificationRow(type, "half of the values after a failure") { count in
    PublisherUnderTest(
      Deferred {
        let turns = Turns()
        return make(
          Deferred {
            turns.next() == 0
              ? numbers(count / 2).append(failure).eraseToAnyPublisher() : numbers(count - count / 2)
          }.eraseToAnyPublisher())
      })
  }
}

private let sharing = [
  VerificationRow("CurrentValueRelay", options: dropping(completes: false)) { count in
    let relay = CurrentValueRelay(0)
    return PublisherUnderTest(relay) {
      for number in 1..<max(1, count) { relay.accept(number) }
    } send: {
      relay.accept(count)
    }
  },
  VerificationRow("PassthroughRelay", options: dropping(completes: false)) { count in
    let relay = PassthroughRelay<Int>()
    return PublisherUnderTest(relay) {
      for number in 0..<count { relay.accept(number) }
    } send: {
      relay.accept(count)
    }
  },
  VerificationRow("ReplaySubject") {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 1)
    subject.send(completion: .failure(TestError()))
    return PublisherUnderTest(subject)
  } publisher: { count in
    let subject = ReplaySubject<Int, TestError>(bufferSize: 0)
    return sending(count, subject, subject)
  },
  VerificationRow("ReplaySubject", "replayed") { count in
    let subject = ReplaySubject<Int, TestError>(bufferSize: count)
    for number in 0..<count { subject.send(number) }
    subject.send(completion: .finished)
    return PublisherUnderTest(subject)
  },
  VerificationRow("ReplaySubject", "within an age") { count in
    let subject = ReplaySubject<Int, TestError>(within: .seconds(1), scheduler: VirtualScheduler())
    return sending(count, subject, subject)
  },
  VerificationRow("Publishers.ShareReplay") { count in
    let subject = Numbers()
    return sending(count, subject, subject.share(replay: 0))
  },
]

private let windows = [
  VerificationRow("Publishers.GroupBy") { $0.groupBy { $0 }.map(\.key) },
  sent("Publishers.GroupBy") { $0[0].groupBy { $0 }.map(\.key) },
  VerificationRow("GroupedPublisher") { $0.groupBy { $0 % 3 }.flatMap { $0 } },
  sent("GroupedPublisher") { $0[0].groupBy { $0 % 3 }.flatMap { $0 } },
  VerificationRow("Publishers.WindowByCount", feed: { 2 * $0 }) { $0.window(count: 2).map { _ in 1 } },
  sent("Publishers.WindowByCount") { $0[0].window(count: 1).flatMap { $0 } },
  VerificationRow("Publishers.WindowByTime") {
    PublisherUnderTest(failure.window(time: .seconds(1), scheduler: TestTimeline().scheduler).dropFirst())
  } publisher: { count in
    let (subject, timeline) = (Numbers(), TestTimeline())
    // The first window is there from the beginning.
    let windows = subject.window(time: .seconds(1), scheduler: timeline.scheduler).dropFirst()
    return PublisherUnderTest(windows) {
      timeline.advance(by: .seconds(count))
      subject.send(completion: .finished)
    }
  },
]
