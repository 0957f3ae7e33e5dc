import Combine

/// Where ``OneByOneSink`` gets its name as a member of `Subscribers`: in an extension of a protocol, so that a class of
/// that name that a program has itself put there takes its place. Two members of the type would be ambiguous.
public protocol _BridgedSubscribers {}

extension _BridgedSubscribers {
  /// A subscriber that takes one value at a time, and requests the next when the previous one is done.
  public typealias OneByOneSink<Input, Failure: Error> = Interflow.OneByOneSink<Input, Failure>
}

extension Subscribers: _BridgedSubscribers {}
