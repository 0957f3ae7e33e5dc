import InterflowTestSupport
import Combine

extension AppleReactions {
  /// Operators that take values at any time before the end.
  static let transformingOperators: [Reaction] =
    [
      lenientOperator("Publishers.TryMap", early: false) { $0.tryMap { $0 } },
      lenientOperator("Publishers.TryScan", early: false) { $0.tryScan(0) { $1 } },
      lenientOperator("Publishers.Encode", delivery: "#1", early: true) { $0.encode(encoder: TextCoder()) },
      lenientOperator("Publishers.Decode", delivery: "1", early: true) {
        $0.decode(type: Int.self, decoder: IntDecoder())
      },
      lenientOperator("Publishers.Output", "output(in:)", early: false) { $0.output(in: 0..<2) },
      lenientOperator("Publishers.Output", "prefix(_:)", early: false) { $0.prefix(2) },
      throwing("Publishers.TryMap", departure: goesOn) {
        $0.tryMap { _ in throw TestError() } as Publishers.TryMap<_, Int>
      },
      throwing("Publishers.TryScan", departure: goesOn) { $0.tryScan(0) { _, _ in throw TestError() } },
      throwing("Publishers.Decode") { $0.decode(type: Int.self, decoder: IntDecoder(fails: true)) },
      earlyErrors, ranges, dropping,
    ].flatMap { $0 }

  private struct IntDecoder: TopLevelDecoder {
    var fails = false

    func decode<T: Decodable>(_ type: T.Type, from number: Int) throws -> T {
      guard !fails, let value = number as? T else { throw TestError() }
      return value
    }
  }

  private static let goesOn = Reaction.Departure(
    apples: "later values are still transformed and delivered",
    because: Reaction.Departure.nothingAfterTheEnd.reason)

  /// - Parameter early: Whether completions pass before the subscription, as values do.
  private static func lenientOperator<P: Publisher & SendableMetatype>(
    _ publisher: String, _ variant: String = "", delivery: String = "1", early: Bool,
    _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>) -> P
  ) -> [Reaction] {
    standardReactions(
      of: publisher, variant: variant, delivery: ["value \(delivery)", "upstream gets max(7)"],
      .ownSubscription.with([
        .valueBeforeSubscription: .passes, .completionBeforeSubscription: early ? .passes : .isIgnored,
        .requestBeforeSubscription: .isIgnored, .cancellationBeforeSubscription: .isForgotten(),
        .valueAfterCompletion: .isIgnored, .completionAfterCompletion: .isIgnored,
        .valueAfterCancellation: .isIgnored, .completionAfterCancellation: .isIgnored,
      ]), departures: early ? [:] : .nothing(after: .valueAfterCompletion, .valueAfterCancellation), make: make)
  }

  /// What an operator does whose closure throws.
  static func throwing<P: Publisher & SendableMetatype>(
    _ publisher: String, _ variant: String = "", departure: Reaction.Departure? = nil,
    _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>) -> P
  ) -> [Reaction] {
    let suffix = variant.isEmpty ? "" : ", \(variant)"
    return [
      Reaction(publisher, "an error thrown" + suffix, ["upstream: cancel", "failure test error"]) { log in
        let stream = LoggedStream(log, demand: .max(2), make)
        stream.upstream.onCancel = { stream.request(.max(3)) }
        log.clear()
        stream.send(1)
      },
      Reaction(publisher, "signals after an error thrown" + suffix, [], departure: departure) { log in
        let stream = LoggedStream(log, demand: .max(2), make)
        stream.send(1)
        log.clear()
        stream.send(1)
        stream.finish()
        stream.fail()
        stream.cancel()
        stream.request(.max(1))
      },
    ]
  }

  private static let earlyErrors: [Reaction] = [
    Reaction(
      "Publishers.Decode", "an error thrown before the subscription", ["failure test error", "upstream: cancel"]
    ) { log in
      let stream = LoggedStream(log, subscribes: false) {
        $0.decode(type: Int.self, decoder: IntDecoder(fails: true))
      }
      stream.send(1)
      stream.send(1)
      stream.upstream.sendSubscription()
    }
  ]

  private static let ranges: [Reaction] = [
    Reaction(
      "Publishers.Output", "the last value", ["value 2", "upstream: cancel", "finished", "upstream gets max(7)"]
    ) { log in
      let stream = LoggedStream(log, demand: .max(2), returns: .max(7)) { $0.output(at: 1) }
      stream.send(1)
      log.clear()
      stream.send(2)
    },
    Reaction("Publishers.Output", "a value before the range", ["upstream gets max(1)"]) { log in
      let stream = LoggedStream(log, demand: .max(2), returns: .max(7)) { $0.output(at: 1) }
      log.clear()
      stream.send(1)
    },
    Reaction(
      "Publishers.Output", "the whole range before the subscription",
      [
        "upstream gets max(1)", "value 2", "upstream gets max(7)", "subscription", "upstream: request max(2)",
        "finished",
      ]
    ) { log in
      let stream = LoggedStream(log, subscribes: false, demand: .max(2), returns: .max(7)) { $0.output(at: 1) }
      stream.send(1, 2, 3)
      stream.upstream.sendSubscription()
      stream.send(4)
      stream.finish()
    },
  ]

  private static let dropping: [Reaction] =
    standardReactions(
      of: "Publishers.Drop", feed: [1, 2], delivery: ["value 2", "upstream gets max(7)"],
      .ownSubscription.with([
        .valueBeforeSubscription: .passes, .completionBeforeSubscription: .passes,
        .requestBeforeSubscription: .isIgnored, .cancellationBeforeSubscription: .counts,
        .valueAfterCompletion: .isIgnored, .completionAfterCompletion: .isIgnored, .requestForNone: .isForwarded,
      ]),
      departures: [
        .cancellationBeforeSubscription: .init(
          apples: "forgotten", because: "the subscriber has its subscription already, and would still get values"),
        .valueAfterCompletion: .nothingAfterTheEnd, .completionAfterCompletion: .nothingAfterTheEnd,
        .subscriptionAfterCompletion: .init(
          apples: "accepted", because: Reaction.Departure.nothingAfterTheEnd.reason),
        .requestForNone: .noneIsNoMistake,
      ]
    ) { $0.dropFirst() }
    + [
      Reaction(
        "Publishers.Drop", "the subscription is sent before upstream is subscribed to",
        ["subscription", "upstream: request max(14)"]
      ) { log in
        let stream = LoggedStream(log, subscribes: false, demand: .max(7)) { $0.dropFirst(4) }
        stream.request(.max(3))
        stream.upstream.sendSubscription()
      },
      Reaction(
        "Publishers.Drop", "values before the subscription are counted", ["upstream: request max(2)", "value 4"]
      ) { log in
        let stream = LoggedStream(log, subscribes: false) { $0.dropFirst(3) }
        log.clear()
        stream.send(1)
        stream.upstream.sendSubscription()
        stream.send(2, 3, 4)
      },
      Reaction("Publishers.Drop", "making one with a negative count", []) { log in
        let upstream = LoggedUpstream<Int, TestError>(log)
        _ = upstream.dropFirst(-1)
      },
      Reaction(
        "Publishers.Drop", "subscribing to one with a negative count",
        .traps("dropFirst cannot drop a negative number of values, but was to drop -1")
      ) { log in
        _ = LoggedStream(log) { $0.dropFirst(-1) }
      },
    ]
}
