import Combine
import InterflowTestSupport
import Foundation

extension AppleReactions {
  /// Operators that share a publisher, and connectable publishers.
  static let sharingOperators: [Reaction] = autoconnect + multicast + share + timer + dataTask

  /// A connectable publisher that sends what the test says, and logs its connections.
  private struct Connectable: ConnectablePublisher {
    typealias Output = Int
    typealias Failure = TestError

    let upstream: LoggedUpstream<Int, TestError>

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      upstream.subscribe(subscriber)
    }

    func connect() -> any Cancellable {
      upstream.log.add("connect")
      return Connection(log: upstream.log)
    }

    private struct Connection: Cancellable {
      let log: EventLog

      func cancel() { log.add("disconnect") }
    }
  }

  // MARK: autoconnect

  private static let autoconnect: [Reaction] =
    standardReactions(
      of: "Publishers.Autoconnect",
      [
        .valueBeforeSubscription: .passes, .completionBeforeSubscription: .passes, .valueAfterCompletion: .passes,
        .completionAfterCompletion: .passes, .valueAfterCancellation: .passes, .completionAfterCancellation: .passes,
        .requestForNone: .isForwarded,
      ]
    ) { Connectable(upstream: $0).autoconnect() }
    + [
      Reaction(
        "Publishers.Autoconnect", "two cancellations, and a request",
        ["disconnect", "upstream: cancel", "upstream: cancel", "upstream: request max(1)"]
      ) { log in
        let stream = LoggedStream(log) { Connectable(upstream: $0).autoconnect() }
        log.clear()
        stream.cancel()
        stream.cancel()
        stream.request(.max(1))
      },
      Reaction("Publishers.Autoconnect", "a cancellation after the end", ["disconnect", "upstream: cancel"]) { log in
        let stream = LoggedStream(log) { Connectable(upstream: $0).autoconnect() }
        stream.finish()
        log.clear()
        stream.cancel()
      },
      Reaction("Publishers.Autoconnect", "what the subscription is called", ["Subscription of upstream"]) { log in
        let stream = LoggedStream(log) { Connectable(upstream: $0).autoconnect() }
        stream.finish()
        log.clear()
        log.add(stream.subscription.map { "\($0)" } ?? "")
      },
      Reaction("Publishers.Autoconnect", "subscribers that leave while the first connects", ["runs 1"]) { log in
        var runs = 0
        let shared = Deferred { () -> Just<Int> in
          runs += 1
          return Just(1)
        }.makeConnectable().autoconnect()
        for _ in 0..<2 { shared.first().sink { _ in }.cancel() }
        log.add("runs \(runs)")
      },
      Reaction(
        "Publishers.Autoconnect", "a subscriber from inside the subscription of another",
        ["subscription", "subscription", "connect", "upstream: cancel", "disconnect", "upstream#2: cancel"],
        departure: .init(
          apples: "it connects twice, and the first cancellation disconnects",
          because: "the other subscriber still needs the connection, and nobody needs two")
      ) { log in
        let upstream = LoggedUpstream<Int, TestError>(log)
        let shared = Connectable(upstream: upstream).autoconnect()
        let (outer, inner) = (
          LoggedDownstream<Int, TestError>(log), LoggedDownstream<Int, TestError>(log)
        )
        outer.onSubscription = { _ in shared.subscribe(inner) }
        shared.subscribe(outer)
        outer.cancel()
        inner.cancel()
      },
    ]

  // MARK: multicast, makeConnectable

  private static let multicast: [Reaction] = [
    Reaction("Publishers.Multicast", "signals while it is not connected", []) { log in
      let stream = LoggedStream(log, demand: .unlimited) { $0.multicast { PassthroughSubject() } }
      log.clear()
      stream.send(1)
      stream.finish()
    },
    Reaction("Publishers.Multicast", "a second connection", ["value 1", "value 1"]) { log in
      let subject = PassthroughSubject<Int, Never>()
      let shared = subject.multicast { PassthroughSubject() }
      let downstream = LoggedDownstream<Int, Never>(log, demand: .unlimited)
      shared.subscribe(downstream)
      let connections = (shared.connect(), shared.connect())
      log.clear()
      subject.send(1)
      withExtendedLifetime(connections) {}
    },
    Reaction("Publishers.Multicast", "a value that brings demand", ["value 1", "value 2", "value 3"]) { log in
      let subject = PassthroughSubject<Int, Never>()
      let shared = subject.multicast { PassthroughSubject() }
      let downstream = LoggedDownstream<Int, Never>(log, demand: .max(1), returns: .max(1))
      shared.subscribe(downstream)
      let connection = shared.connect()
      log.clear()
      for value in 1...3 { subject.send(value) }
      withExtendedLifetime(connection) {}
    },
    Reaction("Publishers.Multicast", "its subject while only the connection is left", ["upstream: cancel"]) { log in
      let upstream = LoggedUpstream<Int, Never>(log)
      let connection = upstream.multicast { PassthroughSubject() }.connect()
      withExtendedLifetime(connection) {}
    },
    Reaction("Publishers.Multicast", "a request for none after the end", []) { log in
      let downstream = LoggedDownstream<Int, Never>(log, demand: .unlimited)
      let shared = Empty<Int, Never>().multicast { PassthroughSubject() }
      shared.subscribe(downstream)
      let connection = shared.connect()
      log.clear()
      downstream.request(.none)
      withExtendedLifetime(connection) {}
    },
    Reaction("Publishers.MakeConnectable", "signals while it is not connected", []) { log in
      let subject = PassthroughSubject<Int, Never>()
      let downstream = LoggedDownstream<Int, Never>(log, demand: .unlimited)
      subject.makeConnectable().subscribe(downstream)
      log.clear()
      subject.send(1)
      subject.send(completion: .finished)
    },
    Reaction("Publishers.MakeConnectable", "what the subscription is called", ["Multicast"]) { log in
      let downstream = LoggedDownstream<Int, Never>(log)
      Just(1).makeConnectable().subscribe(downstream)
      log.clear()
      log.add(downstream.subscription.map { "\($0)" } ?? "")
    },
  ]

  // MARK: share

  private static let share: [Reaction] =
    standardReactions(
      of: "Publishers.Share", [.valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .isIgnored]
    ) { $0.share() }
    + [
      Reaction("Publishers.Share", "a request for none after the end", []) { log in
        let stream = LoggedStream(log) { $0.share() }
        stream.finish()
        log.clear()
        stream.request(.none)
      },
      Reaction("Publishers.Share", "what the subscription is called after the end", ["Multicast"]) { log in
        let stream = LoggedStream(log) { $0.share() }
        stream.finish()
        log.clear()
        log.add(stream.subscription.map { "\($0)" } ?? "")
      },
      Reaction("Publishers.Share", "subscribers that leave while the first connects", ["runs 1"]) { log in
        var runs = 0
        let shared = Deferred { () -> Just<Int> in
          runs += 1
          return Just(1)
        }.share()
        for _ in 0..<2 { shared.first().sink { _ in }.cancel() }
        log.add("runs \(runs)")
      },
    ]

  // MARK: Foundation

  #if INTERFLOW_FOUNDATION
    private static let timer: [Reaction] = [
      Reaction(
        "Timer.TimerPublisher", "the tolerance that it is made with", ["Optional(2.0)"],
        departure: .init(apples: "nil", because: "a tolerance that is given is meant")
      ) { log in
        let tolerance = Timer.publish(every: 60, tolerance: 2, on: .main, in: .common).tolerance
        log.add("\(tolerance as Any)")
      }
    ]
  #else
    private static let timer: [Reaction] = []
  #endif

  #if INTERFLOW_FOUNDATION_NETWORKING
    private static let dataTask: [Reaction] = [
      Reaction("URLSession.DataTaskPublisher", "a request for no values", .traps("at least one value")) { log in
        let downstream = LoggedDownstream<URLSession.DataTaskPublisher.Output, URLError>(log)
        URLSession.shared.dataTaskPublisher(for: URL(fileURLWithPath: "/")).subscribe(downstream)
        downstream.request(.none)
      }
    ]
  #else
    private static let dataTask: [Reaction] = []
  #endif
}
