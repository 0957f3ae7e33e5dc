import Combine

/// Makes ``OneByOneSink`` a member of `Subscribers`. As a member of a protocol extension it is hidden by a type of the
/// same name that a program adds to `Subscribers` itself. Two members of the type would be ambiguous.
public protocol _BridgedSubscribers {}

extension _BridgedSubscribers {
  /// A subscriber that handles one value at a time, and requests the next when the previous one is done.
  public typealias OneByOneSink<Input, Failure: Error> = Interflow.OneByOneSink<Input, Failure>
}

extension Subscribers: _BridgedSubscribers {}
