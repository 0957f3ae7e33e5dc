import InterflowPrimitives

/// An asynchronous sequence of another one's elements, each with the latest element of a third.
///
/// `withLatestFrom(_:)` and `withLatestFrom(_:_:)` make one.
///
/// ```swift
/// let names = AsyncStream<String> {
///   $0.yield("Ann"); $0.finish()
/// }
/// let ticks = AsyncTimerSequence(interval: .milliseconds(1), clock: .continuous)
/// for await (_, name) in ticks.withLatestFrom(names) {
///   print(name)  // Ann
///   break
/// }
/// ```
///
/// An element of the base is delivered with the element that the other had delivered last when it came. Elements of the
/// base that come before the other's first are dropped. The sequence ends when the base ends; after the other has ended,
/// its last element counts. A failure of either ends the sequence: an element of the base that has arrived before is
/// delivered first, then the failure.
///
/// A sequence that cannot fail does not count for the failure type; two different failure types give `any Error`.
///
/// No element of the base is taken before the consumer calls `next()`. The other's elements are all taken as they come,
/// from the first `next()` on, also while the consumer is busy, and only the latest one is kept; so another sequence
/// that always has an element keeps a thread busy. Each is iterated in a task of its own, which the first call of
/// `next()` starts, and which never runs on the consumer's actor. If both have elements available then, it is not said
/// how many of the base's come before the other's first.
///
/// - Cancellation: Cancelling the task cancels both sequences and ends the iteration with `nil`. Releasing the iterator
///   cancels both, too.
public struct AsyncWithLatestFromSequence<Base: AsyncSequence, Other: AsyncSequence, Element>: AsyncSequence, Sendable
where Base: Sendable, Base.Element: Sendable, Other: Sendable, Other.Element: Sendable {
  /// The base's failure. `withLatestFrom` chooses a base for which this fits the other as well.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let other: Other
  @usableFromInline let transform: @Sendable (Base.Element, Other.Element) -> Element

  @inlinable
  init(_ base: Base, _ other: Other, _ transform: @escaping @Sendable (Base.Element, Other.Element) -> Element) {
    self.base = base
    self.other = other
    self.transform = transform
  }

  /// Makes an iterator, and with it those of both sequences. Their tasks start with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public struct Iterator: _IsolatedIterator {
    @usableFromInline let transform: @Sendable (Base.Element, Other.Element) -> Element
    /// Nil after the end, so that what has not been delivered is released.
    @usableFromInline var input: FanInInput<(Base.Element, Other.Element)>?
    @usableFromInline var joined: FanInConsumer<Failure>

    @inlinable
    init(_ sequence: AsyncWithLatestFromSequence) {
      transform = sequence.transform
      let latest = LatestValue<Other.Element>()
      let input = FanInInput(sequence.base) { (input: FanInInput<(Base.Element, Other.Element)>, element) in
        // The sequences need not look at cancellation.
        guard let value = latest.load() else { return Task.isCancelled ? .stop : .takeNext }
        input.store((element, value))
        return .deliver
      }
      let other = FanInInput<Never>(sequence.other) { _, value in
        latest.store(value)
        return Task.isCancelled ? .stop : .takeNext
      }
      joined = FanInConsumer(FanInRule(end: .last), [other, input])
      self.input = input
    }

    /// The next element, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      defer { if joined.isFinished { input = nil } }
      guard try await joined.next(isolation: actor) != nil, let (element, value) = input?.take() else { return nil }
      return transform(element, value)
    }
  }
}

/// The latest value that one task has stored, for another one.
@usableFromInline
final class LatestValue<Value>: @unchecked Sendable {
  // Guarded by `lock`: `value`.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var value: Value?

  @inlinable init() {}

  @inlinable
  func store(_ newValue: Value) {
    lock.lock()
    let old = value
    value = newValue
    lock.unlock()
    releaseOutsideLock(old)
  }

  @inlinable
  func load() -> Value? {
    lock.lock()
    let value = value
    lock.unlock()
    return value
  }
}

@available(*, unavailable)
extension AsyncWithLatestFromSequence.Iterator: Sendable {}
