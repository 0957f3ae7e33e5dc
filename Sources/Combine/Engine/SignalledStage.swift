import Synchronization

/// What the operators stand on that wait for a signal: the first value of a second publisher.
///
/// The signal comes from any thread, and may come before upstream has sent its subscription. A signal that ends the
/// stream while the subscriber is being called leaves the completion to whoever makes that call.
@usableFromInline
class SignalledStage<Failure: Error, Downstream: Subscriber>: Stage<Failure, Downstream> {
  @usableFromInline final let signalledLink: SignalledLink

  // Written before the link is told of the stop, read after: the link's state orders the two.
  private final var stopCompletion: Subscribers.Completion<Failure>?

  @usableFromInline
  init(_ downstream: Downstream, _ name: OperatorName) {
    signalledLink = SignalledLink(name)
    super.init(downstream, signalledLink)
  }

  @usableFromInline
  final override func receive(subscription: any Subscription) {
    guard link.link(subscription) else { return }
    if signalledLink.isStopped { link.sever() }
    downstream.receive(subscription: link)
    leave()
  }

  @usableFromInline
  final override func receive(completion: Subscribers.Completion<Failure>) {
    guard signalledLink.finishAll() else { return }
    downstream.receive(completion: completion.routed())
  }

  /// Ends the stream because of the signal: cancels upstream, and tells the subscriber when it is not being called.
  @usableFromInline
  final func stop(_ completion: Subscribers.Completion<Failure>) {
    stopCompletion = completion
    if signalledLink.stop() { downstream.receive(completion: completion.routed()) }
  }

  /// Ends a call to the subscriber, for which the link has given leave.
  @inlinable
  final func leave() {
    if signalledLink.leave() { deliverStop() }
  }

  @usableFromInline
  final func deliverStop() {
    if let stopCompletion { downstream.receive(completion: stopCompletion.routed()) }
  }
}

/// The link of an operator that waits for a signal, which holds the link to that signal's publisher too.
@usableFromInline
final class SignalledLink: UpstreamLink {
  @inlinable static var stopped: UInt { 1 }
  @inlinable static var over: UInt { 2 }
  @inlinable static var call: UInt { 4 }

  /// Whether a signal has stopped the stream, whether it is over otherwise, and how many calls to the subscriber are
  /// running: one inside another, and the first from the beginning until the subscriber has its subscription.
  @usableFromInline let state = Atomic<UInt>(SignalledLink.call)

  @usableFromInline let signal: UpstreamLink

  @usableFromInline
  override init(_ name: OperatorName) {
    signal = UpstreamLink(name)
    super.init(name)
  }

  /// The signal's subscriber holds the stage, too.
  override var letsGo: Bool { super.letsGo && signal.letsGo }

  var isStopped: Bool { state.load(ordering: .acquiring) & Self.stopped != 0 }

  /// Begins a call to the subscriber.
  ///
  /// - Returns: Whether it may be made; then ``leave()`` must follow.
  @inlinable
  func enter() -> Bool {
    let old = state.wrappingAdd(Self.call, ordering: .acquiringAndReleasing).oldValue
    if old & (Self.stopped | Self.over) == 0 { return true }
    state.wrappingSubtract(Self.call, ordering: .acquiringAndReleasing)
    return false
  }

  /// Ends a call to the subscriber.
  ///
  /// - Returns: Whether a signal has stopped the stream meanwhile, so that the caller is to deliver its completion.
  @inlinable
  func leave() -> Bool {
    state.wrappingSubtract(Self.call, ordering: .acquiringAndReleasing).newValue == Self.stopped
  }

  /// Stops the stream because of the signal, and cancels upstream.
  ///
  /// - Returns: Whether no call is running, so that the caller is to deliver the completion.
  func stop() -> Bool {
    let old = state.bitwiseOr(Self.stopped, ordering: .acquiringAndReleasing).oldValue
    // Before there is a subscription, the link must stay able to take it. Who links after this finds the stop.
    let wasLinked = severIfLinked()
    return wasLinked && old < Self.call
  }

  /// Ends the link because upstream has completed, and cancels the signal's.
  ///
  /// - Returns: Whether the completion is to be passed on.
  func finishAll() -> Bool {
    guard finish() else { return false }
    state.bitwiseOr(Self.over, ordering: .acquiringAndReleasing)
    signal.cancel()
    return true
  }

  @usableFromInline
  override func cancel() {
    state.bitwiseOr(Self.over, ordering: .acquiringAndReleasing)
    super.cancel()
    signal.cancel()
  }
}

/// The subscriber of the publisher that gives a signal, of which it asks one value. It shows itself as its stage does.
@usableFromInline
final class Signal<Input, Failure: Error>: Subscriber, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  @usableFromInline let stage: any CustomReflectable
  @usableFromInline let link: UpstreamLink
  @usableFromInline let onValue: () -> Void
  @usableFromInline let onCompletion: (Subscribers.Completion<Failure>) -> Void

  /// - Parameter onCompletion: Called where there was no value.
  @usableFromInline
  init(
    of stage: any CustomReflectable, _ link: UpstreamLink, onValue: @escaping () -> Void,
    onCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
  ) {
    self.stage = stage
    self.link = link
    self.onValue = onValue
    self.onCompletion = onCompletion
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if link.link(subscription) { link.request(.max(1)) }
  }

  @usableFromInline
  func receive(_ input: Input) -> Subscribers.Demand {
    if link.sever() { onValue() }
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    if link.finish() { onCompletion(completion) }
  }

  @usableFromInline var description: String { link.description }
  @usableFromInline var playgroundDescription: Any { link.description }
  @usableFromInline var customMirror: Mirror { Mirror(self, children: stage.customMirror.children) }
}
