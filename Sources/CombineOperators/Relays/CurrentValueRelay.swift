import Combine

/// A relay that stores the latest value, which a new subscriber receives first.
///
/// It finishes when it is released, and not before.
///
/// ```swift
/// let volume = CurrentValueRelay(3)
/// let cancellable = volume.sink { print($0) }  // 3
/// volume.accept(4)  // 4
/// ```
///
/// - Demand: A subscriber without demand misses values, and receives the latest when it requests again.
/// - Thread: A value is delivered on the thread that sends it. If another thread is delivering, the sender waits.
public final class CurrentValueRelay<Output>: Relay {
  /// It never fails.
  public typealias Failure = Never

  private let storage: CurrentValueSubject<Output, Never>

  /// Makes a relay.
  ///
  /// - Parameter value: The first value.
  public init(_ value: Output) {
    storage = CurrentValueSubject(value)
  }

  /// The latest value.
  public var value: Output { storage.value }

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
extension CurrentValueRelay: @unchecked Sendable where Output: Sendable {}
