extension Optional {
  /// A publisher of the optional's value, if it has one.
  ///
  /// Without a value it finishes at once. Cannot fail.
  ///
  /// ```swift
  /// let cancellable = Int("7").publisher.sink { print($0) }  // 7
  /// ```
  @inlinable
  public var publisher: Optional<Wrapped>.Publisher { Publisher(self) }

  /// A publisher of an optional's value, which it delivers with the first request, and then finishes.
  @frozen
  public struct Publisher: Combine.Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Wrapped
    /// A publisher of a value at hand cannot fail.
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
