import InterflowPrimitives

/// An asynchronous sequence of the elements of another one after the first element of a third.
///
/// `drop(untilOutputFrom:)` makes one.
///
/// ```swift
/// let (starts, start) = AsyncStream.makeStream(of: Void.self)
/// start.yield()
/// let ticks = AsyncTimerSequence(interval: .milliseconds(1), clock: .continuous)
/// for await tick in ticks.drop(untilOutputFrom: starts) {
///   print(tick)
///   break
/// }
/// ```
///
/// The base's elements that come before the other's first are dropped. Nothing more is taken from the other after that.
/// The sequence ends when the base ends, or when the other ends without an element. A failure of the base, or of the
/// other before its first element, ends it, too.
///
/// A sequence that cannot fail does not count for the failure type; two different failure types give `any Error`.
///
/// The base is iterated from the start, but none of its elements is taken before the consumer calls `next()`; the
/// other's first element is. Each is iterated in a task of its own, which the first call of `next()` starts, and which
/// never runs on the consumer's actor. If both have elements available then, it is not said how many are dropped.
///
/// - Cancellation: Cancelling the task cancels both sequences and ends the iteration with `nil`. Releasing the iterator
///   cancels both, too.
public struct AsyncDropUntilOutputSequence<Base: AsyncSequence, Other: AsyncSequence>: AsyncSequence, Sendable
where Base: Sendable, Base.Element: Sendable, Other: Sendable {
  /// The elements are those of the base.
  public typealias Element = Base.Element
  /// The base's failure. `drop(untilOutputFrom:)` chooses a base for which this fits the other as well.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let other: Other

  @inlinable
  init(_ base: Base, _ other: Other) {
    self.base = base
    self.other = other
  }

  /// Makes an iterator, and with it those of both sequences. Their tasks start with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base, other)
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public struct Iterator: _IsolatedIterator {
    /// Which has an element after it has delivered one.
    @usableFromInline let signal: FanInInput<Void>
    /// Nil after the end, so that what has not been delivered is released.
    @usableFromInline var input: FanInInput<Base.Element>?
    @usableFromInline var joined: FanInConsumer<Failure>

    @inlinable
    init(_ base: Base, _ other: Other) {
      let input = FanInInput(base)
      self.input = input
      signal = FanInInput(other) { _, _ in .deliverLast }
      joined = FanInConsumer(FanInRule(end: .last, requires: .first), [signal, input])
    }

    /// The next element, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      defer { if joined.isFinished { input = nil } }
      var dropped = 0
      while let index = try await joined.next(isolation: actor) {
        if index == 0 {
          signal.latest = ()
          continue
        }
        let element = input?.take()
        if signal.latest != nil { return element }
        // Lets other tasks run, though the base always has an element.
        dropped += 1
        if dropped & 63 == 0 { await Task.yield() }
      }
      return nil
    }
  }
}

@available(*, unavailable)
extension AsyncDropUntilOutputSequence.Iterator: Sendable {}
