import Combine
import InterflowTestSupport
import Foundation

extension AppleReactions {
  /// Where streams begin, and `objectWillChange`.
  static let origins: [Reaction] = [sequences, singleValues, ends, objects].flatMap { $0 }

  private static func attached<P: Publisher>(
    _ log: EventLog, _ publisher: P, demand: Subscribers.Demand = .none
  ) -> LoggedDownstream<P.Output, P.Failure> {
    let downstream = LoggedDownstream<P.Output, P.Failure>(log, demand: demand)
    publisher.subscribe(downstream)
    return downstream
  }

  /// The row of a request for none that nothing comes of.
  private static func noneIsIgnored<P: Publisher & SendableMetatype>(
    _ publisher: String, _ make: @escaping @Sendable () -> P
  ) -> Reaction {
    Reaction(publisher, StandardSituation.requestForNone.rawValue, []) { log in
      let downstream = LoggedDownstream<P.Output, P.Failure>(log)
      downstream.onSubscription = { $0.request(.none) }
      make().subscribe(downstream)
      log.clear()
      downstream.request(.none)
    }
  }

  /// The row of a request for none that stops the process.
  private static func noneTraps<P: Publisher & SendableMetatype>(
    _ publisher: String, _ make: @escaping @Sendable () -> P
  ) -> Reaction {
    Reaction(publisher, StandardSituation.requestForNone.rawValue, .traps("a request must ask for at least one value"))
    {
      attached($0, make()).request(.none)
    }
  }

  /// The row of a subscription's descriptions: before the first request, and after the end or a cancellation.
  private static func describes<P: Publisher & SendableMetatype>(
    _ publisher: String, _ variant: String = "", as descriptions: [String], _ make: @escaping @Sendable () -> P
  ) -> Reaction {
    Reaction(publisher, "the subscription's description" + (variant.isEmpty ? "" : ", \(variant)"), descriptions) {
      log in
      let (completed, cancelled) = (attached(log, make()), attached(log, make()))
      let first = completed.subscription.map { "\($0)" } ?? "none"
      completed.request(.unlimited)
      cancelled.cancel()
      log.clear()
      log.add(first)
      log.add(completed.subscription.map { "\($0)" } ?? "none")
      log.add(cancelled.subscription.map { "\($0)" } ?? "none")
    }
  }

  private static func record(_ output: [Int]) -> Record<Int, Never> { Record(output: output, completion: .finished) }

  private static let sequences: [Reaction] = [
    noneIsIgnored("Publishers.Sequence") { [1, 2].publisher },
    noneIsIgnored("Record") { record([1, 2]) },
    describes("Publishers.Sequence", as: ["1...5", "Sequence", "Sequence"]) { (1...5).publisher },
    describes("Publishers.Sequence", "empty", as: ["Empty", "Empty", "Empty"]) { [Int]().publisher },
    describes("Record", as: ["[1, 2]", "Cancelled Events", "Cancelled Events"]) { record([1, 2]) },
    describes("Record", "empty", as: ["Empty", "Empty", "Empty"]) { record([]) },
    Reaction("Record", "a value given to a decoded recording", .traps("a recording cannot receive a value")) { _ in
      let data = try! JSONEncoder().encode(Record<Int, TestError>.Recording(output: [1]))
      var recording = try! JSONDecoder().decode(Record<Int, TestError>.Recording.self, from: data)
      recording.receive(2)
    },
    Reaction("Record", "a value given to a recording that was copied out", ["[1, 2]"]) { log in
      var recording = record([1]).recording
      recording.receive(2)
      log.add("\(recording.output)")
    },
  ]

  private static let singleValues: [Reaction] =
    [
      noneTraps("Just") { Just(1) },
      noneTraps("Optional.Publisher") { Optional(1).publisher },
      noneTraps("Result.Publisher") { Result<Int, TestError>.success(1).publisher },
      describes("Just", as: ["Just", "Just", "Just"]) { Just(1) },
      describes("Optional.Publisher", as: ["Optional", "Optional", "Optional"]) { Optional(1).publisher },
      describes("Result.Publisher", as: ["Once", "Once", "Once"]) { Result<Int, TestError>.success(1).publisher },
      output("Just", in: 0..<0, gives: 1) { Just(1).output(in: $0).output },
      output("Just", in: 0..<3, gives: 1) { Just(1).output(in: $0).output },
      output("Just", in: 1..<2, gives: nil) { Just(1).output(in: $0).output },
      output("Just", in: -1..<0, gives: nil) { Just(1).output(in: $0).output },
      output("Just", in: -1..<2, gives: nil) { Just(1).output(in: $0).output },
      output("Optional.Publisher", in: 0..<(Int.max - 2), gives: 1) { Optional(1).publisher.output(in: $0).output },
      output(
        "Optional.Publisher", in: 0..<(Int.max - 1), gives: 1,
        departure: .init(
          apples: "the process stops", because: "the range is as good as any other")
      ) { Optional(1).publisher.output(in: $0).output },
      Reaction(
        "Optional.Publisher", "a range that begins below zero", .traps("the index of a value cannot be negative")
      ) {
        _ in _ = Optional(1).publisher.output(in: -1..<2)
      },
      Reaction("Just", "making one without a negative number of values", .traps("cannot be negative")) { _ in
        _ = Just(1).dropFirst(-1)
      },
    ]

  private static func output(
    _ publisher: String, in range: Range<Int>, gives output: Int?, departure: Reaction.Departure? = nil,
    _ make: @escaping @Sendable (Range<Int>) -> Int?
  ) -> Reaction {
    Reaction(publisher, "the output in \(range)", [output.map { "\($0)" } ?? "none"], departure: departure) { log in
      log.add(make(range).map { "\($0)" } ?? "none")
    }
  }

  private static let ends: [Reaction] = [
    describes("Fail", as: ["Empty", "Empty", "Empty"]) { Fail<Int, TestError>(error: TestError()) },
    describes("Empty", as: ["Empty", "Empty", "Empty"]) { Empty<Int, Never>() },
    describes("Result.Publisher", "failed", as: ["Empty", "Empty", "Empty"]) {
      Result<Int, TestError>.failure(TestError()).publisher
    },
    describes("Optional.Publisher", "empty", as: ["Empty", "Empty", "Empty"]) { Int?.none.publisher },
  ]

  private static let objects: [Reaction] = [
    Reaction(
      "ObservableObjectPublisher", "signals beyond the demand", ["value ()", "value ()", "value ()"]
    ) { log in
      let publisher = ObservableObjectPublisher()
      let downstream = attached(log, publisher, demand: .max(1))
      log.clear()
      for _ in 0..<3 { publisher.send() }
      downstream.cancel()
    },
    Reaction("ObservableObjectPublisher", "signals before any request", []) { log in
      let publisher = ObservableObjectPublisher()
      let downstream = attached(log, publisher)
      log.clear()
      publisher.send()
      downstream.cancel()
    },
  ]
}
