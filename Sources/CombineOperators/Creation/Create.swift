import Combine

extension Publishers {
  /// A publisher whose values a closure sends, for each subscriber.
  ///
  /// See ``Combine/AnyPublisher/create(_:)``.
  public struct Create<Output, Failure: Error>: Publisher {
    /// Sends values to a subscriber, now or later, and returns what is cancelled when the stream ends.
    public typealias SubscriberHandler = (Subscriber) -> any Cancellable

    private let factory: SubscriberHandler
    private let buffering: CreateBufferingPolicy?

    /// Makes a publisher of a closure.
    ///
    /// - Parameter factory: Called for each subscriber.
    public init(factory: @escaping SubscriberHandler) {
      self.factory = factory
      buffering = nil
    }

    /// Makes a publisher of a closure.
    ///
    /// - Parameters:
    ///   - buffering: What happens to values that have not been requested.
    ///   - factory: Called for each subscriber.
    public init(buffering: CreateBufferingPolicy, factory: @escaping SubscriberHandler) {
      self.factory = factory
      self.buffering = buffering
    }

    /// Attaches a subscriber.
    public func receive<S: Combine.Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let delivery = Delivery(subscriber, "Create", NoValues())
      let buffering = self.buffering
      let cancellable = factory(
        Subscriber { value in
          delivery.withTurn { $0.send(value, buffering ?? .unbounded) }
        } onCompletion: { completion in
          delivery.withTurn { $0.finish(completion, unrequested: buffering == nil ? .droppedAfterFirstRequest : .kept) }
        })
      delivery.cancelAtEnd(cancellable)
      delivery.sendSubscription()
    }
  }
}

extension Publishers.Create {
  /// What the closure of a ``Combine/Publishers/Create`` sends values to, on any thread.
  ///
  /// - Thread: A value is delivered on the thread that sends it. If another thread is delivering, the sender waits.
  public struct Subscriber {
    private let onValue: (Output) -> Void
    private let onCompletion: (Subscribers.Completion<Failure>) -> Void

    fileprivate init(
      onValue: @escaping (Output) -> Void, onCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) {
      self.onValue = onValue
      self.onCompletion = onCompletion
    }

    /// Sends a value. Ignored after a completion and after the cancellation.
    public func send(_ input: Output) {
      onValue(input)
    }

    /// Ends the stream. Ignored after a completion and after the cancellation.
    public func send(completion: Subscribers.Completion<Failure>) {
      onCompletion(completion)
    }
  }
}

/// What happens to values that are sent to the subscriber of a ``Combine/Publishers/Create`` before it has requested them.
///
/// Among these are the values that the closure sends before it returns, since the subscriber can request nothing before
/// that.
public enum CreateBufferingPolicy: Sendable, Hashable {
  /// All are buffered.
  case unbounded
  /// The oldest are buffered, as many as the number says; others are dropped.
  case bufferingOldest(Int)
  /// The newest are buffered, as many as the number says; others are dropped.
  case bufferingNewest(Int)
}

extension Delivery {
  /// Delivers a value immediately if demand allows it. Otherwise buffers it, if there is room.
  fileprivate func send(_ value: Output, _ policy: CreateBufferingPolicy) {
    guard isAccepting else { return }
    switch policy {
    case .unbounded: send(value)
    case .bufferingOldest(let limit): if unrequestedCount < max(0, limit) || takesValue { send(value) }
    case .bufferingNewest(let limit) where limit < 1: if takesValue { send(value) }
    case .bufferingNewest(let limit):
      // The release of the oldest may send values, which follow this one.
      withExtendedLifetime(takeOldestUnrequested(of: limit)) { send(value) }
    }
  }
}
