import Combine

/// A publisher for ``PublisherVerification`` to check, with what makes it deliver if it does not do so by itself.
///
/// A publisher that begins to deliver on request needs nothing more. One that is fed from outside, such as a
/// subject, comes with a closure that feeds it:
///
/// ```swift
/// let subject = PassthroughSubject<Int, Never>()
/// let driven = PublisherUnderTest(subject) {
///   for number in 0..<5 { subject.send(number) }
///   subject.send(completion: .finished)
/// }
/// ```
///
/// With a closure that sends a single value, it is also checked what becomes of a value that one thread sends while
/// another delivers:
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
  ///   - drive: Makes it deliver its values and its completion; `nil` for one that does so on request. It is
  ///     called once every subscriber has its subscription; it may be called on any thread, on several at once, and
  ///     again after the end.
  ///   - send: Makes it deliver one more value to every subscriber that has asked for it, before it returns; `nil` for
  ///     a publisher that nobody sends to. It is called instead of `drive`, on any thread and on several at once.
  public init<P: Publisher>(
    _ publisher: P, drive: (@Sendable () -> Void)? = nil, send: (@Sendable () -> Void)? = nil
  ) {
    subscribe = { publisher.subscribe(ProbeSubscriber<P.Output, P.Failure>($0)) }
    self.drive = drive
    self.send = send
    name = String(reflecting: P.self)
  }
}
