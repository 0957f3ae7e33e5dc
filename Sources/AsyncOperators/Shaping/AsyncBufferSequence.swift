import InterflowPrimitives

extension AsyncSequence where Self: Sendable {
  /// Iterates the sequence ahead of its consumer, and buffers the elements.
  ///
  /// See ``AsyncBufferSequence``.
  ///
  /// - Parameter policy: How many elements are buffered, and what happens to more.
  @inlinable
  public func buffer(policy: AsyncBufferSequencePolicy) -> AsyncBufferSequence<Self> {
    AsyncBufferSequence(self, policy)
  }
}

/// An asynchronous sequence that iterates another one ahead of its consumer.
///
/// `buffer(policy:)` makes one.
///
/// ```swift
/// let lines = AsyncStream<String> {
///   $0.yield("a"); $0.finish()
/// }
/// for await line in lines.buffer(policy: .bufferingLatest(10)) {
///   print(line)
/// }
/// ```
///
/// The base is iterated in a task, which the first call of `next()` starts. It runs ahead as far as the policy says, and
/// no further: an element is taken from the base only if there is room for it, or the policy drops one. The elements come
/// in their order. The end and a failure of the base come after the buffered elements.
///
/// A limit of zero means no buffer: an element is taken from the base, in its task, when `next()` is called.
///
/// - Cancellation: Cancelling the task cancels the base, drops the buffered elements, and ends the iteration with `nil` at
///   once, also if the base ignores it.
///   Releasing the iterator cancels the base, too.
public struct AsyncBufferSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable {
  /// The elements are those of the base.
  public typealias Element = Base.Element
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let policy: AsyncBufferSequencePolicy

  @inlinable
  init(_ base: Base, _ policy: AsyncBufferSequencePolicy) {
    self.base = base
    self.policy = policy
  }

  /// Makes an iterator, and with it that of the base. Its task starts with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base, policy)
  }

  /// Delivers the elements of the base. Only one `next()` may be called at a time.
  public struct Iterator: _IsolatedIterator {
    @usableFromInline
    enum State {
      case unbuffered(_MergeIterator<Element, Failure>)
      case buffered(BufferIteration<Base>)
      case ended
    }

    @usableFromInline var state: State

    @inlinable
    init(_ base: Base, _ policy: AsyncBufferSequencePolicy) {
      // A race of one: it takes nothing ahead, and ends at once when it is cancelled.
      state =
        policy.limit == 0
        ? .unbuffered(_MergeIterator([FanInInput(base)], isRace: true)) : .buffered(BufferIteration(base, policy))
    }

    /// What cancels the base, for another thread.
    @inlinable var canceller: @Sendable () -> Void {
      switch state {
      case .unbuffered(let iteration):
        let engine = iteration.joined.handle?.engine
        return { engine?.cancel() }
      case .buffered(let iteration):
        let storage = iteration.storage
        return { storage.cancel() }
      case .ended:
        return {}
      }
    }

    /// The next element of the base, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      switch state {
      case .unbuffered(var iteration):
        // Also if the base throws.
        state = .ended
        let element = try await iteration.next(isolation: actor)
        if element != nil { state = .unbuffered(iteration) }
        return element
      case .buffered(let iteration):
        if let element = iteration.poll() { return element }
        do throws(Failure) {
          if let element = try await iteration.next(isolation: actor) { return element }
        } catch {
          state = .ended
          throw error
        }
        state = .ended
        return nil
      case .ended:
        return nil
      }
    }
  }
}

@available(*, unavailable)
extension AsyncBufferSequence.Iterator: Sendable {}

/// The consumer's part of a buffer: the elements that it has taken and not delivered. Its release stops the producer.
@usableFromInline
final class BufferIteration<Base: AsyncSequence & Sendable> {
  @usableFromInline typealias Storage = BufferStorage<Base.Element, Base.Failure>

  @usableFromInline let storage: Storage
  @usableFromInline let reportInterval: Int
  /// Until the start.
  @usableFromInline @exclusivity(unchecked) var iterator: IteratorTransfer<Base.AsyncIterator>?
  @usableFromInline @exclusivity(unchecked) var batch = RingBuffer<Base.Element>()
  @usableFromInline @exclusivity(unchecked) var unreported = 0

  @inlinable
  init(_ base: Base, _ policy: AsyncBufferSequencePolicy) {
    iterator = IteratorTransfer(base.makeAsyncIterator())
    storage = Storage(policy)
    reportInterval = storage.machine.reportInterval
  }

  @inlinable
  deinit {
    storage.cancel()
  }

  /// The next element if it has been taken out of the buffer before.
  @inlinable
  func poll() -> Base.Element? {
    if batch.isEmpty { return nil }
    if Task.isCancelled {
      storage.cancel()
      batch.removeAll()
      return nil
    }
    return deliver(batch.popFirst())
  }

  @inlinable
  func deliver(_ element: Base.Element?) -> Base.Element? {
    unreported &+= 1
    if unreported >= reportInterval {
      storage.delivered(unreported)
      unreported = 0
    }
    return element
  }

  @inlinable
  func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
    if Task.isCancelled {
      iterator = nil
      storage.cancel()
      return nil
    }
    if let iterator = iterator.take() {
      let storage = storage
      storage.start { await storage.run(iterator) }
    }
    while true {
      unreported = 0
      if let element = storage.take(&batch) { return deliver(element) }
      if try storage.takeEnd() { return nil }
      await storage.wait(isolation: actor)
    }
  }
}
