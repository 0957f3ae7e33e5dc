import InterflowTestSupport
import Combine

extension AppleReactions {
  /// Operators that have to do with a scheduler.
  static let schedulingOperators: [Reaction] =
    deliveringOperators + subscribeOn + measureInterval + debounce + throttle + timeout + collectByTime

  /// What all of them make of signals that nobody expects.
  private static let ignored: [StandardSituation: StandardReaction] = [
    .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .isIgnored,
    .requestBeforeSubscription: .isIgnored, .secondSubscription: .isCancelled, .valueAfterCompletion: .isIgnored,
    .completionAfterCompletion: .isIgnored, .valueAfterCancellation: .isIgnored,
    .completionAfterCancellation: .isIgnored,
  ]

  private static func ignored(
    and others: [StandardSituation: StandardReaction]
  ) -> [StandardSituation: StandardReaction] {
    ignored.merging(others) { _, other in other }
  }

  private static let cancelledOnTheWay = Reaction.Departure(
    apples: "the completion is delivered", because: "nothing follows a cancellation")

  // MARK: receive(on:), delay

  private static let deliveringOperators: [Reaction] =
    standardReactions(
      of: "Publishers.ReceiveOn",
      ignored(and: [.cancellationBeforeSubscription: .isForgotten(), .requestForNone: .isForwarded])
    ) { $0.receive(on: ImmediateScheduler.shared) }
    + delivering("Publishers.ReceiveOn") { $0.receive(on: $1) }
    + standardReactions(
      of: "Publishers.Delay",
      ignored(and: [.cancellationBeforeSubscription: .isForgotten(), .requestForNone: .isForwarded])
    ) { $0.delay(for: 1, scheduler: ImmediateScheduler.shared) }
    + delivering("Publishers.Delay") { $0.delay(for: 1, scheduler: $1) }

  private static func delivering<P: Publisher & SendableMetatype>(
    _ publisher: String,
    _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>, VirtualScheduler) -> P
  ) -> [Reaction] where P.Output == Int, P.Failure == TestError {
    [
      Reaction(
        publisher, "a value that is delivered after upstream's completion",
        ["value 1", "upstream: request max(7)", "finished"]
      ) { log in
        let scheduler = VirtualScheduler()
        let stream = LoggedStream(log, returns: .max(7)) { make($0, scheduler) }
        stream.send(1)
        stream.finish()
        log.clear()
        scheduler.run()
      },
      Reaction(
        publisher, "a cancellation while the completion is scheduled", ["upstream: cancel"],
        departure: cancelledOnTheWay
      ) { log in
        let scheduler = VirtualScheduler()
        let stream = LoggedStream(log) { make($0, scheduler) }
        stream.finish()
        log.clear()
        stream.cancel()
        scheduler.run()
      },
    ]
  }

  // MARK: subscribe(on:)

  private static let subscribeOn: [Reaction] =
    standardReactions(
      of: "Publishers.SubscribeOn",
      ignored(and: [.cancellationBeforeSubscription: .isForgotten(), .requestForNone: .isForwarded])
    ) { $0.subscribe(on: ImmediateScheduler.shared) }
    + [
      Reaction(
        "Publishers.SubscribeOn", "a request and then a cancellation",
        ["upstream: request max(1)", "upstream: cancel"]
      ) { log in
        let scheduler = VirtualScheduler()
        let stream = LoggedStream(log) { $0.subscribe(on: scheduler) }
        scheduler.run()
        log.clear()
        stream.request(.max(1))
        stream.cancel()
        scheduler.run()
      },
      Reaction("Publishers.SubscribeOn", "a request and a cancellation after a cancellation", ["0 scheduled"]) { log in
        let scheduler = VirtualScheduler()
        let stream = LoggedStream(log) { $0.subscribe(on: scheduler) }
        scheduler.run()
        stream.cancel()
        scheduler.run()
        log.clear()
        stream.request(.max(1))
        stream.cancel()
        log.add("\(scheduler.scheduled) scheduled")
      },
      Reaction(
        "Publishers.SubscribeOn", "a request from inside a request, on a scheduler that runs at once",
        ["upstream: request max(1)", "upstream: request max(2)"],
        departure: .init(apples: "the process stops", because: "requests may be made from anywhere")
      ) { log in
        let stream = LoggedStream(log) { $0.subscribe(on: ImmediateScheduler.shared) }
        stream.upstream.onRequest = { if $0 == .max(1) { stream.request(.max(2)) } }
        log.clear()
        stream.request(.max(1))
      },
    ]

  // MARK: measureInterval

  private static let measureInterval: [Reaction] =
    standardReactions(
      of: "Publishers.MeasureInterval",
      ignored(and: [.cancellationBeforeSubscription: .isForgotten(), .requestForNone: .isForwarded])
    ) { $0.measureInterval(using: ImmediateScheduler.shared) }
    + [
      Reaction(
        "Publishers.MeasureInterval", "a value that brings demand", ["value 0", "upstream: request max(7)"]
      ) { log in
        let stream = LoggedStream(log, returns: .max(7)) {
          $0.measureInterval(using: ImmediateScheduler.shared).map(\.magnitude)
        }
        log.clear()
        stream.send(1)
      }
    ]

  // MARK: debounce, throttle

  private static let kept = Reaction.Departure(
    apples: "the value is lost", because: "whoever requests late would never see the last value")
  private static let waits = Reaction.Departure(
    apples: "the value is lost and the completion comes at once",
    because: "whoever requests late would never see the last value")

  private static let debounce: [Reaction] =
    standardReactions(of: "Publishers.Debounce", ignored) { $0.debounce(for: 1, scheduler: ImmediateScheduler.shared) }
    + [
      Reaction("Publishers.Debounce", "the options that the scheduler gets", ["label", "none"]) { log in
        let scheduler = VirtualScheduler()
        let stream = LoggedStream(log) { $0.debounce(for: 1, scheduler: scheduler, options: "label") }
        log.clear()
        stream.send(1)
        stream.finish()
        for options in scheduler.options { log.add(options ?? "none") }
      },
      Reaction("Publishers.Debounce", "a completion in the quiet period", ["finished"]) { log in
        let scheduler = VirtualScheduler()
        let stream = LoggedStream(log, demand: .unlimited) { $0.debounce(for: 1, scheduler: scheduler) }
        log.clear()
        stream.send(1)
        stream.finish()
        scheduler.run()
      },
    ] + withoutDemand("Publishers.Debounce") { $0.debounce(for: 1, scheduler: $1) }

  private static let throttle: [Reaction] =
    standardReactions(
      of: "Publishers.Throttle",
      ignored(and: [.cancellationBeforeSubscription: .counts, .requestForNone: .isIgnored])
    ) { $0.throttle(for: 1, scheduler: ImmediateScheduler.shared, latest: true) }
    + withoutDemand("Publishers.Throttle") { $0.throttle(for: 1, scheduler: $1, latest: true) }

  private static func withoutDemand<P: Publisher & SendableMetatype>(
    _ publisher: String,
    _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>, VirtualScheduler) -> P
  ) -> [Reaction] where P.Output == Int, P.Failure == TestError {
    /// Has a value due without demand, and then does something.
    func reaction(
      _ situation: String, _ lines: [String], _ departure: Reaction.Departure,
      _ body: @escaping @Sendable (LoggedStream<Int, TestError>) -> Void
    ) -> Reaction {
      Reaction(publisher, situation, lines, departure: departure) { log in
        let scheduler = VirtualScheduler()
        let stream = LoggedStream(log) { make($0, scheduler) }
        stream.send(1)
        scheduler.advance(by: 1)
        log.clear()
        body(stream)
        scheduler.run()
      }
    }
    return [
      reaction("a request after a value was due", ["value 1"], kept) { $0.request(.max(1)) },
      reaction("a completion after a value was due without demand", [], waits) { $0.finish() },
      reaction("a request after a value was due and upstream has finished", ["value 1", "finished"], waits) {
        $0.finish()
        $0.request(.max(1))
      },
      Reaction(publisher, "a failure after a value was due without demand", ["failure test error"]) { log in
        let scheduler = VirtualScheduler()
        let stream = LoggedStream(log) { make($0, scheduler) }
        stream.send(1)
        scheduler.advance(by: 1)
        log.clear()
        stream.fail()
        scheduler.run()
      },
    ]
  }

  // MARK: timeout

  private static let timeout: [Reaction] =
    standardReactions(
      of: "Publishers.Timeout",
      ignored(and: [.cancellationBeforeSubscription: .isForgotten(), .requestForNone: .isForwarded])
    ) { $0.timeout(5, scheduler: VirtualScheduler()) }
    + [
      Reaction(
        "Publishers.Timeout", "when the timer is set",
        ["again(after: 2.0, every: 2.0)", "again(after: 3.0, every: 2.0)", "cancel(after: 2.0)"]
          + ["again(after: 4.0, every: 2.0)", "cancel(after: 3.0)", "soon"]
      ) { log in
        let scheduler = VirtualScheduler()
        let stream = LoggedStream(log) { $0.timeout(2, scheduler: scheduler) }
        scheduler.advance(by: 1)
        stream.request(.none)
        stream.request(.max(1))
        scheduler.advance(by: 1)
        stream.send(1)
        log.clear()
        for call in scheduler.calls { log.add("\(call)") }
      },
      Reaction("Publishers.Timeout", "the time is up", ["upstream: cancel", "finished"]) { log in
        let scheduler = VirtualScheduler()
        let stream = LoggedStream(log) { $0.timeout(2, scheduler: scheduler) }
        log.clear()
        scheduler.advance(by: 2)
        stream.request(.max(1))
      },
      Reaction(
        "Publishers.Timeout", "a cancellation while the completion is scheduled", ["upstream: cancel"]
      ) { log in
        let scheduler = VirtualScheduler()
        let stream = LoggedStream(log) { $0.timeout(2, scheduler: scheduler) }
        stream.finish()
        log.clear()
        stream.cancel()
        scheduler.run()
      },
      Reaction(
        "Publishers.Timeout", "on a scheduler that runs at once", ["upstream: cancel", "subscription", "finished"],
        departure: .init(apples: "the process stops", because: "a test may well use such a scheduler")
      ) { log in
        let stream = LoggedStream(log) { $0.timeout(2, scheduler: ImmediateScheduler.shared) }
        withExtendedLifetime(stream) {}
      },
    ]

  // MARK: collect(.byTime)

  private static let collectByTime: [Reaction] = [
    Reaction(
      "Publishers.CollectByTime", "two requests and two values",
      ["subscription", "upstream: request unlimited"],
      departure: Reaction.Departure(
        apples: "each request and each value asks for one value",
        because: "a subject behind an operator that delivers later has no demand meanwhile, and drops values")
    ) { log in
      let stream = LoggedStream(log, demand: .none) { $0.collect(.byTime(VirtualScheduler(), 10)).map(\.count) }
      stream.request(.max(2))
      stream.send(1)
      stream.send(2)
      stream.request(.max(5))
    },
    Reaction(
      "Publishers.CollectByTime", "demand returned for a group that the timer has sent",
      ["value 1", "upstream: request max(2)"],
      departure: Reaction.Departure(apples: "upstream is asked for nothing", because: "the groups would stop")
    ) { log in
      let scheduler = VirtualScheduler()
      let stream = LoggedStream(log, demand: .max(1), returns: .max(1)) {
        $0.collect(.byTimeOrCount(scheduler, 10, 2)).map(\.count)
      }
      stream.send(1)
      log.clear()
      scheduler.advance(by: 10)
    },
  ]
}
