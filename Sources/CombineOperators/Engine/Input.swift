import Combine
import InterflowPrimitives

/// How a ``Delivery`` requests values from one of its publishers.
@frozen
@usableFromInline
enum InputDemand {
  /// What the subscriber requests is requested from the publisher.
  case demanded
  /// The same, but not before ``Delivery/startInputs()``.
  case held
  /// The same as `demanded`; what has not been delivered is requested again from the next publisher; see
  /// ``InputLink/reopen()``.
  case replaceable
  /// Unlimited demand is requested from it when it sends its subscription.
  case unlimited
}

/// The subscriber of one of the publishers that a ``Delivery`` joins.
@usableFromInline
final class Input<Value, Failure: Error, Values: DeliveryValues, Downstream: Subscriber>: InputLink, Subscriber {
  @usableFromInline typealias Owner = Delivery<Values, Downstream>

  @usableFromInline let owner: Owner
  @usableFromInline let accept: (Owner, Value) -> Void
  @usableFromInline let onCompletion: (Owner, Subscribers.Completion<Failure>) -> Void

  @inlinable
  init(
    _ owner: Owner, _ demand: InputDemand, accept: @escaping (Owner, Value) -> Void,
    onCompletion: @escaping (Owner, Subscribers.Completion<Failure>) -> Void
  ) {
    self.owner = owner
    self.accept = accept
    self.onCompletion = onCompletion
    super.init(demand)
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    attach(subscription)
  }

  @inlinable
  func receive(_ value: Value) -> Subscribers.Demand {
    guard isLinked else { return .none }
    let me = currentThreadIdentity()
    let previous = owner.core.turn.enter(me)
    // The stream may have ended while this thread waited for the turn.
    if isLinked {
      if isReplaceable { spend() }
      accept(owner, value)
    }
    owner.leaveTurn(me, previous)
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard finish() else { return }
    let me = currentThreadIdentity()
    let previous = owner.core.turn.enter(me)
    onCompletion(owner, completion)
    owner.leaveTurn(me, previous)
  }
}
