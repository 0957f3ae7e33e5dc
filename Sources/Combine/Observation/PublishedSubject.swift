import InterflowPrimitives

/// The subject of a published property, which knows of each value from which set it is.
///
/// The end of a set undoes those made from inside its delivery. Which these are the threads do not tell, as a thread may
/// borrow the turn of another: so each value says what was being delivered when it was sent.
final class PublishedSubject<Value> {
  /// A value, the set that it is from, and the set whose value was being delivered around it; zero if none was.
  struct Sent {
    var value: Value
    var set: UInt64
    var around: UInt64
  }

  fileprivate let core: SubjectCore<Sent, Never>

  // Guarded by the core's turn: the set whose value is being delivered.
  @exclusivity(unchecked) private var delivering: UInt64 = 0

  init(_ value: Value) {
    core = SubjectCore(holding: Sent(value: value, set: 0, around: 0))
  }

  var value: Value { core.current.value.value }

  /// Holds a value and sends it.
  ///
  /// - Returns: The set whose delivery this was sent from.
  func send(_ value: Value, from set: UInt64) -> UInt64 {
    let around = core.isOwnedByThisThread ? delivering : 0
    core.hold(Sent(value: value, set: set, around: around))
    return around
  }

  /// Holds a value again without sending it, where one from inside its delivery has been the last since.
  ///
  /// - Returns: What was held in its place, for the caller to let go of.
  func restore(_ value: Value, from set: UInt64, around: UInt64) -> Value? {
    core.replaceHeld(with: Sent(value: value, set: set, around: around)) { $0.around == set }?.value
  }

  func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Value, S.Failure == Never {
    core.subscribe(Stage(subscriber, self), parent: self)
  }

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
      // A subscriber's first call may be made without the turn.
      guard subject.core.isOwnedByThisThread else { return downstream.receive(input.value) }
      let outer = subject.delivering
      subject.delivering = input.set
      defer { subject.delivering = outer }
      return downstream.receive(input.value)
    }
  }
}
