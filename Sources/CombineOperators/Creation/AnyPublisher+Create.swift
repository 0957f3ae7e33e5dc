import Combine

extension AnyPublisher {
  /// Makes a publisher of a closure that sends values to a subscriber, now or later.
  ///
  /// ```swift
  /// let downloads = AnyPublisher<String, Never>.create { subscriber in
  ///   subscriber.send("started")
  ///   subscriber.send(completion: .finished)
  ///   return AnyCancellable { print("ended") }
  /// }
  /// ```
  ///
  /// - Demand: Values that have not been requested are buffered. After the subscriber's first request, the completion
  ///   does not wait for them and drops them; with ``Combine/AnyPublisher/create(buffering:_:)`` it follows them.
  /// - Cancellation: The returned cancellable is cancelled, also after a completion.
  /// - Parameter factory: Called for each subscriber.
  public static func create(_ factory: @escaping Publishers.Create<Output, Failure>.SubscriberHandler) -> AnyPublisher {
    AnyPublisher(factory)
  }

  /// Makes a publisher of a closure that sends values to a subscriber. The same as ``create(_:)``.
  public init(_ factory: @escaping Publishers.Create<Output, Failure>.SubscriberHandler) {
    self = Publishers.Create(factory: factory).eraseToAnyPublisher()
  }

  /// Makes a publisher of a closure that sends values to a subscriber, and says what happens to those that nobody has
  /// requested.
  ///
  /// - Demand: The closure runs before the subscriber receives its subscription. What it sends before it returns has not
  ///   been requested, even by a `sink`, and is buffered or dropped as the policy says. The completion follows the buffered
  ///   values.
  /// - Cancellation: The returned cancellable is cancelled, also after a completion.
  /// - Parameters:
  ///   - buffering: What happens to values that have not been requested.
  ///   - factory: Called for each subscriber.
  public static func create(
    buffering: CreateBufferingPolicy, _ factory: @escaping Publishers.Create<Output, Failure>.SubscriberHandler
  ) -> AnyPublisher {
    Publishers.Create(buffering: buffering, factory: factory).eraseToAnyPublisher()
  }
}
