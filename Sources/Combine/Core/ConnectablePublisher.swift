/// A publisher that delivers nothing before ``connect()`` is called, so that several subscribers can be attached first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts delivering to the subscribers.
  ///
  /// - Returns: A cancellable that ends the connection.
  func connect() -> any Cancellable
}
