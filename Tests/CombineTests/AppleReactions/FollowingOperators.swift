import InterflowTestSupport
import Combine

extension AppleReactions {
  /// Operators that go on with another publisher, or with the same one again.
  static let followingOperators: [Reaction] = catching + retry + concatenate

  private static let needlessTrap = Reaction.Departure(
    apples: "the process stops", because: "the program can go on without that value")

  // MARK: catch, tryCatch

  private static let catching: [Reaction] =
    standardReactions(
      of: "Publishers.Catch", caughtReactions, departures: caughtDepartures
    ) { $0.catch { _ in Just(9) } }
    + caught("Publishers.Catch") { upstream, other in upstream.catch { _ in other } }
    + standardReactions(
      of: "Publishers.TryCatch", caughtReactions, departures: caughtDepartures
    ) { $0.tryCatch { _ in Just(9).setFailureType(to: TestError.self) } }
    + caught("Publishers.TryCatch") { upstream, other in
      upstream.tryCatch { _ in other }.mapError { _ in TestError() }
    }
    + [
      Reaction(
        "Publishers.TryCatch", "signals after the handler has thrown", ["failure thrown"],
        departure: .init(apples: "values are still delivered", because: "nothing follows a completion")
      ) { log in
        let stream = LoggedStream(log, demand: .max(3)) { $0.tryCatch { _ -> Just<Int> in throw TestError("thrown") } }
        log.clear()
        stream.fail()
        stream.send(1)
        stream.finish()
      }
    ]

  private static let caughtReactions: [StandardSituation: StandardReaction] = [
    .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .isIgnored,
    .secondSubscription: .isCancelled, .completionAfterCompletion: .isIgnored, .valueAfterCancellation: .isIgnored,
    .completionAfterCancellation: .isIgnored,
  ]

  private static let caughtDepartures: [StandardSituation: Reaction.Departure] = [
    .valueBeforeSubscription: needlessTrap,
    .valueAfterCancellation: .init(apples: "it passes", because: "nothing follows a cancellation"),
  ]

  private static func caught<P: Publisher & SendableMetatype>(
    _ publisher: String,
    _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>, LoggedUpstream<Int, TestError>) -> P
  ) -> [Reaction] where P.Output == Int, P.Failure == TestError {
    [
      Reaction(publisher, "a failure with demand left", ["other: request max(3)"]) { log in
        let stream = LoggedStream(log, demand: .max(3), returns: .max(1)) { make($0, LoggedUpstream(log, "other")) }
        stream.send(1)
        log.clear()
        stream.fail()
      },
      Reaction(publisher, "a request while the replacement is awaited", ["other: request max(5)"]) { log in
        let other = LoggedUpstream<Int, TestError>(log, "other", subscribes: false)
        let stream = LoggedStream(log, demand: .max(3)) { make($0, other) }
        log.clear()
        stream.fail()
        stream.request(.max(2))
        other.sendSubscription()
      },
      Reaction(publisher, "a value that nobody has requested", ["value 1"], departure: needlessTrap) { log in
        let stream = LoggedStream(log) { make($0, LoggedUpstream(log, "other")) }
        log.clear()
        stream.send(1)
      },
      Reaction(publisher, "a second failure", [], departure: needlessTrap) { log in
        let stream = LoggedStream(log) { make($0, LoggedUpstream(log, "other")) }
        stream.fail()
        log.clear()
        stream.fail()
      },
      Reaction(
        publisher, "a cancellation while the replacement is awaited", ["other: cancel"],
        departure: .init(
          apples: "it is forgotten: the replacement is asked, and its completion delivered",
          because: "nothing follows a cancellation")
      ) { log in
        let other = LoggedUpstream<Int, TestError>(log, "other", subscribes: false)
        let stream = LoggedStream(log, demand: .max(3)) { make($0, other) }
        stream.fail()
        log.clear()
        stream.cancel()
        other.sendSubscription()
        other.send(completion: .finished)
      },
      Reaction(
        publisher, "signals of the replacement after a cancellation", ["other: cancel", "other#2: cancel"],
        departure: .init(apples: "values are still delivered", because: "nothing follows a cancellation")
      ) { log in
        let other = LoggedUpstream<Int, TestError>(log, "other")
        let stream = LoggedStream(log, demand: .max(3)) { make($0, other) }
        stream.fail()
        log.clear()
        stream.cancel()
        other.send(1)
        other.send(completion: .finished)
        other.sendSubscription()
      },
    ]
  }

  // MARK: retry

  private static let retry: [Reaction] =
    standardReactions(
      of: "Publishers.Retry",
      [
        .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .passes,
        .requestBeforeSubscription: .isIgnored, .cancellationBeforeSubscription: .counts,
        .secondSubscription: .isCancelled, .valueAfterCompletion: .isIgnored, .completionAfterCompletion: .isIgnored,
        .valueAfterCancellation: .isIgnored,
      ],
      departures: [.valueBeforeSubscription: needlessTrap]
    ) { $0.retry(1) }
    + [
      Reaction("Publishers.Retry", "a value that brings demand", ["value 1", "upstream: request max(2)"]) { log in
        let stream = LoggedStream(log, demand: .max(3), returns: .max(2)) { $0.retry(1) }
        log.clear()
        stream.send(1)
      },
      Reaction(
        "Publishers.Retry", "a value that brings demand while upstream is subscribed to again",
        ["value 1", "upstream#2: request max(4)"]
      ) { log in
        let stream = LoggedStream(log, subscribes: false, demand: .max(3), returns: .max(2)) { $0.retry(1) }
        stream.upstream.sendSubscription()
        stream.fail()
        log.clear()
        stream.send(1)
        stream.upstream.sendSubscription()
      },
      Reaction("Publishers.Retry", "a value that nobody has requested", ["value 1"], departure: needlessTrap) { log in
        let stream = LoggedStream(log) { $0.retry(1) }
        log.clear()
        stream.send(1)
      },
      Reaction("Publishers.Retry", "a negative count", ["upstream#4: request max(1)"]) { log in
        let stream = LoggedStream(log, demand: .max(1)) { $0.retry(-1) }
        for _ in 0..<3 {
          log.clear()
          stream.fail()
        }
      },
    ]

  // MARK: append, prepend

  private static let concatenate: [Reaction] =
    standardReactions(
      of: "Publishers.Concatenate",
      [
        .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .isIgnored,
        .secondSubscription: .isCancelled, .valueAfterCompletion: .isIgnored, .completionAfterCompletion: .isIgnored,
        .valueAfterCancellation: .isIgnored, .completionAfterCancellation: .isIgnored,
        .requestForNone: .isForwarded,
      ]
    ) { $0.append(Empty<Int, TestError>(completeImmediately: false)) }
    + [
      Reaction("Publishers.Concatenate", "signals of the second before its subscription", []) { log in
        let other = LoggedUpstream<Int, TestError>(log, "other", subscribes: false)
        let stream = LoggedStream(log, demand: .max(2)) { $0.append(other) }
        stream.finish()
        log.clear()
        other.send(1)
        other.send(completion: .finished)
      },
      Reaction("Publishers.Concatenate", "the end of the first with demand left", ["other: request max(6)"]) { log in
        let other = LoggedUpstream<Int, TestError>(log, "other")
        let stream = LoggedStream(log, demand: .max(3)) { $0.append(other) }
        stream.send(1)
        stream.request(.max(4))
        log.clear()
        stream.finish()
      },
      Reaction("Publishers.Concatenate", "a second subscription of the second after its end", ["other#2: cancel"]) {
        log in
        let other = LoggedUpstream<Int, TestError>(log, "other")
        let stream = LoggedStream(log) { $0.append(other) }
        stream.finish()
        other.send(completion: .finished)
        log.clear()
        other.sendSubscription()
      },
      Reaction("Publishers.Concatenate", "a failure of the first", ["failure test error"]) { log in
        let stream = LoggedStream(log) { $0.append(LoggedUpstream(log, "other")) }
        log.clear()
        stream.fail()
      },
      Reaction(
        "Publishers.Concatenate", "a value that nobody has requested", ["value 1", "upstream gets max(7)"],
        departure: .init(apples: "it is dropped", because: "no value is lost")
      ) { log in
        let stream = LoggedStream(log, returns: .max(7)) { $0.append(2) }
        log.clear()
        stream.send(1)
      },
    ]
}
