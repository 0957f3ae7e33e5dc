import Combine

extension AppleReactions {
  /// `collect(_ count:)`, `replaceEmpty` and `replaceError`.
  static let gatheringOperators: [Reaction] = collectByCount + replaceEmpty + replaceError

  private static let collectByCount: [Reaction] =
    standardReactions(
      of: "Publishers.CollectByCount", feed: [1, 2],
      .ownSubscription.with([
        .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .passes,
        .requestBeforeSubscription: .isIgnored, .cancellationBeforeSubscription: .isForgotten(),
        .valueAfterCompletion: .isIgnored, .completionAfterCompletion: .isIgnored,
        .valueAfterCancellation: .isIgnored, .completionAfterCancellation: .isIgnored,
        .requestForNone: .isForwarded,
      ]),
      departures: [
        .completionAfterCompletion: .nothingAfterTheEnd, .completionAfterCancellation: .nothingAfterTheEnd,
        .requestForNone: .noneIsNoMistake,
      ]
    ) { $0.collect(2) }
    + [
      Reaction("Publishers.CollectByCount", "demand returned", ["value [1, 2]", "upstream gets max(14)"]) { log in
        let stream = LoggedStream(log, demand: .max(1), returns: .max(7)) { $0.collect(2) }
        log.clear()
        stream.send(1, 2)
      }
    ]

  private static let replaceEmpty: [Reaction] =
    standardReactions(
      of: "Publishers.ReplaceEmpty",
      .ownSubscription.with([
        .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .isIgnored,
        .requestBeforeSubscription: .isIgnored, .cancellationBeforeSubscription: .isForgotten(),
        .valueAfterCompletion: .isIgnored, .completionAfterCompletion: .isIgnored,
        .valueAfterCancellation: .isIgnored, .completionAfterCancellation: .isIgnored,
        .requestForNone: .isForwarded,
      ]),
      departures: [.cancellationBeforeSubscription: onlyWhatIsAsked, .requestForNone: .noneIsNoMistake]
    ) { $0.replaceEmpty(with: 0) }
    + [
      Reaction(
        "Publishers.ReplaceEmpty", "the subscription", ["subscription", "upstream: request max(42)"],
        departure: onlyWhatIsAsked
      ) { log in
        _ = LoggedStream(log, demand: .max(42)) { $0.replaceEmpty(with: 0) }
      },
      Reaction(
        "Publishers.ReplaceEmpty", "the end of an empty upstream without demand", ["requested", "value 0", "finished"]
      ) { log in
        let stream = LoggedStream(log) { $0.replaceEmpty(with: 0) }
        log.clear()
        stream.finish()
        log.add("requested")
        stream.request(.max(1))
      },
      Reaction("Publishers.ReplaceEmpty", "a failure without demand", ["failure test error"]) { log in
        let stream = LoggedStream(log) { $0.replaceEmpty(with: 0) }
        log.clear()
        stream.fail()
      },
      Reaction("Publishers.ReplaceEmpty", "demand returned", ["value 1", "upstream gets max(7)"]) { log in
        let stream = LoggedStream(log, demand: .max(1), returns: .max(7)) { $0.replaceEmpty(with: 0) }
        log.clear()
        stream.send(1)
      },
    ]

  private static let onlyWhatIsAsked = Reaction.Departure(
    apples: "it requests unlimited demand by itself", because: "values that nobody has requested are not delivered")

  private static let replaceError: [Reaction] =
    standardReactions(
      of: "Publishers.ReplaceError",
      .ownSubscription.with([
        .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .isIgnored,
        .requestBeforeSubscription: .isIgnored, .cancellationBeforeSubscription: .isForgotten(),
        .valueAfterCompletion: .isIgnored, .completionAfterCompletion: .isIgnored,
      ])
    ) { $0.replaceError(with: 0) }
    + [
      Reaction(
        "Publishers.ReplaceError", "a value without demand", ["value 1"],
        departure: .init(apples: "the process stops", because: "a program with a sloppy publisher can go on")
      ) { log in
        let stream = LoggedStream(log) { $0.replaceError(with: 0) }
        log.clear()
        stream.send(1)
      },
      Reaction("Publishers.ReplaceError", "an error without demand", ["requested", "value 0", "finished"]) { log in
        let stream = LoggedStream(log) { $0.replaceError(with: 0) }
        log.clear()
        stream.fail()
        log.add("requested")
        stream.request(.max(1))
      },
    ]
}
