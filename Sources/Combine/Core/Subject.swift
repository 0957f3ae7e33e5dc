/// A publisher into which values can be sent from outside.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Sends a value to the subscribers that want one.
  func send(_ value: Output)

  /// Sends the end of the stream to every subscriber.
  func send(completion: Subscribers.Completion<Failure>)

  /// Gives the subject an upstream to draw values from.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Tells the subscribers that something happened, where there is no value to send.
  @inlinable
  public func send() {
    send(())
  }
}
