import InterflowPrimitives

extension Subscribers {
  /// A subscriber that requests unlimited demand and assigns each value to a property.
  ///
  /// It retains the object until the completion or ``cancel()``.
  public final class Assign<Root, Input>: Subscriber, Cancellable, CustomStringConvertible,
    CustomReflectable,
    CustomPlaygroundDisplayConvertible
  {
    /// The publisher must not fail.
    public typealias Failure = Never

    /// The object; `nil` after the completion or the cancellation.
    public var object: Root? {
      lock.lock()
      defer { lock.unlock() }
      return root
    }

    /// The property.
    public let keyPath: ReferenceWritableKeyPath<Root, Input>

    // Guarded by `lock`: `root`.
    private let lock = Lock()
    private var root: Root?
    private let link = UpstreamLink("Assign")

    /// Makes a subscriber that assigns to a property of an object.
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      root = object
      self.keyPath = keyPath
    }

    /// Requests unlimited demand. A second subscription is cancelled.
    public func receive(subscription: any Subscription) {
      if link.link(subscription) { subscription.request(.unlimited) }
    }

    /// Assigns a value.
    public func receive(_ value: Input) -> Subscribers.Demand {
      if link.isLinked { object?[keyPath: keyPath] = value }
      return .none
    }

    /// Releases the object. A completion before the subscription is ignored.
    public func receive(completion: Subscribers.Completion<Never>) {
      if link.finish() { releaseObject() }
    }

    /// Cancels the subscription and releases the object.
    ///
    /// Unlike with Apple's, if this is called before the subscription, that is cancelled when it comes.
    public func cancel() {
      link.cancel()
      releaseObject()
    }

    private func releaseObject() {
      lock.lock()
      let released = root.take()
      lock.unlock()
      releaseOutsideLock(released)
    }

    /// `Assign Root.`, with the object's type.
    public var description: String { "Assign \(Root.self)." }
    /// `Assign Root.`, with the object's type.
    public var playgroundDescription: Any { description }
    /// The object, the property and the state of the subscription.
    public var customMirror: Mirror {
      Mirror(
        self, children: ["object": object as Any, "keyPath": keyPath, "status": link.status])
    }
  }
}

extension Publisher where Failure == Never {
  /// Assigns each value to a property of an object.
  ///
  /// - Demand: Requests unlimited demand.
  /// - Cancellation: The object is retained until the completion or the cancellation. An object that assigns to itself
  ///   and stores the cancellable retains itself.
  ///
  /// ```swift
  /// final class Counter { var count = 0 }
  /// let counter = Counter()
  /// let cancellable = [1, 2].publisher.assign(to: \.count, on: counter)
  /// ```
  public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root)
    -> AnyCancellable
  {
    let subscriber = Subscribers.Assign(object: object, keyPath: keyPath)
    subscribe(subscriber)
    return AnyCancellable(subscriber)
  }
}
