import InterflowTestSupport
import Combine

extension AppleReactions {
  /// Operators that wait for the first value of another publisher.
  static let untilOutputOperators: [Reaction] = dropUntilOutput + prefixUntilOutput

  private typealias Other = LoggedUpstream<Int, TestError>

  private static let afterTheEnd = Reaction.Departure(
    apples: "it passes once the other publisher has delivered", because: "nothing follows a completion")
  private static let leftRunning = Reaction.Departure(
    apples: "the other publisher is not cancelled", because: "nobody needs what still runs")

  // MARK: drop(untilOutputFrom:)

  private static let dropUntilOutput: [Reaction] =
    standardReactions(
      of: "Publishers.DropUntilOutput",
      [
        .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .lines(["other: cancel", "finished"]),
        .requestBeforeSubscription: .isIgnored,
        .cancellationBeforeSubscription: .lines(["other: cancel", "upstream: cancel"]),
        .secondSubscription: .isCancelled, .valueAfterCompletion: .isIgnored, .completionAfterCompletion: .isIgnored,
        .valueAfterCancellation: .isIgnored, .completionAfterCancellation: .isIgnored, .requestForNone: .isIgnored,
      ],
      departures: [
        .valueBeforeSubscription: .init(
          apples: "the process stops", because: "the program can go on without that value"),
        .valueAfterCompletion: afterTheEnd,
        .completionAfterCompletion: .init(apples: "it passes", because: "nothing follows a completion"),
      ]
    ) { $0.drop(untilOutputFrom: Other($0.log, "other")) }
    + [
      Reaction(
        "Publishers.DropUntilOutput", "the order of things",
        ["subscription", "other: request max(1)", "upstream: request max(5)"]
      ) { log in
        let stream = LoggedStream(log, demand: .max(5)) { $0.drop(untilOutputFrom: Other(log, "other")) }
        withExtendedLifetime(stream) {}
      },
      Reaction("Publishers.DropUntilOutput", "a cancellation", ["upstream: cancel", "other: cancel"]) { log in
        let stream = LoggedStream(log) { $0.drop(untilOutputFrom: Other(log, "other")) }
        log.clear()
        stream.cancel()
      },
      Reaction(
        "Publishers.DropUntilOutput", "the other delivers before upstream's subscription, and then upstream",
        ["other: cancel", "value 2", "upstream: request max(1)"], departure: leftRunning
      ) { log in
        let other = Other(log, "other")
        let stream = LoggedStream(log, subscribes: false, demand: .max(2)) { $0.drop(untilOutputFrom: other) }
        log.clear()
        other.send(1)
        stream.send(2)
        stream.upstream.sendSubscription()
      },
      Reaction(
        "Publishers.DropUntilOutput", "the other delivers after a value was dropped",
        ["other: cancel", "upstream: request max(1)"],
        departure: .init(
          apples: "the other publisher is not cancelled, and the dropped value uses up demand",
          because: "the subscriber gets what it has requested, and nobody needs what still runs")
      ) { log in
        let other = Other(log, "other")
        let stream = LoggedStream(log, demand: .max(2)) { $0.drop(untilOutputFrom: other) }
        log.clear()
        stream.send(1)
        other.send(1)
      },
      Reaction(
        "Publishers.DropUntilOutput", "the other finishes without a value, and goes on",
        ["upstream: cancel", "finished"],
        departure: .init(apples: "later values and completions pass", because: "nothing follows a completion")
      ) { log in
        let other = Other(log, "other")
        let stream = LoggedStream(log, demand: .max(2)) { $0.drop(untilOutputFrom: other) }
        log.clear()
        other.send(completion: .finished)
        other.send(1)
        other.send(completion: .finished)
        stream.send(1)
        stream.finish()
      },
      Reaction(
        "Publishers.DropUntilOutput", "the other finishes before its subscription", ["upstream: cancel", "finished"]
      ) {
        log in
        let other = Other(log, "other", subscribes: false)
        let stream = LoggedStream(log) { $0.drop(untilOutputFrom: other) }
        log.clear()
        other.send(completion: .finished)
        withExtendedLifetime(stream) {}
      },
      Reaction(
        "Publishers.DropUntilOutput", "the other finishes before upstream's subscription",
        ["finished", "upstream: cancel"],
        departure: .init(
          apples: "upstream's subscription is accepted and asked", because: "nobody needs what still runs")
      ) { log in
        let other = Other(log, "other")
        let stream = LoggedStream(log, subscribes: false, demand: .max(2)) { $0.drop(untilOutputFrom: other) }
        log.clear()
        other.send(completion: .finished)
        stream.upstream.sendSubscription()
      },
      Reaction("Publishers.DropUntilOutput", "a second subscription of the other", ["other#2: cancel"]) { log in
        let other = Other(log, "other")
        let stream = LoggedStream(log) { $0.drop(untilOutputFrom: other) }
        log.clear()
        other.sendSubscription()
        withExtendedLifetime(stream) {}
      },
    ]

  // MARK: prefix(untilOutputFrom:)

  private static let prefixUntilOutput: [Reaction] =
    standardReactions(
      of: "Publishers.PrefixUntilOutput",
      [
        .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .lines(["other: cancel"]),
        .requestBeforeSubscription: .isIgnored,
        .cancellationBeforeSubscription: .lines(["other: cancel", "upstream: cancel"]),
        .secondSubscription: .isCancelled, .valueAfterCompletion: .isIgnored, .completionAfterCompletion: .isIgnored,
        .requestForNone: .isForwarded,
      ]
    ) { $0.prefix(untilOutputFrom: Other($0.log, "other")) }
    + [
      Reaction("Publishers.PrefixUntilOutput", "a cancellation", ["upstream: cancel", "other: cancel"]) { log in
        let stream = LoggedStream(log) { $0.prefix(untilOutputFrom: Other(log, "other")) }
        log.clear()
        stream.cancel()
      },
      Reaction("Publishers.PrefixUntilOutput", "upstream's end", ["other: cancel", "finished"]) { log in
        let stream = LoggedStream(log) { $0.prefix(untilOutputFrom: Other(log, "other")) }
        log.clear()
        stream.finish()
      },
      Reaction(
        "Publishers.PrefixUntilOutput", "the other delivers", ["other: cancel", "upstream: cancel", "finished"],
        departure: leftRunning
      ) { log in
        let other = Other(log, "other")
        let stream = LoggedStream(log) { $0.prefix(untilOutputFrom: other) }
        log.clear()
        other.send(1)
        withExtendedLifetime(stream) {}
      },
      Reaction(
        "Publishers.PrefixUntilOutput", "the other delivers before upstream's subscription",
        ["other: cancel", "subscription", "finished", "upstream: cancel"],
        departure: .init(
          apples: "the completion comes without a subscription, and the other publisher is not cancelled",
          because: "a subscription comes before everything else, and nobody needs what still runs")
      ) { log in
        let other = Other(log, "other")
        let stream = LoggedStream(log, subscribes: false) { $0.prefix(untilOutputFrom: other) }
        log.clear()
        other.send(1)
        stream.upstream.sendSubscription()
      },
      Reaction("Publishers.PrefixUntilOutput", "signals of the other before its subscription", []) { log in
        let other = Other(log, "other", subscribes: false)
        let stream = LoggedStream(log) { $0.prefix(untilOutputFrom: other) }
        log.clear()
        other.send(1)
        other.send(completion: .finished)
        withExtendedLifetime(stream) {}
      },
      Reaction("Publishers.PrefixUntilOutput", "the other finishes, and delivers afterwards", []) { log in
        let other = Other(log, "other")
        let stream = LoggedStream(log) { $0.prefix(untilOutputFrom: other) }
        log.clear()
        other.send(completion: .finished)
        other.send(1)
        withExtendedLifetime(stream) {}
      },
      Reaction("Publishers.PrefixUntilOutput", "a second subscription of the other", ["other#2: cancel"]) { log in
        let other = Other(log, "other")
        let stream = LoggedStream(log) { $0.prefix(untilOutputFrom: other) }
        log.clear()
        other.sendSubscription()
        withExtendedLifetime(stream) {}
      },
    ]
}
