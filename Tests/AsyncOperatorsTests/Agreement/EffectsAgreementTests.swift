import AsyncOperators
import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

/// What operators with effects report is the same in both worlds, where the publisher's subscriber requests one value
/// after the other, as a consumer does.
@Suite struct EffectsAgreementTests {
  /// What has been reported, one entry after the other.
  private final class Log: Sendable, TextOutputStream {
    private let entries = Shared<[String]>([])

    var all: [String] { entries.value }
    /// The lines that were written.
    var lines: [String] { all.joined().split(separator: "\n").map(String.init) }

    func write(_ string: String) { entries.update { $0.append(string) } }
  }

  /// Requests values one after the other, or all at once.
  private final class Consumer<Input>: Subscriber {
    typealias Failure = TestError

    private let demand: Subscribers.Demand
    private(set) var subscription: (any Subscription)?

    init(_ demand: Subscribers.Demand) { self.demand = demand }

    func receive(subscription: any Subscription) {
      self.subscription = subscription
      subscription.request(demand)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      if demand != .unlimited { subscription?.request(demand) }
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) { subscription = nil }
  }

  /// Some end before this, and others are cancelled.
  private static let seeds = 0..<UInt64(150)
  private static let horizon = VirtualTime.zero.advanced(by: 100)

  private func published(
    _ diagrams: RandomDiagrams, demand: Subscribers.Demand = .max(1),
    _ observe: (MarblePublisher<Int, TestError>, Log) -> some Publisher<Int, TestError>
  ) throws -> Log {
    let log = Log()
    let timeline = TestTimeline()
    let consumer = Consumer<Int>(demand)
    observe(try diagrams.publishers(on: timeline).a, log).subscribe(consumer)
    timeline.advance(to: Self.horizon)
    consumer.subscription?.cancel()
    return log
  }

  private func iterated<S: AsyncSequence & SendableMetatype>(
    _ diagrams: RandomDiagrams, _ observe: (MarbleSequence<Int, TestError>, Log) -> S
  ) throws -> Log {
    let log = Log()
    let timeline = TestTimeline()
    let iteration = RecordingIteration(of: observe(try diagrams.sequences(on: timeline).a, log), on: timeline)
    iteration.start()
    timeline.advance(to: Self.horizon)
    iteration.cancel()
    timeline.advance()
    return log
  }

  private static func observed(
    _ base: MarblePublisher<Int, TestError>, _ log: Log
  ) -> Publishers.HandleEvents<MarblePublisher<Int, TestError>> {
    base.handleEvents(
      receiveSubscription: { _ in log.write("begin") }, receiveOutput: { log.write("\($0)") },
      receiveCompletion: { completion in
        switch completion {
        case .finished: log.write("finished")
        case .failure: log.write("failed")
        }
      }, receiveCancel: { log.write("cancel") }, receiveRequest: { log.write("request \($0)") })
  }

  private static func observed(
    _ base: MarbleSequence<Int, TestError>, _ log: Log
  ) -> AsyncHandleEventsSequence<MarbleSequence<Int, TestError>> {
    base.handleEvents(
      receiveSubscription: { log.write("begin") }, receiveOutput: { log.write("\($0)") },
      receiveCompletion: { completion in
        switch completion {
        case .finished: log.write("finished")
        case .failure: log.write("failed")
        }
      }, receiveCancel: { log.write("cancel") }, receiveRequest: { log.write("request max(1)") })
  }

  @Test func theClosuresOfHandleEventsAreCalledInTheSameOrder() throws {
    for seed in Self.seeds {
      let diagrams = RandomDiagrams(seed: seed, count: 1)
      let published = try published(diagrams, Self.observed)
      let iterated = try iterated(diagrams, Self.observed)
      #expect(published.all == iterated.all, "a: \(diagrams.a)")
    }
  }

  /// A subscriber can request all values at once; a consumer requests each.
  @Test func theClosuresOfHandleEventsDifferInRequests() throws {
    for seed in Self.seeds {
      let diagrams = RandomDiagrams(seed: seed, count: 1)
      let published = try published(diagrams, demand: .unlimited, Self.observed).all
      let iterated = try iterated(diagrams, Self.observed).all
      #expect(published.filter { $0.hasPrefix("request") } == ["request unlimited"], "a: \(diagrams.a)")
      #expect(
        published.filter { !$0.hasPrefix("request") } == iterated.filter { !$0.hasPrefix("request") },
        "a: \(diagrams.a)")
    }
  }

  @Test(arguments: ["", "numbers"]) func printWritesTheSameLines(prefix: String) throws {
    for seed in Self.seeds {
      let diagrams = RandomDiagrams(seed: seed, count: 1)
      let published = try published(diagrams) { $0.print(prefix, to: $1) }.lines
      let iterated = try iterated(diagrams) { $0.print(prefix, to: $1) }.lines
      // The first line has the description of a subscription, and the type of the base where there is none.
      let begin = (prefix.isEmpty ? "" : "\(prefix): ") + "receive subscription: ("
      #expect(published.first?.hasPrefix(begin) == true && iterated.first?.hasPrefix(begin) == true)
      #expect(published.dropFirst() == iterated.dropFirst(), "a: \(diagrams.a)")
    }
  }

  /// A subscriber can request all values at once; a consumer requests each.
  @Test func printDiffersInRequests() throws {
    for seed in Self.seeds {
      let diagrams = RandomDiagrams(seed: seed, count: 1)
      let published = try published(diagrams, demand: .unlimited) { $0.print(to: $1) }.lines.dropFirst()
      let iterated = try iterated(diagrams) { $0.print(to: $1) }.lines.dropFirst()
      #expect(published.filter { $0.hasPrefix("request") } == ["request unlimited"], "a: \(diagrams.a)")
      #expect(
        published.filter { !$0.hasPrefix("request") } == iterated.filter { !$0.hasPrefix("request") },
        "a: \(diagrams.a)")
    }
  }
}
