import InterflowPrimitives

/// Iterates the fastest of any number of asynchronous sequences of one type.
///
/// See ``AsyncRaceManySequence``.
@inlinable
public func race<Bases: Collection>(_ bases: Bases) -> AsyncRaceManySequence<Bases.Element>
where Bases.Element: AsyncSequence & Sendable, Bases.Element.Element: Sendable {
  AsyncRaceManySequence(bases)
}

/// An asynchronous sequence of the elements of that one of any number of others which answers first.
///
/// `race(_:)` makes one of a collection. What ``AsyncRace2Sequence`` says of two bases is so for any number; without
/// any, the sequence ends at once.
///
/// ```swift
/// let streams = (1...10).map { number in
///   AsyncStream<Int> { if number == 7 { $0.yield(number); $0.finish() } }
/// }
/// for await number in race(streams) {
///   print(number)  // 7
/// }
/// ```
///
/// - Cancellation: Cancelling the task or releasing the iterator cancels all bases.
public struct AsyncRaceManySequence<Base: AsyncSequence>: AsyncSequence, Sendable
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
    Iterator(ContiguousArray(bases.map { FanInInput($0) }), isRace: true)
  }

  /// Delivers the elements. Only one `next()` may be called at a time.
  public typealias Iterator = _MergeIterator<Element, Failure>
}
