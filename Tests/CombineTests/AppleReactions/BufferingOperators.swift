import Combine
import InterflowTestSupport

extension AppleReactions {
  /// The operator that keeps values until they are requested.
  static let bufferingOperators: [Reaction] = buffered + demandOfBuffer + endsOfBuffer + failuresOfBuffer

  private static func row(
    _ situation: String, _ lines: [String], departure: Reaction.Departure? = nil,
    run: @escaping @Sendable (EventLog) -> Void
  ) -> Reaction {
    Reaction("Publishers.Buffer", situation, lines, departure: departure, run: run)
  }

  /// A stream through a buffer, with an empty log.
  private static func stream(
    _ log: EventLog, demand: Subscribers.Demand = .none, size: Int = 4,
    _ prefetch: Publishers.PrefetchStrategy = .byRequest,
    whenFull: Publishers.BufferingStrategy<TestError> = .dropNewest
  ) -> LoggedStream<Int, TestError> {
    let stream = LoggedStream(log, demand: demand) { $0.buffer(size: size, prefetch: prefetch, whenFull: whenFull) }
    log.clear()
    return stream
  }

  private static let buffered: [Reaction] =
    standardReactions(
      of: "Publishers.Buffer", variant: "by request",
      standard.with([.cancellationBeforeSubscription: .lines(["upstream: request unlimited", "subscription"])])
    ) { $0.buffer(size: 4, prefetch: .byRequest, whenFull: .dropNewest) }
    + standardReactions(
      of: "Publishers.Buffer", variant: "keeping it full",
      standard.with([.cancellationBeforeSubscription: .lines(["upstream: request max(4)", "subscription"])])
    ) { $0.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest) }

  private static let standard = [StandardSituation: StandardReaction].ownSubscription.with([
    .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .isIgnored,
    .requestBeforeSubscription: .isIgnored, .completionAfterCompletion: .isIgnored, .requestForNone: .isIgnored,
  ])

  private static let demandOfBuffer: [Reaction] = [
    row("the order of things, by request", ["upstream: request unlimited", "subscription"]) { log in
      _ = LoggedStream(log) { $0.buffer(size: 4, prefetch: .byRequest, whenFull: .dropNewest) }
    },
    row("the order of things, keeping it full", ["upstream: request max(4)", "subscription"]) { log in
      _ = LoggedStream(log) { $0.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest) }
    },
    row("a value that has been requested, by request", ["value 1"]) { log in stream(log, demand: .max(1)).send(1) },
    row("a value that has been requested, keeping it full", ["value 1", "upstream gets max(1)"]) { log in
      stream(log, demand: .max(1), .keepFull).send(1)
    },
    row(
      "a request for kept values, keeping it full", ["value 1", "value 2", "upstream: request max(2)"]
    ) { log in
      let stream = stream(log, .keepFull)
      stream.send(1, 2, 3)
      stream.request(.max(2))
    },
    row("a request from inside a value", ["value 1", "value 2"]) { log in
      let stream = stream(log)
      stream.downstream.onValue = { if $0 == 1 { stream.request(.max(1)) } }
      stream.send(1, 2, 3)
      stream.request(.max(1))
    },
  ]

  private static let endsOfBuffer: [Reaction] = [
    row("the end with nothing kept and nothing requested", ["requests", "finished"]) { log in
      let stream = stream(log)
      stream.finish()
      log.add("requests")
      stream.request(.max(1))
    },
    row("the end with just as much requested as is kept", ["value 1", "value 2", "requests", "finished"]) { log in
      let stream = stream(log)
      stream.send(1, 2)
      stream.finish()
      stream.request(.max(2))
      log.add("requests")
      stream.request(.max(1))
    },
    row("the end with more requested than is kept", ["value 1", "finished"]) { log in
      let stream = stream(log)
      stream.send(1)
      stream.finish()
      stream.request(.max(2))
    },
    row("a value while the end is held", ["finished"], departure: .nothingAfterTheEnd) { log in
      let stream = stream(log)
      stream.finish()
      stream.send(1)
      stream.request(.max(2))
    },
  ]

  private static let failuresOfBuffer: [Reaction] = [
    row("a failure with nothing kept and nothing requested", ["failure test error"]) { stream($0).fail() },
    row("a failure with kept values that nobody has requested", ["failure test error"]) { log in
      let stream = stream(log)
      stream.send(1, 2)
      stream.fail()
    },
    row("a value after a failure", ["failure test error"]) { log in
      let stream = stream(log, demand: .max(1))
      stream.fail()
      stream.send(1)
    },
    row(
      "a failure from inside a kept value, with more requested",
      ["value 1", "value 2", "value 3", "failure test error"],
      departure: .init(
        apples: "the failure comes before the second value",
        because: "values that have been requested are delivered, and nothing follows a completion")
    ) { log in
      let stream = stream(log, size: 5)
      stream.downstream.onValue = { if $0 == 1 { stream.fail() } }
      stream.send(1, 2, 3, 4, 5)
      stream.request(.max(3))
    },
    row(
      "a full buffer that fails",
      ["upstream: cancel", "value 0", "value 1", "value 2", "requests", "value 3", "value 4", "failure full"],
      departure: .init(
        apples: "the failure comes with the first request, and what is kept then is lost",
        because: "values that the buffer has accepted are delivered")
    ) { log in
      let stream = stream(log, size: 5, whenFull: .customError { TestError("full") })
      for value in 0..<10 { stream.send(value) }
      stream.request(.max(3))
      log.add("requests")
      stream.request(.max(2))
    },
    row(
      "a request for a value of a buffer that was full, and fails, keeping it full", ["upstream: cancel", "value 1"],
      departure: .init(
        apples: "the cancelled upstream is asked for another value", because: "nothing is asked after a cancellation")
    ) { log in
      let stream = stream(log, size: 2, .keepFull, whenFull: .customError { TestError("full") })
      stream.send(1, 2, 3)
      stream.request(.max(1))
    },
    row(
      "a value from inside the closure that makes the error", ["upstream: cancel", "error", "value 1", "failure full"],
      departure: .init(apples: "the process stops", because: "a closure may send")
    ) { log in
      let upstream = LoggedUpstream<Int, TestError>(log)
      let downstream = LoggedDownstream<Int, TestError>(log)
      upstream.buffer(
        size: 1, prefetch: .byRequest,
        whenFull: .customError {
          log.add("error")
          upstream.send(3)
          return TestError("full")
        }
      ).subscribe(downstream)
      log.clear()
      upstream.send(1)
      upstream.send(2)
      downstream.request(.max(2))
    },
  ]
}
