extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Delivers elements until another sequence delivers one.
  ///
  /// See ``AsyncPrefixUntilOutputSequence``.
  ///
  /// - Parameter other: The sequence whose first element ends the result.
  @inlinable
  public func prefix<Other: AsyncSequence & Sendable>(
    untilOutputFrom other: Other
  ) -> AsyncPrefixUntilOutputSequence<Self, Other> {
    AsyncPrefixUntilOutputSequence(self, other)
  }
}

/// An asynchronous sequence of the elements of another one up to the first element of a third.
///
/// `prefix(untilOutputFrom:)` makes one.
///
/// ```swift
/// let (stops, stop) = AsyncStream.makeStream(of: Void.self)
/// let ticks = AsyncTimerSequence(interval: .milliseconds(1), clock: .continuous)
/// for await tick in ticks.prefix(untilOutputFrom: stops) {
///   print(tick)
///   stop.yield()  // The loop ends.
/// }
/// ```
///
/// The sequence ends with the other's first element, or when the base ends. If the other ends or fails without an
/// element, all of the base's elements are delivered. A failure of the base ends the sequence; the other's failure type
/// does not count.
///
/// The other counts with what it has delivered when the consumer calls `next()`, and while it waits. If both have elements
/// available then, it is not said which comes first.
///
/// No element of the base is taken before the consumer calls `next()`; the other's first element is. Each is iterated in
/// a task of its own, which the first call of `next()` starts, and which never runs on the consumer's actor: the other
/// also ends a sequence whose base ignores cancellation.
///
/// - Cancellation: Cancelling the task cancels both sequences and ends the iteration with `nil`. Releasing the iterator
///   cancels both, too.
public struct AsyncPrefixUntilOutputSequence<Base: AsyncSequence, Other: AsyncSequence>: AsyncSequence, Sendable
where Base: Sendable, Base.Element: Sendable, Other: Sendable {
  /// The elements are those of the base.
  public typealias Element = Base.Element
  /// The base's failure.
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
    /// Nil after the end, so that what has not been delivered is released.
    @usableFromInline var input: FanInInput<Base.Element>?
    @usableFromInline var joined: FanInConsumer<Failure>

    @inlinable
    init(_ base: Base, _ other: Other) {
      let input = FanInInput(base)
      self.input = input
      let signal = FanInInput<Never>(other, ignoresFailure: true) { _, _ in .deliverLast }
      joined = FanInConsumer(FanInRule(end: .last), [signal, input])
    }

    /// The next element, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      defer { if joined.isFinished { input = nil } }
      if try await joined.next(isolation: actor) == 1 { return input?.take() }
      joined.finish()
      return nil
    }
  }
}

@available(*, unavailable)
extension AsyncPrefixUntilOutputSequence.Iterator: Sendable {}
