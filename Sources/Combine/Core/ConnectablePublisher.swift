/// A publisher that waits for a call to ``connect()`` before it delivers anything, so that several subscribers can be
/// attached first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts delivering to the subscribers.
  ///
  /// - Returns: What ends the connection when it is cancelled.
  func connect() -> any Cancellable
}
