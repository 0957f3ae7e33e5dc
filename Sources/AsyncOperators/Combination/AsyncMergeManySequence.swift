import InterflowPrimitives

/// Merges any number of asynchronous sequences of one type: their elements, as they arrive.
///
/// See ``AsyncMergeManySequence``.
@inlinable
public func merge<Bases: Collection>(_ bases: Bases) -> AsyncMergeManySequence<Bases.Element>
where Bases.Element: AsyncSequence & Sendable, Bases.Element.Element: Sendable {
  AsyncMergeManySequence(bases)
}

/// An asynchronous sequence of the elements of any number of others, as they arrive.
///
/// `merge(_:)` makes one of a collection. What ``AsyncMerge2Sequence`` says of two bases is so for any number; without
/// any, the sequence ends at once.
///
/// ```swift
/// let streams = (1...10).map { number in
///   AsyncStream<Int> {
///     $0.yield(number); $0.finish()
///   }
/// }
/// for await number in merge(streams) {
///   print(number)
/// }
/// ```
///
/// - Cancellation: Cancelling the task or releasing the iterator cancels all bases.
/// - Complexity: An element costs the same for any number of bases.
public struct AsyncMergeManySequence<Base: AsyncSequence>: AsyncSequence, Sendable
where Base: Sendable, Base.Element: Sendable {
  /// The elements are those of the bases.
  public typealias Element = Base.Element
  /// The failure type of the bases.
  public typealias Failure = Base.Failure

  @usableFromInline let bases: [Base]

  @inlinable
  init(_ bases: some Collection<Base>) {
    self.bases = Array(bases)
  }

  /// Makes an iterator, and with it those of the bases. Their tasks start with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(ContiguousArray(bases.map { FanInInput($0) }))
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public typealias Iterator = _MergeIterator<Element, Failure>
}
