/// A subscriber of any type behind one that depends on the values alone.
///
/// The three functions are made where the subscriber's type is still known, so their bodies are specialised and take
/// the whole chain below into them; they capture nothing, so calling one costs neither a retain nor an allocation. A
/// method reached through a class's table or a protocol's would run unspecialised instead.
@usableFromInline
class Receiver<Input, Failure: Error>: Subscriber {
  @usableFromInline typealias Accept = (Receiver, any Subscription) -> Void
  @usableFromInline typealias Deliver = (Receiver, Input) -> Subscribers.Demand
  @usableFromInline typealias Complete = (Receiver, Subscribers.Completion<Failure>) -> Void

  @usableFromInline let accept: Accept
  @usableFromInline let deliver: Deliver
  @usableFromInline let complete: Complete

  @inlinable
  init(accept: @escaping Accept, deliver: @escaping Deliver, complete: @escaping Complete) {
    self.accept = accept
    self.deliver = deliver
    self.complete = complete
  }

  @inlinable
  final func receive(subscription: any Subscription) {
    accept(self, subscription)
  }

  @inlinable
  final func receive(_ input: Input) -> Subscribers.Demand {
    deliver(self, input)
  }

  @inlinable
  final func receive(completion: Subscribers.Completion<Failure>) {
    complete(self, completion)
  }

  @usableFromInline var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }

  /// The subscriber behind this, to describe it.
  @usableFromInline var wrapped: Any { self }
}

/// The receiver that stands for one subscriber.
@usableFromInline
final class ReceiverOf<Downstream: Subscriber>: Receiver<Downstream.Input, Downstream.Failure> {
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ downstream: Downstream) {
    self.downstream = downstream
    super.init(
      accept: { unsafeDowncast($0, to: ReceiverOf.self).downstream.receive(subscription: $1) },
      deliver: { unsafeDowncast($0, to: ReceiverOf.self).downstream.receive($1) },
      complete: { unsafeDowncast($0, to: ReceiverOf.self).downstream.receive(completion: $1) })
  }

  @usableFromInline override var combineIdentifier: CombineIdentifier {
    downstream.combineIdentifier
  }

  @usableFromInline override var wrapped: Any { downstream }
}

extension Receiver {
  /// The receiver that stands for a subscriber: itself where it already is one.
  @inlinable
  static func of<S: Subscriber>(_ subscriber: S) -> Receiver
  where S.Input == Input, S.Failure == Failure {
    (subscriber as? Receiver) ?? ReceiverOf(subscriber)
  }
}
