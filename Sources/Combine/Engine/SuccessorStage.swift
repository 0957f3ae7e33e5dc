/// Passes one publisher's values on, and when that has completed the values of another.
///
/// Demand that has not been met is requested from the successor.
@usableFromInline
final class SuccessorStage<Failure: Error, Successor: Publisher, Downstream: Subscriber>: Stage<
  Failure, Downstream
>,
OperatorSubscriber
where Successor.Output == Downstream.Input {
  @usableFromInline typealias Input = Downstream.Input

  @usableFromInline let carrier: ReplaceableLink
  @usableFromInline let successor: (Subscribers.Completion<Failure>) throws -> Successor?
  @usableFromInline @exclusivity(unchecked) var isDone = false
  @usableFromInline let acceptsEarlySuccessor: Bool

  /// - Parameters:
  ///   - carrier: Carries the operator's name.
  ///   - acceptsEarlySuccessor: Whether signals of the successor that come before its subscription are passed on.
  ///   - successor: What follows a completion; `nil` where the completion is passed on.
  @inlinable
  init(
    _ downstream: Downstream, _ carrier: ReplaceableLink, acceptsEarlySuccessor: Bool = true,
    successor: @escaping (Subscribers.Completion<Failure>) throws -> Successor?
  ) {
    self.carrier = carrier
    self.acceptsEarlySuccessor = acceptsEarlySuccessor
    carrier.nextMayKeep = !Just<Downstream.Input>.isWrapped(by: Successor.self)
    self.successor = successor
    super.init(downstream, carrier)
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked, !isDone else { return .none }
    carrier.spend()
    let more = downstream.receive(input)
    guard isDone else {
      carrier.add(more)
      return more
    }
    // Upstream completed while the value was delivered, so the demand that it returns is requested from the successor.
    if more != .none { carrier.request(more) }
    return .none
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard !isDone, carrier.unlink() else { return }
    isDone = true
    do {
      if let successor = try successor(completion) {
        successor.subscribe(SuccessorSubscriber(downstream, carrier, isOpen: acceptsEarlySuccessor))
      } else if link.finish() {
        downstream.receive(completion: completion.routed())
      }
    } catch {
      _ = fail(error)
    }
  }
}

/// The subscriber of the second publisher.
@usableFromInline
final class SuccessorSubscriber<Failure: Error, Downstream: Subscriber>: OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input

  @usableFromInline let downstream: Downstream
  @usableFromInline let carrier: ReplaceableLink
  /// Whether signals are passed on, if the carrier has not ended.
  @usableFromInline @exclusivity(unchecked) var isOpen: Bool

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }

  @inlinable
  init(_ downstream: Downstream, _ carrier: ReplaceableLink, isOpen: Bool = true) {
    self.downstream = downstream
    self.carrier = carrier
    self.isOpen = isOpen
  }

  @inlinable
  func receive(subscription: any Subscription) {
    isOpen = true
    carrier.relink(subscription)
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    isOpen && carrier.isLinked ? downstream.receive(input) : .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if isOpen, carrier.finish() { downstream.receive(completion: completion.routed()) }
  }

  @usableFromInline var description: String { carrier.description }
  @usableFromInline var playgroundDescription: Any { carrier.description }
  @usableFromInline var customMirror: Mirror {
    Mirror(self, children: [("downstream", downstream), carrier.shownState])
  }
}
