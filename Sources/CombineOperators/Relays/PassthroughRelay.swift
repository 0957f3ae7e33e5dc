import Combine

/// A relay that passes values to its subscribers and stores none.
///
/// It finishes when it is released, and not before.
///
/// ```swift
/// let taps = PassthroughRelay<String>()
/// let cancellable = taps.sink { print($0) }
/// taps.accept("play")  // play
/// ```
///
/// - Demand: A subscriber without demand misses values.
/// - Thread: A value is delivered on the thread that sends it. If another thread is delivering, the sender waits.
public final class PassthroughRelay<Output>: Relay {
  /// It never fails.
  public typealias Failure = Never

  private let storage = PassthroughSubject<Output, Never>()

  /// Makes a relay.
  public init() {}

  deinit {
    storage.send(completion: .finished)
  }

  /// Sends a value to the subscribers.
  public func accept(_ value: Output) {
    storage.send(value)
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    storage.receive(subscriber: subscriber)
  }

  /// Sends the values of a publisher to the subscribers, until the cancellable is cancelled or released. The publisher's
  /// completion is ignored.
  public func subscribe<P: Publisher>(_ publisher: P) -> AnyCancellable where P.Output == Output, P.Failure == Never {
    publisher.sink { [storage] in storage.send($0) }
  }

  /// Sends the values of another relay to the subscribers, until the cancellable is cancelled or released.
  public func subscribe<P: Relay>(_ publisher: P) -> AnyCancellable where P.Output == Output {
    publisher.sink { [storage] in storage.send($0) }
  }
}

// The subject, which is not known to be Sendable over every Combine, protects itself.
extension PassthroughRelay: @unchecked Sendable where Output: Sendable {}
