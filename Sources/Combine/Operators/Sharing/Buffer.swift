import InterflowPrimitives

extension Publishers {
  /// How a buffer requests values from upstream.
  public enum PrefetchStrategy: Sendable {
    /// Requests as many values as the buffer holds, and another one for each that leaves it.
    ///
    /// For upstreams that wait for demand. A subject does not: it drops the values that it sends while the buffer is
    /// full and nothing more has been requested. Use ``byRequest`` behind a subject.
    case keepFull

    /// Requests unlimited demand, and buffers the values that the subscriber has not requested.
    case byRequest
  }

  /// What a full buffer does with another value.
  public enum BufferingStrategy<Failure: Error> {
    /// Drops the new value.
    case dropNewest

    /// Drops the oldest buffered value.
    case dropOldest

    /// Cancels upstream and fails with the closure's error, after the buffered values.
    case customError(() -> Failure)
  }

  /// A publisher that buffers values until they are requested.
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
    /// How the buffer requests values from upstream.
    public let prefetch: Publishers.PrefetchStrategy
    /// What the buffer does with a value when it is full.
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
      // An async sequence has its own buffer, in which the producer and the loop block each other less.
      if let values = subscriber as? AsyncInboxSubscriber<Output, Failure>, buffersValues(in: values.inbox) {
        upstream.subscribe(values)
        return
      }
      upstream.subscribe(
        BufferSubscription(subscriber, size: size, prefetch: prefetch, whenFull: whenFull))
    }

    /// Makes an inbox buffer as this publisher would.
    ///
    /// - Returns: Whether it can.
    @usableFromInline
    func buffersValues(in inbox: AsyncInboxSubscriber<Output, Failure>.Inbox) -> Bool {
      guard case .byRequest = prefetch else { return false }
      switch whenFull {
      case .dropNewest: return inbox.bufferWithoutDemand(capacity: size, keepsOldest: true)
      case .dropOldest: return inbox.bufferWithoutDemand(capacity: size, keepsOldest: false)
      case .customError: return size == .max && inbox.bufferWithoutDemand(capacity: size, keepsOldest: true)
      }
    }
  }
}

/// The subscription of `buffer`: a ``SerialSubscription`` that limits the number of buffered values and requests others
/// in place of those that leave.
@usableFromInline
final class BufferSubscription<Downstream: Subscriber>: SerialSubscription<Void, Downstream>, OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let link = UpstreamLink("Buffer")
  @usableFromInline let size: Int
  @usableFromInline let prefetch: Publishers.PrefetchStrategy

  // Guarded by the core's lock: everything below it. `freedSlots` counts the values that have left the buffer and have not been
  // requested again from upstream.
  @usableFromInline @exclusivity(unchecked) var whenFull: Publishers.BufferingStrategy<Failure>?
  @usableFromInline @exclusivity(unchecked) var freedSlots = 0

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
    if enqueue(input, (), size) { return prefetch == .keepFull ? takeFreedSlots() + 1 : .none }
    return takeFreedSlots()
  }

  /// Applies the buffering strategy to a value that has found the buffer full.
  @usableFromInline
  override func overflow(_ input: Input) {
    core.lock.lock()
    // A value may have left since the caller looked.
    let isFull = signals.elements.count >= size
    switch whenFull {
    case _ where !isFull:
      append(input, ())
      core.lock.unlock()
    case .dropNewest, nil:
      core.lock.unlock()
    case .dropOldest:
      let oldest = signals.takeOldest()
      if size > 0 { append(input, ()) }
      core.lock.unlock()
      releaseOutsideLock(oldest)
    case .customError(let makeError):
      core.lock.unlock()
      link.cancel()
      finishAfterBuffered(.failure(makeError()))
    }
  }

  /// The demand that replaces the values that have left.
  @usableFromInline
  func takeFreedSlots() -> Subscribers.Demand {
    guard prefetch == .keepFull else { return .none }
    core.lock.lock()
    let freed = freedSlots
    freedSlots = 0
    core.lock.unlock()
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
    core.lock.lock()
    freedSlots += 1
    core.requestForwarding()
    core.lock.unlock()
  }

  @usableFromInline
  override func forward(_ more: Subscribers.Demand) {
    let freed = takeFreedSlots()
    if freed != .none { link.request(freed) }
  }

  @usableFromInline
  override func cancelInputs() {
    core.lock.lock()
    let whenFull = self.whenFull.take()
    core.lock.unlock()
    withExtendedLifetime(whenFull) { link.cancel() }
  }
}

extension Publisher {
  /// Buffers values until they are requested, so that a subscriber with limited demand misses none.
  ///
  /// `finished` is delivered after the buffered values, when there is demand left. A failure of upstream drops the
  /// buffered values that have not been requested. The error of a full buffer is delivered after all buffered values.
  ///
  /// - Demand: With `.keepFull`, `size` values are requested from upstream, and another one for each that leaves the
  ///   buffer; with `.byRequest`, unlimited demand. A request for no values does nothing.
  /// - Cancellation: Cancels upstream and drops the buffered values.
  ///
  /// ```swift
  /// let subject = PassthroughSubject<Int, Never>()
  /// let buffered = subject.buffer(size: 16, prefetch: .byRequest, whenFull: .dropOldest)
  /// ```
  ///
  /// - Parameters:
  ///   - size: How many values the buffer holds.
  ///   - prefetch: How it requests values from upstream.
  ///   - whenFull: What it does with a value when it is full.
  @inlinable
  public func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> {
    Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
  }
}
