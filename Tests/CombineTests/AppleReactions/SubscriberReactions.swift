import InterflowTestSupport
import Combine

extension AppleReactions {
  /// `Sink`, `Assign`, and a subject that subscribes; and what subscriptions and subscribers are called.
  static let subscribers: [Reaction] = sink + assign + subject + names

  /// A sink that logs, on an upstream without a subscription.
  private static func sink(
    _ situation: String, _ lines: [String], departure: Reaction.Departure? = nil,
    _ act: @escaping @Sendable (LoggedUpstream<Int, TestError>, Subscribers.Sink<Int, TestError>) -> Void
  ) -> Reaction {
    Reaction("Subscribers.Sink", situation, lines, departure: departure) { log in
      let upstream = LoggedUpstream<Int, TestError>(log, subscribes: false)
      let sink = Subscribers.Sink<Int, TestError>(
        receiveCompletion: { log.add("\($0)") }, receiveValue: { log.add("value \($0)") })
      upstream.subscribe(sink)
      act(upstream, sink)
    }
  }

  private static let sink: [Reaction] = [
    sink("a value before the subscription", ["value 1"]) { upstream, _ in upstream.send(1) },
    sink("a completion before the subscription", ["finished"]) { upstream, _ in upstream.send(completion: .finished) },
    sink(
      "a cancellation before the subscription", ["upstream: cancel"],
      departure: .init(
        apples: "forgotten: the subscription is accepted, and values are delivered",
        because: "what has been cancelled delivers nothing")
    ) { upstream, sink in
      sink.cancel()
      upstream.sendSubscription()
      upstream.send(1)
    },
    sink("a second subscription", ["upstream: request unlimited", "upstream#2: cancel"]) { upstream, _ in
      upstream.sendSubscription()
      upstream.sendSubscription()
    },
    sink("signals after the end", ["upstream: request unlimited", "finished", "upstream#2: cancel"]) { upstream, _ in
      upstream.sendSubscription()
      upstream.send(completion: .finished)
      upstream.sendSubscription()
      upstream.send(1)
      upstream.send(completion: .failure(TestError()))
    },
    sink("a cancellation", ["upstream: request unlimited", "upstream: cancel"]) { upstream, sink in
      upstream.sendSubscription()
      sink.cancel()
    },
  ]

  private final class Holder {
    var value = 0
  }

  private static func assign(
    _ situation: String, _ lines: [String], _ act: @escaping @Sendable (LoggedUpstream<Int, Never>) -> Void
  ) -> Reaction {
    Reaction("Subscribers.Assign", situation, lines) { log in
      let upstream = LoggedUpstream<Int, Never>(log, subscribes: false)
      let holder = Holder()
      upstream.subscribe(Subscribers.Assign(object: holder, keyPath: \.value))
      act(upstream)
      log.add("\(holder.value)")
    }
  }

  private static let assign: [Reaction] = [
    assign("a value before the subscription", ["0"]) { $0.send(1) },
    assign("a second subscription", ["upstream: request unlimited", "upstream#2: cancel", "0"]) {
      $0.sendSubscription()
      $0.sendSubscription()
    },
    assign("signals after the end", ["upstream: request unlimited", "upstream#2: cancel", "1"]) {
      $0.sendSubscription()
      $0.send(1)
      $0.send(completion: .finished)
      $0.sendSubscription()
      $0.send(2)
    },
  ]

  /// A subject as the subscriber of an upstream without a subscription, with a subscriber of its own.
  private static func subject(
    _ situation: String, _ lines: [String],
    _ act: @escaping @Sendable (LoggedUpstream<Int, TestError>, AnyCancellable) -> Void
  ) -> Reaction {
    Reaction("subscribe(a subject)", situation, lines) { log in
      let upstream = LoggedUpstream<Int, TestError>(log, subscribes: false)
      let subject = PassthroughSubject<Int, TestError>()
      subject.subscribe(LoggedDownstream(log, demand: .unlimited))
      let cancellable = upstream.subscribe(subject)
      log.clear()
      act(upstream, cancellable)
    }
  }

  private static let subject: [Reaction] = [
    subject("a completion before the subscription", []) { upstream, _ in upstream.send(completion: .finished) },
    subject("a second subscription", ["upstream: request unlimited", "upstream#2: cancel", "upstream: cancel"]) {
      upstream, cancellable in
      upstream.sendSubscription()
      upstream.sendSubscription()
      cancellable.cancel()
    },
    subject("signals after the end", ["upstream: request unlimited", "value 1", "finished"]) { upstream, _ in
      upstream.sendSubscription()
      upstream.send(1)
      upstream.send(completion: .finished)
      upstream.send(2)
      upstream.send(completion: .failure(TestError()))
    },
    subject("a value after a cancellation", ["upstream: request unlimited", "upstream: cancel"]) {
      upstream, cancellable in
      upstream.sendSubscription()
      cancellable.cancel()
      upstream.send(1)
    },
  ]
}
