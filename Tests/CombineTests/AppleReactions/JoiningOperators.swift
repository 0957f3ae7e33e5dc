import Combine
import InterflowTestSupport

extension AppleReactions {
  /// Operators that join the values of several publishers.
  static let joiningOperators: [Reaction] = merge + zip + combineLatest

  private typealias Input = LoggedUpstream<Int, TestError>

  private static let noneTraps = StandardReaction.traps("a request must ask for at least one value")

  // MARK: merge

  private static let merge: [Reaction] = [
    merged("Publishers.Merge") { $0.merge(with: $1) },
    merged("Publishers.Merge3") { $0.merge(with: $1, none) },
    merged("Publishers.Merge4") { $0.merge(with: $1, none, none) },
    merged("Publishers.Merge5") { $0.merge(with: $1, none, none, none) },
    merged("Publishers.Merge6") { $0.merge(with: $1, none, none, none, none) },
    merged("Publishers.Merge7") { $0.merge(with: $1, none, none, none, none, none) },
    merged("Publishers.Merge8") { $0.merge(with: $1, none, none, none, none, none, none) },
    merged("Publishers.MergeMany") { Publishers.MergeMany($0, $1) },
  ].flatMap { $0 }

  /// Fills the places of the publishers that a row has no use for.
  private static var none: Empty<Int, TestError> { Empty() }

  private static func merged<P: Publisher & SendableMetatype>(
    _ publisher: String, _ make: @escaping @Sendable (Input, Input) -> P
  ) -> [Reaction] where P.Output == Int, P.Failure == TestError {
    standardReactions(
      of: publisher,
      .ownSubscription.with([
        .requestForNone: .isIgnored, .valueAfterCompletion: .isIgnored, .valueAfterCancellation: .isIgnored,
        .completionAfterCancellation: .isIgnored,
      ]),
      departures: .nothing(after: .valueAfterCompletion)
    ) { make($0, Input(EventLog(), "other")) }
      + mergedDemand(publisher, make) + mergedEnds(publisher, make)
  }

  private static func mergedDemand<P: Publisher & SendableMetatype>(
    _ publisher: String, _ make: @escaping @Sendable (Input, Input) -> P
  ) -> [Reaction] where P.Output == Int, P.Failure == TestError {
    [
      Reaction(
        publisher, "a limited demand", ["subscription", "upstream: request max(1)", "other: request max(1)"]
      ) { log in
        _ = LoggedStream(log, demand: .max(5)) { make($0, Input(log, "other")) }
      },
      Reaction(
        publisher, "an unlimited demand", ["subscription", "upstream: request unlimited", "other: request unlimited"]
      ) { log in
        _ = LoggedStream(log, demand: .unlimited) { make($0, Input(log, "other")) }
      },
      Reaction(
        publisher, "a demand that becomes unlimited", ["upstream: request unlimited", "other: request unlimited"]
      ) { log in
        let stream = LoggedStream(log, demand: .max(5)) { make($0, Input(log, "other")) }
        log.clear()
        stream.request(.unlimited)
      },
      Reaction(publisher, "a value with limited demand, and one without", ["value 1", "upstream gets max(1)"]) { log in
        let stream = LoggedStream(log, demand: .max(1)) { make($0, Input(log, "other")) }
        log.clear()
        stream.send(1, 2)
      },
      Reaction(publisher, "a value with unlimited demand", ["value 1"]) { log in
        let stream = LoggedStream(log, demand: .unlimited) { make($0, Input(log, "other")) }
        log.clear()
        stream.send(1)
      },
      Reaction(publisher, "a request for one of two kept values", ["value 1", "upstream: request max(1)"]) { log in
        let other = Input(log, "other")
        let stream = LoggedStream(log) { make($0, other) }
        other.send(2)
        stream.send(1)
        log.clear()
        stream.request(.max(1))
      },
      Reaction(
        publisher, "two values of one publisher that nobody has requested",
        ["value 1", "value 2", "upstream: request max(1)", "upstream: request max(1)"],
        departure: .init(apples: "the first is lost", because: "no value is lost")
      ) { log in
        let stream = LoggedStream(log) { make($0, Input(log, "other")) }
        stream.send(1, 2)
        log.clear()
        stream.request(.max(2))
      },
    ]
  }

  private static func mergedEnds<P: Publisher & SendableMetatype>(
    _ publisher: String, _ make: @escaping @Sendable (Input, Input) -> P
  ) -> [Reaction] where P.Output == Int, P.Failure == TestError {
    [
      Reaction(publisher, "a failure", ["upstream: cancel", "other: cancel", "failure test error"]) { log in
        let stream = LoggedStream(log) { make($0, Input(log, "other")) }
        log.clear()
        stream.fail()
      },
      Reaction(publisher, "the end of one publisher, and of the other", ["the other ends", "finished"]) { log in
        let other = Input(log, "other")
        let stream = LoggedStream(log) { make($0, other) }
        log.clear()
        stream.finish()
        log.add("the other ends")
        other.send(completion: .finished)
      },
      Reaction(
        publisher, "one publisher finishes twice", [],
        departure: .init(apples: "two completions of one end the whole", because: "the other has values to come")
      ) { log in
        let stream = LoggedStream(log) { make($0, Input(log, "other")) }
        log.clear()
        stream.finish()
        stream.finish()
      },
    ]
  }

  // MARK: zip

  private static let zip: [Reaction] =
    zipped("Publishers.Zip") { $0.zip($1) }
    + zipped("Publishers.Zip3") { $0.zip($1, Zeros()).map { ($0.0, $0.1) } }
    + zipped("Publishers.Zip4") { $0.zip($1, Zeros(), Zeros()).map { ($0.0, $0.1) } }

  /// Fills the places of the publishers that a row has no use for: has a value for each tuple before it is asked.
  private struct Zeros: Publisher {
    typealias Output = Int
    typealias Failure = TestError

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      subscriber.receive(subscription: Subscriptions.empty)
      for _ in 0..<10 { _ = subscriber.receive(0) }
    }
  }

  private static func zipped<P: Publisher & SendableMetatype>(
    _ publisher: String, _ make: @escaping @Sendable (Input, Input) -> P
  ) -> [Reaction] where P.Output == (Int, Int), P.Failure == TestError {
    standardReactions(of: publisher, .ownSubscription.with([.requestForNone: noneTraps])) {
      make($0, Input(EventLog(), "other"))
    }
      + zippedDemand(publisher, make) + [
        Reaction(publisher, "a failure", ["upstream: cancel", "other: cancel", "failure test error"]) { log in
          let stream = LoggedStream(log) { make($0, Input(log, "other")) }
          log.clear()
          stream.fail()
        },
        Reaction(publisher, "the end of a publisher that has no value left", ["other: cancel", "finished"]) { log in
          let stream = LoggedStream(log) { make($0, Input(log, "other")) }
          log.clear()
          stream.finish()
        },
        Reaction(
          publisher, "the end of a publisher that has a value left",
          ["the other sends", "value (1, 2)", "other: cancel", "finished"]
        ) { log in
          let other = Input(log, "other")
          let stream = LoggedStream(log, demand: .max(2)) { make($0, other) }
          log.clear()
          stream.send(1)
          stream.finish()
          log.add("the other sends")
          other.send(2)
        },
      ]
  }

  private static func zippedDemand<P: Publisher & SendableMetatype>(
    _ publisher: String, _ make: @escaping @Sendable (Input, Input) -> P
  ) -> [Reaction] where P.Output == (Int, Int), P.Failure == TestError {
    [
      Reaction(
        publisher, "a tuple that nobody has requested",
        ["requests", "value (1, 2)", "upstream: request max(1)", "other: request max(1)"],
        departure: .init(apples: "it is delivered at once", because: "a subscriber gets what it has requested")
      ) { log in
        let other = Input(log, "other")
        let stream = LoggedStream(log) { make($0, other) }
        log.clear()
        stream.send(1)
        other.send(2)
        log.add("requests")
        stream.request(.max(1))
      },
      Reaction(
        publisher, "a request from inside a tuple",
        ["value (1, 2)", "upstream: request max(666)", "other gets max(666)"]
      ) { log in
        let other = Input(log, "other")
        let stream = LoggedStream(log, demand: .max(1)) { make($0, other) }
        stream.downstream.onValue = { _ in stream.request(.max(666)) }
        stream.send(1)
        log.clear()
        other.send(2)
      },
      Reaction(
        publisher, "a tuple that brings demand", ["value (1, 2)", "other: request max(5)", "upstream gets max(5)"]
      ) { log in
        let other = Input(log, "other")
        let stream = LoggedStream(log, demand: .max(1), returns: .max(5)) { make($0, other) }
        other.send(2)
        log.clear()
        stream.send(1)
      },
    ]
  }

  // MARK: combineLatest

  private static let combineLatest: [Reaction] =
    combined("Publishers.CombineLatest") { $0.combineLatest($1) }
    + combined("Publishers.CombineLatest3") { $0.combineLatest($1, zero).map { ($0.0, $0.1) } }
    + combined("Publishers.CombineLatest4") { $0.combineLatest($1, zero, zero).map { ($0.0, $0.1) } }

  /// Fills the places of the publishers that a row has no use for.
  private static var zero: some Publisher<Int, TestError> { Just(0).setFailureType(to: TestError.self) }

  private static func combined<P: Publisher & SendableMetatype>(
    _ publisher: String, _ make: @escaping @Sendable (Input, Input) -> P
  ) -> [Reaction] where P.Output == (Int, Int), P.Failure == TestError {
    standardReactions(of: publisher, .ownSubscription.with([.requestForNone: noneTraps])) {
      make($0, Input(EventLog(), "other"))
    } + [
      Reaction(
        publisher, "a request after a tuple that nobody had requested",
        ["value (3, 2)", "upstream: request max(1)", "other: request max(1)"],
        departure: .init(
          apples: "the tuple does not come, and a new value is needed", because: "the latest values are not lost")
      ) { log in
        let other = Input(log, "other")
        let stream = LoggedStream(log, demand: .max(1)) { make($0, other) }
        stream.send(1)
        other.send(2)
        stream.send(3)
        log.clear()
        stream.request(.max(1))
      },
      Reaction(
        publisher, "a value from inside a tuple", ["value (1, 2)", "sent", "value (3, 2)"],
        departure: .init(
          apples: "no tuple is delivered for it",
          because: "the latest values are not lost: those from inside a tuple make one more, after it")
      ) { log in
        let other = Input(log, "other")
        let stream = LoggedStream(log, demand: .unlimited) { make($0, other) }
        stream.downstream.onValue = {
          guard $0.0 == 1 else { return }
          stream.send(3)
          log.add("sent")
        }
        stream.send(1)
        log.clear()
        other.send(2)
      },
      Reaction(
        publisher, "a value from inside each tuple", ["value (1, 2)", "sent", "value (2, 2)", "sent"],
        departure: .init(
          apples: "no tuple is delivered for the first either",
          because: "the latest values are not lost: those from inside a tuple make one more, after it")
      ) { log in
        let other = Input(log, "other")
        let stream = LoggedStream(log, demand: .unlimited) { make($0, other) }
        stream.downstream.onValue = {
          stream.send($0.0 + 1)
          log.add("sent")
        }
        stream.send(1)
        log.clear()
        other.send(2)
      },
      Reaction(publisher, "a failure", ["other: cancel", "failure test error"]) { log in
        let stream = LoggedStream(log) { make($0, Input(log, "other")) }
        log.clear()
        stream.fail()
      },
      Reaction(
        publisher, "the end of a publisher without a value, and of the other", ["the other ends", "finished"]
      ) { log in
        let other = Input(log, "other")
        let stream = LoggedStream(log, demand: .max(1)) { make($0, other) }
        log.clear()
        stream.finish()
        log.add("the other ends")
        other.send(completion: .finished)
      },
    ]
  }
}
