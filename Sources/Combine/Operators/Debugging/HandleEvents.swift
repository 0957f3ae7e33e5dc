extension Publishers {
  /// A publisher that calls closures with the signals that it passes on.
  @frozen
  public struct HandleEvents<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose signals are watched.
    public let upstream: Upstream
    /// Called with the subscription.
    public var receiveSubscription: ((any Subscription) -> Void)?
    /// Called with each value.
    public var receiveOutput: ((Upstream.Output) -> Void)?
    /// Called with the completion.
    public var receiveCompletion: ((Subscribers.Completion<Upstream.Failure>) -> Void)?
    /// Called when the subscriber cancels.
    public var receiveCancel: (() -> Void)?
    /// Called with each request.
    public var receiveRequest: ((Subscribers.Demand) -> Void)?

    /// Makes a publisher that watches the signals of another.
    @inlinable
    public init(
      upstream: Upstream, receiveSubscription: ((any Subscription) -> Void)? = nil,
      receiveOutput: ((Output) -> Void)? = nil,
      receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
      receiveCancel: (() -> Void)? = nil, receiveRequest: ((Subscribers.Demand) -> Void)? = nil
    ) {
      self.upstream = upstream
      self.receiveSubscription = receiveSubscription
      self.receiveOutput = receiveOutput
      self.receiveCompletion = receiveCompletion
      self.receiveCancel = receiveCancel
      self.receiveRequest = receiveRequest
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        EventsStage(
          subscriber, "HandleEvents",
          EventClosures(
            onSubscription: receiveSubscription, onOutput: receiveOutput, onCompletion: receiveCompletion,
            onRequest: receiveRequest, onCancel: receiveCancel)))
    }
  }
}

extension Publisher {
  /// Calls closures with signals, requests and the cancellation, before passing them on.
  ///
  /// Values and completions that come before the subscription are handled the same way. The closures are released with
  /// the completion or the cancellation, after which nothing is passed on.
  ///
  /// - Demand: Passes through.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher
  ///   .handleEvents(receiveOutput: { print("passing", $0) })
  ///   .sink { print($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - receiveSubscription: Called with the subscription.
  ///   - receiveOutput: Called with each value.
  ///   - receiveCompletion: Called with the completion.
  ///   - receiveCancel: Called when the subscriber cancels; not after the completion.
  ///   - receiveRequest: Called with each request, and with the demand that the subscriber returns for a value.
  @inlinable
  public func handleEvents(
    receiveSubscription: ((any Subscription) -> Void)? = nil,
    receiveOutput: ((Output) -> Void)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
    receiveCancel: (() -> Void)? = nil,
    receiveRequest: ((Subscribers.Demand) -> Void)? = nil
  ) -> Publishers.HandleEvents<Self> {
    Publishers.HandleEvents(
      upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion, receiveCancel: receiveCancel,
      receiveRequest: receiveRequest)
  }
}
