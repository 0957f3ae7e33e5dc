extension Subscribers {
  /// A subscriber that requests unlimited demand and calls a closure with each value.
  ///
  /// After ``cancel()`` or the completion it calls no closure, and has released its closures and its subscription.
  ///
  /// - Thread: The closures run on the thread on which the publisher delivers.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
  {
    private let link: SinkLink<Input, Failure>

    /// Makes a subscriber from two closures.
    public init(
      receiveCompletion: @escaping ((Subscribers.Completion<Failure>) -> Void),
      receiveValue: @escaping ((Input) -> Void)
    ) {
      link = SinkLink(
        CompletingSinkClosures(receiveCompletion: receiveCompletion, receiveValue: receiveValue), isShared: true)
    }

    /// The closure called with each value; after the end, a closure that does nothing.
    public var receiveValue: (Input) -> Void { link.current?.receiveValue ?? { _ in } }

    /// The closure called with the completion; after the end, a closure that does nothing.
    public var receiveCompletion: (Subscribers.Completion<Failure>) -> Void {
      link.current?.receiveCompletion ?? { _ in }
    }

    /// Requests unlimited demand. A second subscription is cancelled.
    public func receive(subscription: any Subscription) {
      link.receive(subscription: subscription)
    }

    /// Calls the closure with a value.
    public func receive(_ value: Input) -> Subscribers.Demand {
      link.receive(value)
    }

    /// Calls the closure with the completion, once, and releases the closures and the subscription.
    public func receive(completion: Subscribers.Completion<Failure>) {
      link.receive(completion: completion)
    }

    /// Cancels the subscription and releases it and the closures.
    ///
    /// Unlike with Apple's, if this is called before the subscription, that is cancelled when it comes.
    public func cancel() {
      link.cancel()
    }

    /// `Sink`.
    public var description: String { "Sink" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    /// `Sink`.
    public var playgroundDescription: Any { description }
  }
}

extension Publisher {
  /// Calls closures with each value and with the completion.
  ///
  /// - Demand: Requests unlimited demand.
  /// - Cancellation: No closure is called after it.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher
  ///   .sink { print($0) } receiveValue: { print($0) }  // 1, 2, finished
  /// ```
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called once with the completion, unless the subscription is cancelled first.
  ///   - receiveValue: Called with each value.
  /// - Returns: A cancellable that cancels the subscription, also when it is deallocated.
  @inlinable
  public func sink(
    receiveCompletion: @escaping ((Subscribers.Completion<Failure>) -> Void),
    receiveValue: @escaping ((Output) -> Void)
  ) -> AnyCancellable {
    sink(CompletingSinkClosures(receiveCompletion: receiveCompletion, receiveValue: receiveValue))
  }
}

extension Publisher {
  @inlinable
  func sink(_ closures: SinkClosures<Output, Failure>) -> AnyCancellable {
    let sink = SinkLink(closures, isShared: false)
    subscribe(sink)
    return AnyCancellable(target: sink)
  }
}

extension Publisher where Failure == Never {
  /// Calls a closure with each value.
  ///
  /// - Demand: Requests unlimited demand.
  /// - Cancellation: The closure is not called after it.
  /// - Returns: A cancellable that cancels the subscription, also when it is deallocated.
  @inlinable
  public func sink(receiveValue: @escaping ((Output) -> Void)) -> AnyCancellable {
    sink(SinkClosures(receiveValue: receiveValue))
  }
}
