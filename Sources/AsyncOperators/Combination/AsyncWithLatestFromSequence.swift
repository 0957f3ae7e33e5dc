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
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let transform: @Sendable (Base.Element, Other.Element) -> Element
    // Nil after the end.
    @usableFromInline var input: SamplingInput<Base, Other.Element>?
    @usableFromInline var other: AnyFanInInput?
    @usableFromInline var handle: FanInHandle?

    @inlinable
    init(_ sequence: AsyncWithLatestFromSequence) {
      transform = sequence.transform
      let other = LatestValueInput(sequence.other)
      let input = SamplingInput(sequence.base, other.latest)
      handle = FanInHandle(.last, [other, input])
      self.other = other
      self.input = input
    }

    /// The next element; `nil` after the end.
    @inlinable
    public nonisolated(nonsending) mutating func next() async throws(Failure) -> Element? {
      try await next(isolation: #isolation)
    }

    /// The next element, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      guard let handle else { return nil }
      let event = await handle.next(isolation: actor)
      if case .element = event {
        guard let (element, value) = input?.take() else { preconditionFailure("an input has delivered no element") }
        return transform(element, value)
      }
      let failed = event == .failure(0) ? other : input
      end()
      if case .failure = event, let failed { throw failed.failure(as: Failure.self) }
      return nil
    }

    @inlinable
    mutating func end() {
      handle = nil
      input = nil
      other = nil
    }
  }
}

@available(*, unavailable)
extension AsyncWithLatestFromSequence.Iterator: Sendable {}
