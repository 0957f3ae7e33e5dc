/// A subscriber of any type behind one that depends on the values alone.
///
/// The two functions are made where the subscriber's type is still known, so their bodies are specialised and take
/// the whole chain below into them; they capture nothing, so calling one costs neither a retain nor an allocation. A
/// method reached through a class's table or a protocol's would run unspecialised instead.
@usableFromInline
class Receiver<Input, Failure: Error>: Subscriber {
  @usableFromInline typealias Deliver = (Receiver, Input) -> Subscribers.Demand
  @usableFromInline typealias Control = (Receiver, ReceiverSignal) -> Void

  @usableFromInline let deliver: Deliver
  @usableFromInline let control: Control

  @inlinable class var _specializationDepth: Int { 0 }

  @inlinable
  init(deliver: @escaping Deliver, control: @escaping Control) {
    self.deliver = deliver
    self.control = control
  }

  @inlinable
  final func receive(subscription: any Subscription) {
    withUnsafePointer(to: subscription) { control(self, .subscription(UnsafeRawPointer($0))) }
  }

  @inlinable
  final func receive(_ input: Input) -> Subscribers.Demand {
    deliver(self, input)
  }

  @inlinable
  final func receive(completion: Subscribers.Completion<Failure>) {
    withUnsafePointer(to: completion) { control(self, .completion(UnsafeRawPointer($0))) }
  }

  @usableFromInline var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }

  /// The subscriber behind this, to describe it.
  @usableFromInline var wrapped: Any { fatalError("a receiver has to say whom it stands for") }
}

/// What a receiver is told at most once: one function serves for both, since every live subscription to a subject has
/// it. The pointers are good for the time of the call, and spare code that is not specialised copies and look-ups.
@frozen
@usableFromInline
enum ReceiverSignal {
  case subscription(UnsafeRawPointer)
  case completion(UnsafeRawPointer)
}

/// The receiver behind which a long chain goes on; see ``SpecializationDepth``.
@usableFromInline
class ChainReceiver<Input, Failure: Error>: Receiver<Input, Failure> {
  @inlinable override static var _specializationDepth: Int { SpecializationDepth.receiver }
}

/// The receiver that stands for one subscriber.
@usableFromInline
final class ReceiverOf<Downstream: Subscriber>: ChainReceiver<Downstream.Input, Downstream.Failure> {
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ downstream: Downstream) {
    self.downstream = downstream
    super.init(
      deliver: { unsafeDowncast($0, to: ReceiverOf.self).downstream.receive($1) },
      control: {
        let downstream = unsafeDowncast($0, to: ReceiverOf.self).downstream
        switch $1 {
        case .subscription(let subscription):
          downstream.receive(
            subscription: subscription.assumingMemoryBound(to: (any Subscription).self).pointee)
        case .completion(let completion):
          downstream.receive(
            completion: completion.assumingMemoryBound(to: Subscribers.Completion<Downstream.Failure>.self).pointee)
        }
      })
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

/// A receiver looks like the subscriber that it stands for.
extension Receiver: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  @usableFromInline var description: String { "\(wrapped)" }

  @usableFromInline var playgroundDescription: Any {
    (wrapped as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription ?? wrapped
  }

  @usableFromInline var customMirror: Mirror { Mirror(reflecting: wrapped) }
}
