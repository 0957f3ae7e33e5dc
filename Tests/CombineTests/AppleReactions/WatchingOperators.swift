import InterflowTestSupport
import Combine

extension AppleReactions {
  /// `print` and `handleEvents`.
  static let watchingOperators: [Reaction] =
    standardReactions(of: "Publishers.Print", watching, departures: watchingDepartures) { $0.print(to: Lines()) }
    + [
      Reaction(
        "Publishers.Print", "what is written",
        [
          "receive subscription: (Subscription of upstream)", "request max: (2)", "receive value: (1)",
          "request max: (7) (synchronous)", "request unlimited", "receive finished",
        ]
      ) { log in
        let lines = Lines()
        let stream = LoggedStream(log, demand: .max(2), returns: .max(7)) { $0.print(to: lines) }
        stream.send(1)
        stream.request(.unlimited)
        stream.finish()
        log.replace(with: lines)
      },
      Reaction(
        "Publishers.Print", "what is written with a prefix",
        ["p: receive subscription: (Subscription of upstream)", "p: receive error: (test error)"]
      ) { log in
        let lines = Lines()
        LoggedStream(log) { $0.print("p", to: lines) }.fail()
        log.replace(with: lines)
      },
      Reaction(
        "Publishers.Print", "what is written of a second subscription and after a cancellation",
        [
          "receive subscription: (Subscription of upstream)", "receive subscription: (Subscription of upstream#2)",
          "receive cancel", "receive cancel", "request max: (1)", "receive value: (1)", "receive finished",
        ]
      ) { log in
        let lines = Lines()
        let stream = LoggedStream(log) { $0.print(to: lines) }
        stream.upstream.sendSubscription()
        stream.cancel()
        stream.cancel()
        stream.request(.max(1))
        stream.send(1)
        stream.finish()
        log.replace(with: lines)
      },
    ]
    + standardReactions(
      of: "Publishers.HandleEvents", watching, departures: watchingDepartures
    ) { $0.handleEvents() }
    + reported

  private static let watching = [StandardSituation: StandardReaction].ownSubscription.with([
    .valueBeforeSubscription: .passes, .completionBeforeSubscription: .passes, .requestBeforeSubscription: .isIgnored,
    .cancellationBeforeSubscription: .isForgotten(), .valueAfterCompletion: .isIgnored,
    .completionAfterCompletion: .isIgnored, .valueAfterCancellation: .isIgnored,
    .completionAfterCancellation: .isIgnored, .requestForNone: .isForwarded,
  ])

  private static let watchingDepartures = [StandardSituation: Reaction.Departure].nothing(
    after: .valueAfterCompletion, .completionAfterCompletion, .valueAfterCancellation, .completionAfterCancellation)

  private static func watched(_ log: EventLog, subscribes: Bool = true) -> LoggedStream<Int, TestError> {
    LoggedStream(log, subscribes: subscribes, returns: .max(7)) {
      $0.handleEvents(
        receiveSubscription: { log.add("reported: \($0)") }, receiveOutput: { log.add("reported: \($0)") },
        receiveCompletion: { log.add("reported: \($0)") }, receiveCancel: { log.add("reported: cancel") },
        receiveRequest: { log.add("reported: \($0)") })
    }
  }

  private static let reported: [Reaction] = [
    Reaction(
      "Publishers.HandleEvents", "what is reported before the subscription",
      [
        "reported: 1", "value 1", "reported: max(7)", "upstream gets max(7)", "reported: max(2)", "reported: cancel",
        "reported: Subscription of upstream", "subscription",
      ]
    ) { log in
      let stream = watched(log, subscribes: false)
      stream.send(1)
      stream.request(.max(2))
      stream.cancel()
      stream.upstream.sendSubscription()
    },
    Reaction(
      "Publishers.HandleEvents", "what is reported of a completion before the subscription",
      ["reported: finished", "finished"]
    ) { watched($0, subscribes: false).finish() },
    Reaction(
      "Publishers.HandleEvents", "what is reported of a second subscription",
      ["reported: Subscription of upstream#2", "upstream#2: cancel"]
    ) { log in
      let stream = watched(log)
      log.clear()
      stream.upstream.sendSubscription()
    },
    Reaction(
      "Publishers.HandleEvents", "what is reported of a request for none",
      ["reported: max(0)", "upstream: request max(0)"]
    ) { log in
      let stream = watched(log)
      log.clear()
      stream.request(.none)
    },
    Reaction(
      "Publishers.HandleEvents", "what is reported of a cancellation", ["reported: cancel", "upstream: cancel"]
    ) { log in
      let stream = watched(log)
      log.clear()
      stream.cancel()
      stream.cancel()
    },
  ]
}

extension EventLog {
  /// Compares what was written instead of what happened.
  fileprivate func replace(with lines: Lines) {
    clear()
    for line in lines.text.split(separator: "\n") { add(String(line)) }
  }
}
