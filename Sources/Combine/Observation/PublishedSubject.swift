import InterflowPrimitives

/// The subject of a published property: a ``SubjectCore`` whose values carry the number of the set that sent them.
///
/// When a set ends, its value replaces those set from inside its delivery. The thread does not show which these are,
/// since a thread may borrow the turn of another. So each value also carries the set whose value was being delivered
/// when it was sent.
final class PublishedSubject<Value> {
  /// A value, the set that sent it, and the set from inside whose delivery it was sent; zero if there is none.
  struct Sent {
    var value: Value
    var set: UInt64
    var enclosingSet: UInt64
  }

  fileprivate let core: SubjectCore<Sent, Never>

  // Guarded by the core's turn: the set whose value is being delivered.
  @exclusivity(unchecked) private var delivering: UInt64 = 0

  init(_ value: Value) {
    core = SubjectCore(holding: Sent(value: value, set: 0, enclosingSet: 0))
    core.subject = .passUnretained(self)
  }

  var value: Value { core.current.value.value }

  /// Stores a value as the current one, and sends it.
  ///
  /// - Returns: The set from inside whose delivery this was sent; zero if there is none.
  func send(_ value: Value, from set: UInt64) -> UInt64 {
    let enclosingSet = core.isOwnedByThisThread ? delivering : 0
    core.hold(Sent(value: value, set: set, enclosingSet: enclosingSet))
    return enclosingSet
  }

  /// Makes a value the current one again, without sending it, if the current one was sent from inside its delivery.
  ///
  /// - Returns: The value that was replaced, for the caller to release.
  func restore(_ value: Value, from set: UInt64, inside enclosingSet: UInt64) -> Value? {
    core.replaceHeld(with: Sent(value: value, set: set, enclosingSet: enclosingSet)) { $0.enclosingSet == set }?.value
  }

  func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Value, S.Failure == Never {
    core.subscribe(Stage(subscriber, self), of: self)
  }

  /// A ``Combine/Stage`` that delivers the bare value, and records the set whose value is being delivered.
  private final class Stage<Downstream: Subscriber>: Combine.Stage<Never, Downstream>, OperatorSubscriber
  where Downstream.Input == Value, Downstream.Failure == Never {
    typealias Input = Sent
    typealias Failure = Never

    private let subject: PublishedSubject

    init(_ downstream: Downstream, _ subject: PublishedSubject) {
      self.subject = subject
      super.init(downstream, UpstreamLink("PublishedSubject"))
    }

    func receive(_ input: Sent) -> Subscribers.Demand {
      guard link.isLinked else { return .none }
      // A subscriber's first value may be delivered without the turn.
      guard subject.core.isOwnedByThisThread else { return downstream.receive(input.value) }
      let outer = subject.delivering
      subject.delivering = input.set
      defer { subject.delivering = outer }
      return downstream.receive(input.value)
    }
  }
}
