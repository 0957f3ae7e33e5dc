/// Erases the type of a subscriber: depends on the types of its values and failure alone.
///
/// The two closures are formed where the subscriber's type is still known, so their bodies are specialised and inline
/// the whole chain downstream. They capture nothing, so a call costs neither a retain nor an allocation. A method that
/// is called through the table of a class or a protocol would run unspecialised instead.
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

  /// The subscriber that this receiver wraps, for descriptions.
  @usableFromInline var wrapped: Any { fatalError("a subclass must override wrapped") }
}

/// The signals that a receiver gets at most once. One closure handles both, since every live subscription to a subject
/// stores it. The pointers are valid during the call; they spare unspecialised code copies and metadata look-ups.
@frozen
@usableFromInline
enum ReceiverSignal {
  case subscription(UnsafeRawPointer)
  case completion(UnsafeRawPointer)
}

/// A receiver that may have a further chain of operators downstream; see ``SpecializationDepth``.
@usableFromInline
class ChainReceiver<Input, Failure: Error>: Receiver<Input, Failure> {
  @inlinable override static var _specializationDepth: Int { SpecializationDepth.receiver }
}

/// The receiver that wraps one subscriber.
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
  /// A receiver that wraps a subscriber, or the subscriber itself if it is a receiver already.
  @inlinable
  static func of<S: Subscriber>(_ subscriber: S) -> Receiver
  where S.Input == Input, S.Failure == Failure {
    (subscriber as? Receiver) ?? ReceiverOf(subscriber)
  }
}

// A receiver describes itself as the subscriber that it wraps.
extension Receiver: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  @usableFromInline var description: String { "\(wrapped)" }

  @usableFromInline var playgroundDescription: Any {
    (wrapped as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription ?? wrapped
  }

  @usableFromInline var customMirror: Mirror { Mirror(reflecting: wrapped) }
}
