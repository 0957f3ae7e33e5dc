import Combine
import InterflowPrimitives

/// What an operator calls to subscribe, without the turn.
extension Delivery {
  /// Subscribes to a publisher, unless the stream has ended.
  ///
  /// - Parameters:
  ///   - accept: Called with each value.
  ///   - onCompletion: Called when the publisher has completed.
  @inlinable
  func join<P: Publisher>(
    _ publisher: P, _ demand: InputDemand, accept: @escaping (Delivery, P.Output) -> Void,
    onCompletion: @escaping (Delivery, Subscribers.Completion<P.Failure>) -> Void
  ) {
    let input = Input<_, P.Failure, _, _>(self, demand, accept: accept, onCompletion: onCompletion)
    if add(input, demand) { publisher.subscribe(input) }
  }

  /// Subscribes to a publisher whose failure ends the stream, after the values that have been requested.
  @inlinable
  func join<P: Publisher>(
    _ publisher: P, _ demand: InputDemand, accept: @escaping (Delivery, P.Output) -> Void,
    onFinish: @escaping (Delivery) -> Void
  ) where P.Failure == Failure {
    join(publisher, demand, accept: accept) {
      if case .failure = $1 { $0.finish($1, unrequested: .dropped) } else { onFinish($0) }
    }
  }

  /// Sends the subscription, and subscribes to the only publisher, which is then requested while it is subscribed to: one
  /// that begins by itself, such as a merge, drops at a failure what has not been requested. Takes the place of
  /// ``DeliverySubscription/sendSubscription()``.
  @inlinable
  func joinAlone<P: Publisher>(
    _ publisher: P, accept: @escaping (Delivery, P.Output) -> Void,
    onCompletion: @escaping (Delivery, Subscribers.Completion<P.Failure>) -> Void
  ) {
    let input = Input<_, P.Failure, _, _>(self, .demanded, accept: accept, onCompletion: onCompletion)
    guard add(input, .demanded) else { return }
    sendSubscription()
    // The subscriber may have cancelled: nothing is to begin for it, such as a closure of `Deferred`.
    if !input.hasEnded { publisher.subscribe(input) }
  }
}
