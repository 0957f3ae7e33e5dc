import Combine

/// A publisher for ``PublisherVerification`` to check, with closures that make it deliver if it does not do so by
/// itself.
///
/// A publisher that delivers on request needs no closure. One to which values are sent, such as a subject, needs a
/// closure that sends them:
///
/// ```swift
/// let subject = PassthroughSubject<Int, Never>()
/// let driven = PublisherUnderTest(subject) {
///   for number in 0..<5 { subject.send(number) }
///   subject.send(completion: .finished)
/// }
/// ```
///
/// With a second closure, which sends a single value, it is also checked how a value is delivered that one thread sends
/// while another delivers:
///
/// ```swift
/// let sent = PublisherUnderTest(subject) {
///   for number in 0..<5 { subject.send(number) }
///   subject.send(completion: .finished)
/// } send: {
///   subject.send(5)
/// }
/// ```
public struct PublisherUnderTest: @unchecked Sendable {  // Subscribing from several threads is what is verified.
  let subscribe: (Probe) -> Void
  let drive: (@Sendable () -> Void)?
  let send: (@Sendable () -> Void)?
  let name: String

  /// Wraps a publisher.
  ///
  /// - Parameters:
  ///   - publisher: The publisher.
  ///   - drive: Sends all values and the completion; `nil` for a publisher that delivers on request. It is called once
  ///     every subscriber has its subscription. It may be called on any thread, on several at once, and again after the
  ///     completion.
  ///   - send: Sends one more value, and returns when every subscriber with demand has received it; `nil` for a
  ///     publisher to which nothing is sent. It is called instead of `drive`, on any thread and on several at once.
  public init<P: Publisher>(
    _ publisher: P, drive: (@Sendable () -> Void)? = nil, send: (@Sendable () -> Void)? = nil
  ) {
    subscribe = { publisher.subscribe(ProbeSubscriber<P.Output, P.Failure>($0)) }
    self.drive = drive
    self.send = send
    name = String(reflecting: P.self)
  }
}
