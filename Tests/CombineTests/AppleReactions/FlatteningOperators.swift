import Combine
import InterflowTestSupport

extension AppleReactions {
  /// Operators that subscribe to the publishers that come from upstream.
  static let flatteningOperators: [Reaction] = flatMap + switchToLatest

  private typealias Child = LoggedUpstream<Int, TestError>

  private static let noneTraps = StandardReaction.traps("a request must ask for at least one value")
  private static let needlessTrap = Reaction.Departure(
    apples: "the process stops", because: "the program can go on without that signal")
  private static let earlyValue = Reaction.Departure(
    apples: "it is ignored", because: "no value is lost")
  private static let leftRunning = Reaction.Departure(
    apples: "it is left running", because: "nobody needs what still runs")

  /// A row of an operator that has subscribed to these children, one after the other.
  private static func reaction<P: Publisher & SendableMetatype>(
    _ publisher: String, _ situation: String, _ lines: [String], demand: Subscribers.Demand = .unlimited,
    children: Int = 1, childSubscribes: Bool = true, departure: Reaction.Departure? = nil,
    _ make: @escaping @Sendable (AnyPublisher<Child, TestError>) -> P,
    run: @escaping @Sendable (LoggedStream<Int, TestError>, [Child]) -> Void
  ) -> Reaction where P.Output == Int, P.Failure == TestError {
    Reaction(publisher, situation, lines, departure: departure) { log in
      let all = (0..<3).map { Child(log, "child \($0)", subscribes: childSubscribes) }
      let stream = LoggedStream(log, demand: demand) { upstream in
        make(upstream.map { all[$0] }.eraseToAnyPublisher())
      }
      for index in 0..<children { stream.send(index) }
      log.clear()
      run(stream, all)
    }
  }

  // MARK: flatMap

  private static func flat(
    _ situation: String, _ lines: [String], children: Int = 1, departure: Reaction.Departure? = nil,
    run: @escaping @Sendable (LoggedStream<Int, TestError>, [Child]) -> Void
  ) -> Reaction {
    reaction(
      "Publishers.FlatMap", situation, lines, children: children, departure: departure,
      { $0.flatMap(maxPublishers: .max(2)) { $0 } }, run: run)
  }

  private static let flatMap: [Reaction] =
    standardReactions(
      of: "Publishers.FlatMap",
      .ownSubscription.with([
        .valueBeforeSubscription: .lines(["child: request max(1)"]), .completionBeforeSubscription: .passes,
        .valueAfterCompletion: .isIgnored, .completionAfterCompletion: .isIgnored, .requestForNone: noneTraps,
      ]),
      departures: [.valueBeforeSubscription: earlyValue]
    ) { upstream in upstream.flatMap { _ in Child(upstream.log, "child") } }
    + [
      Reaction("Publishers.FlatMap", "the order of things", ["subscription", "upstream: request unlimited"]) { log in
        _ = LoggedStream(log) { $0.flatMap { Just($0) } }
      },
      Reaction("Publishers.FlatMap", "the subscription before upstream's", ["subscription"]) { log in
        _ = LoggedStream(log, subscribes: false) { $0.flatMap { Just($0) } }
      },
      flat(
        "a failure of a child", ["child 1: cancel", "upstream: cancel", "failure test error"], children: 2,
        departure: .init(apples: "upstream is not cancelled", because: "nobody needs what still runs")
      ) { _, children in
        children[0].send(completion: .failure(TestError()))
      },
      flat("a failure of upstream, and a value after it", ["child 0: cancel", "failure test error"]) { stream, _ in
        stream.fail()
        stream.send(1)
      },
      flat("a cancellation", ["child 0: cancel", "child 1: cancel", "upstream: cancel"], children: 2) { stream, _ in
        stream.cancel()
      },
      flat(
        "a value of a child after its end", ["upstream: request max(1)"], departure: .nothingAfterTheEnd
      ) { _, children in
        children[0].send(completion: .finished)
        children[0].send(1)
      },
      flat(
        "two completions of a child", ["upstream: request max(1)"],
        departure: .init(apples: "each makes room for another child", because: "a child ends once")
      ) { _, children in
        children[0].send(completion: .finished)
        children[0].send(completion: .finished)
      },
      flat(
        "a value of the failing child from inside the failure", ["upstream: cancel", "failure test error"],
        departure: .nothingAfterTheEnd
      ) { stream, children in
        stream.downstream.onCompletion = { _ in children[0].send(1) }
        children[0].send(completion: .failure(TestError()))
      },
      flat(
        "a second failure of upstream from inside a child's cancellation", ["child 0: cancel", "failure test error"],
        departure: needlessTrap
      ) { stream, children in
        children[0].onCancel = { stream.fail() }
        stream.fail()
      },
    ]

  // MARK: switchToLatest

  private static func latest(
    _ situation: String, _ lines: [String], demand: Subscribers.Demand = .max(3), childSubscribes: Bool = true,
    departure: Reaction.Departure? = nil, run: @escaping @Sendable (LoggedStream<Int, TestError>, [Child]) -> Void
  ) -> Reaction {
    reaction(
      "Publishers.SwitchToLatest", situation, lines, demand: demand, childSubscribes: childSubscribes,
      departure: departure, { $0.switchToLatest() }, run: run)
  }

  private static let switchToLatest: [Reaction] =
    standardReactions(
      of: "Publishers.SwitchToLatest",
      .ownSubscription.with([
        .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .passes,
        .valueAfterCompletion: .isIgnored, .completionAfterCompletion: .isIgnored,
        .valueAfterCancellation: .isIgnored, .completionAfterCancellation: .isIgnored, .requestForNone: noneTraps,
      ]),
      departures: .nothing(after: .completionAfterCompletion)
    ) { upstream in upstream.map { _ in Child(upstream.log, "child") }.switchToLatest() }
    + [
      Reaction("Publishers.SwitchToLatest", "the order of things", ["subscription", "upstream: request unlimited"]) {
        log in
        _ = LoggedStream(log) { $0.map { Just($0) }.switchToLatest() }
      },
      Reaction("Publishers.SwitchToLatest", "the subscription before upstream's", ["subscription"]) { log in
        _ = LoggedStream(log, subscribes: false) { $0.map { Just($0) }.switchToLatest() }
      },
      latest("another child", ["child 0: cancel", "child 1: request max(2)"]) { stream, children in
        children[0].send(7)
        stream.log.clear()
        stream.send(1)
      },
      latest("a cancellation", ["child 0: cancel", "upstream: cancel"]) { stream, _ in stream.cancel() },
    ] + childrenOfSwitch + ends

  private static let childrenOfSwitch: [Reaction] = [
    latest("a value of a child that brings demand", ["value 7", "child 0 gets max(2)"]) { stream, children in
      stream.downstream.returns = .max(2)
      children[0].send(7)
    },
    latest(
      "a value of a child that nobody has requested", ["requests", "value 7"], demand: .none, departure: needlessTrap
    ) { stream, children in
      children[0].send(7)
      stream.log.add("requests")
      stream.request(.max(1))
    },
    latest(
      "a value of a child before its subscription", ["value 7", "child 0: request max(2)"], childSubscribes: false
    ) { _, children in
      children[0].send(7)
      children[0].sendSubscription()
    },
    latest(
      "the end of a child before its subscription", ["upstream ends", "finished"], childSubscribes: false,
      departure: needlessTrap
    ) { stream, children in
      children[0].send(completion: .finished)
      stream.log.add("upstream ends")
      stream.finish()
    },
    latest(
      "a failure of a child before its subscription", ["upstream: cancel", "failure test error"],
      childSubscribes: false, departure: needlessTrap
    ) { _, children in
      children[0].send(completion: .failure(TestError()))
    },
    latest("a second subscription of a child", ["child 0#2: cancel"]) { _, children in
      children[0].sendSubscription()
    },
    latest(
      "a second subscription of a child after its end", ["child 0#2: cancel"], departure: leftRunning
    ) { _, children in
      children[0].send(completion: .finished)
      children[0].sendSubscription()
    },
    latest("a failure of a child, and signals after it", ["upstream: cancel", "failure test error"]) { _, children in
      children[0].send(completion: .failure(TestError()))
      children[0].send(7)
      children[0].send(completion: .finished)
    },
    latest("signals of a child after a cancellation", ["child 0: cancel", "upstream: cancel"]) { stream, children in
      stream.cancel()
      children[0].send(7)
      children[0].send(completion: .finished)
    },
  ]

  private static let ends: [Reaction] = [
    latest("upstream's end, and then the child's", ["value 7", "finished"]) { stream, children in
      stream.finish()
      children[0].send(7)
      children[0].send(completion: .finished)
    },
    latest(
      "upstream's end while a child's subscription is awaited", ["child 0: request max(3)"], childSubscribes: false
    ) { stream, children in
      stream.finish()
      children[0].sendSubscription()
    },
    latest(
      "upstream's failure while a child's subscription is awaited", ["failure test error", "child 0: cancel"],
      childSubscribes: false,
      departure: .init(apples: "the subscription is accepted and asked", because: "nobody needs what still runs")
    ) { stream, children in
      stream.fail()
      children[0].sendSubscription()
    },
    latest(
      "a value of a child after upstream's failure", ["child 0: cancel", "failure test error"],
      departure: .nothingAfterTheEnd
    ) { stream, children in
      stream.fail()
      children[0].send(7)
    },
    latest("the end of a child after upstream's failure", ["child 0: cancel", "failure test error"]) {
      stream, children in
      stream.fail()
      children[0].send(completion: .finished)
    },
  ]
}
