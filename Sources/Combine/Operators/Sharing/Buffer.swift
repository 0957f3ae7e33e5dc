import InterflowPrimitives

extension Publishers {
  /// How a buffer asks its upstream for values.
  public enum PrefetchStrategy: Sendable {
    /// Asks for as many values as the buffer holds, and for another when one leaves.
    case keepFull

    /// Asks for values without limit, and keeps what the subscriber has not asked for.
    case byRequest
  }

  /// What a full buffer does with a value that comes in.
  public enum BufferingStrategy<Failure: Error> {
    /// Drops the value that came in.
    case dropNewest

    /// Drops the value that has waited longest.
    case dropOldest

    /// Cancels upstream and fails with the closure's error, after the values that wait.
    case customError(() -> Failure)
  }

  /// A publisher that keeps values back until they are asked for.
  @frozen
  public struct Buffer<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are buffered.
    public let upstream: Upstream
    /// How many values the buffer holds.
    public let size: Int
    /// How the buffer asks upstream for values.
    public let prefetch: Publishers.PrefetchStrategy
    /// What the buffer does when it is full.
    public let whenFull: Publishers.BufferingStrategy<Failure>

    /// Makes a publisher that buffers the values of another.
    @inlinable
    public init(
      upstream: Upstream, size: Int, prefetch: Publishers.PrefetchStrategy,
      whenFull: Publishers.BufferingStrategy<Failure>
    ) {
      self.upstream = upstream
      self.size = size
      self.prefetch = prefetch
      self.whenFull = whenFull
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      // Async code has its own place for values that wait, where two tasks get less in each other's way.
      if let values = subscriber as? AsyncInboxSubscriber<Output, Failure>, keepsValues(in: values.inbox) {
        upstream.subscribe(values)
        return
      }
      upstream.subscribe(
        BufferSubscription(subscriber, size: size, prefetch: prefetch, whenFull: whenFull))
    }

    /// Whether an inbox could be told to do what the buffer would.
    @usableFromInline
    func keepsValues(in inbox: AsyncInboxSubscriber<Output, Failure>.Inbox) -> Bool {
      guard case .byRequest = prefetch else { return false }
      switch whenFull {
      case .dropNewest: return inbox.keepValues(capacity: size, keepsOldest: true)
      case .dropOldest: return inbox.keepValues(capacity: size, keepsOldest: false)
      case .customError: return size == .max && inbox.keepValues(capacity: size, keepsOldest: true)
      }
    }
  }
}

@usableFromInline
final class BufferSubscription<Downstream: Subscriber>: SerialSubscription<Void, Downstream>, OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let link = UpstreamLink("Buffer")
  @usableFromInline let size: Int
  @usableFromInline let prefetch: Publishers.PrefetchStrategy

  // Guarded by `lock`: both. `freed` counts the values that have left and whose places upstream is to be asked to fill.
  @usableFromInline @exclusivity(unchecked) var whenFull: Publishers.BufferingStrategy<Failure>?
  @usableFromInline @exclusivity(unchecked) var freed = 0

  @inlinable
  init(
    _ downstream: Downstream, size: Int, prefetch: Publishers.PrefetchStrategy,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) {
    self.size = size
    self.prefetch = prefetch
    self.whenFull = whenFull
    super.init(downstream, "Buffer", .awaitingSubscription)
  }

  @usableFromInline override var acceptsEmptyRequests: Bool { true }
  @usableFromInline override var acceptsCancellation: Bool { link.hasBegun }

  @usableFromInline
  func receive(subscription: any Subscription) {
    guard link.link(subscription) else { return }
    switch prefetch {
    case .keepFull: subscription.request(.max(size))
    case .byRequest: subscription.request(.unlimited)
    }
    sendSubscription()
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    if enqueue(input, (), size) { return prefetch == .keepFull ? takeFreed() + 1 : .none }
    return takeFreed()
  }

  /// Does with a value what is to be done when the buffer is full.
  @usableFromInline
  override func overflow(_ input: Input) {
    lock.lock()
    // There may be room again by now.
    let isFull = state.buffer.count >= size
    switch whenFull {
    case _ where !isFull:
      state.append(((), input))
      lock.unlock()
    case .dropNewest, nil:
      lock.unlock()
    case .dropOldest:
      let oldest = state.takeOldest()
      if size > 0 { state.append(((), input)) }
      lock.unlock()
      releaseOutsideLock(oldest)
    case .customError(let makeError):
      lock.unlock()
      link.cancel()
      finishAfterBuffered(.failure(makeError()))
    }
  }

  /// The demand for the places that values have left behind.
  @usableFromInline
  func takeFreed() -> Subscribers.Demand {
    guard prefetch == .keepFull else { return .none }
    lock.lock()
    let freed = self.freed
    self.freed = 0
    lock.unlock()
    return .max(freed)
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard link.finish() else { return }
    switch completion {
    case .finished: finishAfterBuffered(completion, needsDemand: true)
    case .failure: finishAfterBuffered(completion, dropsUnrequested: true)
    }
  }

  @usableFromInline
  override func didDeliver(_ tag: Void) {
    guard prefetch == .keepFull else { return }
    lock.lock()
    freed += 1
    needsForwarding = true
    lock.unlock()
  }

  @usableFromInline
  override func forward(_ more: Subscribers.Demand) {
    let freed = takeFreed()
    if freed != .none { link.request(freed) }
  }

  @usableFromInline
  override func cancelInputs() {
    lock.lock()
    let whenFull = self.whenFull.take()
    lock.unlock()
    withExtendedLifetime(whenFull) { link.cancel() }
  }
}

extension Publisher {
  /// Keeps values back until they are asked for, so that a subscriber with limited demand misses none.
  ///
  /// - Demand: With `.keepFull`, upstream is asked for `size` values, and for another when one leaves; with
  ///   `.byRequest`, for values without limit.
  ///
  /// `finished` is delivered after the values that wait, when there is demand left. A failure of upstream drops those
  /// that nobody has asked for; the error of a full buffer comes after all of them. Cancellation drops them.
  ///
  /// ```swift
  /// let subject = PassthroughSubject<Int, Never>()
  /// let buffered = subject.buffer(size: 16, prefetch: .byRequest, whenFull: .dropOldest)
  /// ```
  ///
  /// - Parameters:
  ///   - size: How many values the buffer holds.
  ///   - prefetch: How it asks upstream for values.
  ///   - whenFull: What it does with a value that finds it full.
  @inlinable
  public func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> {
    Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
  }
}
