import Combine

/// A publisher to which values can be sent, and which never completes while it exists.
///
/// It is what a subject is without completions: ``CurrentValueRelay`` and ``PassthroughRelay``.
public protocol Relay: Publisher where Failure == Never {
  /// The kind of its values.
  associatedtype Output

  /// Sends a value to the subscribers.
  func accept(_ value: Output)

  /// Sends the values of a publisher to the subscribers, until the cancellable is cancelled or released. The publisher's
  /// completion is ignored.
  func subscribe<P: Publisher>(_ publisher: P) -> AnyCancellable where P.Failure == Failure, P.Output == Output
}

extension Relay where Output == Void {
  /// Sends an empty value to the subscribers.
  public func accept() {
    accept(())
  }
}

extension Publisher where Failure == Never {
  /// Sends the values to a relay, until the cancellable is cancelled or released. The completion is ignored.
  ///
  /// ```swift
  /// let cancellable = numbers.subscribe(relay)
  /// ```
  ///
  /// Where both are relays, the receiver is the one that gets the values; see ``Relay/subscribe(_:)``.
  ///
  /// - Parameter relay: The relay, which is not retained.
  public func subscribe<R: Relay>(_ relay: R) -> AnyCancellable where R.Output == Output {
    relay.subscribe(self)
  }
}
