import Combine
import InterflowTestSupport

extension AppleReactions {
  /// Subjects and futures, as publishers.
  static let subjects: [Reaction] = [
    noneTraps("PassthroughSubject") { PassthroughSubject<Int, TestError>() },
    noneTraps("CurrentValueSubject") { CurrentValueSubject<Int, TestError>(1) },
    noneTraps("Future") { Future<Int, TestError> { $0(.success(1)) } },
    describes("PassthroughSubject", as: ["PassthroughSubject", "Empty"]) { PassthroughSubject<Int, TestError>() },
    describes("CurrentValueSubject", as: ["CurrentValueSubject", "Empty"]) { CurrentValueSubject<Int, TestError>(1) },
    Reaction("CurrentValueSubject", "a value that is set after the end", ["2"]) { log in
      let subject = CurrentValueSubject<Int, TestError>(1)
      subject.send(completion: .finished)
      subject.value = 2
      log.add("\(subject.value)")
    },
    Reaction("CurrentValueSubject", "a value that is sent after the end", ["1"]) { log in
      let subject = CurrentValueSubject<Int, TestError>(1)
      subject.send(completion: .finished)
      subject.send(2)
      log.add("\(subject.value)")
    },
    Reaction("PassthroughSubject", "a subscription behind an operator without state", ["PassthroughSubject"]) { log in
      let downstream = LoggedDownstream<Int, TestError>(log)
      PassthroughSubject<Int, TestError>().map { $0 }.filter { _ in true }.subscribe(downstream)
      log.clear()
      log.add(downstream.subscription.map { "\($0)" } ?? "none")
    },
  ]

  private static func noneTraps<P: Publisher & SendableMetatype>(
    _ publisher: String, _ make: @escaping @Sendable () -> P
  ) -> Reaction {
    Reaction(publisher, StandardSituation.requestForNone.rawValue, .traps("a request must ask for at least one value"))
    { log in
      let downstream = LoggedDownstream<P.Output, P.Failure>(log)
      make().subscribe(downstream)
      downstream.request(.none)
    }
  }

  /// The row of a subject's descriptions: of the subscription that a subscriber gets before the end, and after it.
  private static func describes<S: Subject & SendableMetatype>(
    _ publisher: String, as descriptions: [String], _ make: @escaping @Sendable () -> S
  ) -> Reaction {
    Reaction(publisher, "the subscription's description, and that of one after the end", descriptions) { log in
      let subject = make()
      let (early, late) = (LoggedDownstream<S.Output, S.Failure>(log), LoggedDownstream<S.Output, S.Failure>(log))
      subject.subscribe(early)
      subject.send(completion: .finished)
      subject.subscribe(late)
      log.clear()
      for downstream in [early, late] { log.add(downstream.subscription.map { "\($0)" } ?? "none") }
    }
  }
}
