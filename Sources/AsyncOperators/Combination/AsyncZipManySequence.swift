import InterflowPrimitives

/// Joins any number of asynchronous sequences of one type to arrays, with one element of each.
///
/// See ``AsyncZipManySequence``.
@inlinable
public func zip<Bases: Collection>(_ bases: Bases) -> AsyncZipManySequence<Bases.Element>
where Bases.Element: AsyncSequence & Sendable, Bases.Element.Element: Sendable {
  AsyncZipManySequence(bases)
}

/// An asynchronous sequence of arrays with one element of each of any number of others.
///
/// `zip(_:)` makes one of a collection. What ``AsyncZip2Sequence`` says of two bases is so for any number. The elements are
/// in the order of the bases; without any base, the sequence ends at once.
///
/// ```swift
/// let streams = (1...3).map { number in
///   AsyncStream<Int> {
///     $0.yield(number); $0.finish()
///   }
/// }
/// for await numbers in zip(streams) {
///   print(numbers)  // [1, 2, 3]
/// }
/// ```
///
/// - Cancellation: Cancelling the task or releasing the iterator cancels all bases.
public struct AsyncZipManySequence<Base: AsyncSequence>: AsyncSequence, Sendable
where Base: Sendable, Base.Element: Sendable {
  /// An array with one element of each base.
  public typealias Element = [Base.Element]
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
    Iterator(bases)
  }

  /// Delivers the arrays. Only one `next()` may be called at a time.
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var inputs: [FanInInput<Base.Element>]
    @usableFromInline var joined: FanInConsumer<Failure>

    @inlinable
    init(_ bases: [Base]) {
      inputs = bases.map { FanInInput($0) }
      joined = FanInConsumer(.zip, inputs)
    }

    /// The next array, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      defer { if joined.isFinished { inputs = [] } }
      guard try await joined.next(isolation: actor) != nil else { return nil }
      return inputs.compactMap { $0.take() }
    }
  }
}

@available(*, unavailable)
extension AsyncZipManySequence.Iterator: Sendable {}
