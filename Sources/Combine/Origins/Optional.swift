extension Optional {
  /// A publisher of the optional's value, if it has one.
  ///
  /// The value is delivered with the first request. Without a value the publisher finishes immediately, without demand.
  ///
  /// ```swift
  /// let cancellable = Int("7").publisher.sink { print($0) }  // 7
  /// ```
  @inlinable
  public var publisher: Optional<Wrapped>.Publisher { Publisher(self) }

  /// A publisher of an optional's value, which it delivers with the first request, and then finishes.
  ///
  /// - Cancellation: Releases the subscriber and the value.
  @frozen
  public struct Publisher: Combine.Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Wrapped
    /// The publisher has its value, so it cannot fail.
    public typealias Failure = Never

    /// The value, if there is one.
    public let output: Wrapped?

    /// Makes a publisher of an optional's value.
    @inlinable
    public init(_ output: Wrapped?) {
      self.output = output
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Wrapped, S.Failure == Never {
      // Built on `OnceSubscription`, as `Just`; without a value, the shared empty subscription is enough.
      if let output {
        subscriber.receive(subscription: OnceSubscription(output, subscriber, "Optional"))
      } else {
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .finished)
      }
    }
  }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}
extension Optional.Publisher: Sendable where Wrapped: Sendable {}
