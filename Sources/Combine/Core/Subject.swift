/// A publisher whose values, completion and upstream are sent into it by calling its methods.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Sends a value to the subscribers. What happens without demand is up to the subject.
  func send(_ value: Output)

  /// Sends the completion to all subscribers. After that, the subject ignores values and further completions.
  func send(completion: Subscribers.Completion<Failure>)

  /// Sends the subject a subscription, from which it requests the values that it then sends.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Sends `()` to the subscribers.
  @inlinable
  public func send() {
    send(())
  }
}
