/// A subscriber that hides the type of another, or calls closures.
@frozen
public struct AnySubscriber<Input, Failure: Error>: Subscriber, CustomStringConvertible,
  CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  @usableFromInline let receiver: Receiver<Input, Failure>

  /// The identifier of the hidden subscriber.
  public var combineIdentifier: CombineIdentifier { receiver.combineIdentifier }

  /// Hides the type of a subscriber.
  @inlinable
  public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
    if let erased = subscriber as? AnySubscriber {
      self = erased
    } else {
      receiver = .of(subscriber)
    }
  }

  /// Makes a subscriber that sends what it receives into a subject. The subject requests unlimited demand.
  public init<S: Subject>(_ subject: S) where S.Output == Input, S.Failure == Failure {
    receiver = ReceiverOf(SubjectSubscriber(subject, isOwner: true))
  }

  /// Makes a subscriber that calls closures. Without `receiveValue`, values request no more.
  ///
  /// It requests nothing by itself: `receiveSubscription` has to, and has to keep the subscription to cancel it.
  @inlinable
  public init(
    receiveSubscription: ((any Subscription) -> Void)? = nil,
    receiveValue: ((Input) -> Subscribers.Demand)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
  ) {
    receiver = ReceiverOf(
      ClosureSubscriber(
        receiveSubscription: receiveSubscription, receiveValue: receiveValue,
        receiveCompletion: receiveCompletion))
  }

  /// Passes on a subscription.
  @inlinable
  public func receive(subscription: any Subscription) {
    receiver.receive(subscription: subscription)
  }

  /// Passes on a value.
  @inlinable
  public func receive(_ value: Input) -> Subscribers.Demand {
    receiver.receive(value)
  }

  /// Passes on a completion.
  @inlinable
  public func receive(completion: Subscribers.Completion<Failure>) {
    receiver.receive(completion: completion)
  }

  /// The description of the hidden subscriber.
  public var description: String { "\(receiver.wrapped)" }
  /// The mirror of the hidden subscriber.
  public var customMirror: Mirror { Mirror(reflecting: receiver.wrapped) }
  /// The description of the hidden subscriber.
  public var playgroundDescription: Any { description }
}

/// A subscriber that calls closures.
@usableFromInline
final class ClosureSubscriber<Input, Failure: Error>: Subscriber, CustomStringConvertible, CustomReflectable {
  @usableFromInline let receiveSubscription: ((any Subscription) -> Void)?
  @usableFromInline let receiveValue: ((Input) -> Subscribers.Demand)?
  @usableFromInline let receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?

  @inlinable
  init(
    receiveSubscription: ((any Subscription) -> Void)?,
    receiveValue: ((Input) -> Subscribers.Demand)?,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
  ) {
    self.receiveSubscription = receiveSubscription
    self.receiveValue = receiveValue
    self.receiveCompletion = receiveCompletion
  }

  @inlinable
  func receive(subscription: any Subscription) {
    receiveSubscription?(subscription)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    receiveValue?(input) ?? .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    receiveCompletion?(completion)
  }

  @usableFromInline var description: String { "Anonymous AnySubscriber" }
  @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
