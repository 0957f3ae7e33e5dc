/// Forwards the values of one publisher, and when that has completed, the values of another, its successor.
///
/// The demand that the first publisher has not met is requested from the successor.
@usableFromInline
final class SuccessorStage<Failure: Error, Successor: Publisher, Downstream: Subscriber>: Stage<
  Failure, Downstream
>,
OperatorSubscriber
where Successor.Output == Downstream.Input {
  @usableFromInline typealias Input = Downstream.Input

  @usableFromInline let replaceableLink: ReplaceableLink
  @usableFromInline let successor: (Subscribers.Completion<Failure>) throws -> Successor?
  @usableFromInline @exclusivity(unchecked) var firstHasCompleted = false
  @usableFromInline let acceptsEarlySuccessor: Bool

  /// - Parameters:
  ///   - replaceableLink: A new link with the operator's name.
  ///   - acceptsEarlySuccessor: Whether signals of the successor that arrive before its subscription are forwarded.
  ///   - successor: Returns the publisher that follows a completion, or `nil` if the completion is to be forwarded.
  @inlinable
  init(
    _ downstream: Downstream, _ replaceableLink: ReplaceableLink, acceptsEarlySuccessor: Bool = true,
    successor: @escaping (Subscribers.Completion<Failure>) throws -> Successor?
  ) {
    self.replaceableLink = replaceableLink
    self.acceptsEarlySuccessor = acceptsEarlySuccessor
    replaceableLink.successorMayRetainSubscriber = !Just<Downstream.Input>.isWrapped(by: Successor.self)
    self.successor = successor
    super.init(downstream, replaceableLink)
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked, !firstHasCompleted else { return .none }
    replaceableLink.spend()
    let more = downstream.receive(input)
    guard firstHasCompleted else {
      replaceableLink.add(more)
      return more
    }
    // The first publisher completed during the delivery, so the returned demand is requested from the successor.
    if more != .none { replaceableLink.request(more) }
    return .none
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard !firstHasCompleted, replaceableLink.unlink() else { return }
    firstHasCompleted = true
    do {
      if let successor = try successor(completion) {
        successor.subscribe(SuccessorSubscriber(downstream, replaceableLink, isOpen: acceptsEarlySuccessor))
      } else if link.finish() {
        downstream.receive(completion: completion.converted())
      }
    } catch {
      _ = fail(error)
    }
  }
}

/// The subscriber of the successor.
@usableFromInline
final class SuccessorSubscriber<Failure: Error, Downstream: Subscriber>: OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input

  @usableFromInline let downstream: Downstream
  @usableFromInline let replaceableLink: ReplaceableLink
  /// Whether signals are forwarded, as long as the link has not ended.
  @usableFromInline @exclusivity(unchecked) var isOpen: Bool

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }

  @inlinable
  init(_ downstream: Downstream, _ replaceableLink: ReplaceableLink, isOpen: Bool = true) {
    self.downstream = downstream
    self.replaceableLink = replaceableLink
    self.isOpen = isOpen
  }

  @inlinable
  func receive(subscription: any Subscription) {
    isOpen = true
    replaceableLink.relink(subscription)
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    isOpen && replaceableLink.isLinked ? downstream.receive(input) : .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if isOpen, replaceableLink.finish() { downstream.receive(completion: completion.converted()) }
  }

  @usableFromInline var description: String { replaceableLink.description }
  @usableFromInline var playgroundDescription: Any { replaceableLink.description }
  @usableFromInline var customMirror: Mirror {
    Mirror(self, children: [("downstream", downstream), replaceableLink.shownState])
  }
}
