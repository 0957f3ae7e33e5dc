import InterflowPrimitives

/// An asynchronous sequence of tuples with one element of each of four or more others.
///
/// `zip` of four or more bases makes one. What ``AsyncZip2Sequence`` says of two bases is so for any number.
///
/// ```swift
/// let numbers = AsyncStream<Int> {
///   $0.yield(1); $0.finish()
/// }
/// let words = ["one"].async
/// for await (a, b, c, d) in zip(numbers, words, [2].async, words) {
///   print(a, b, c, d)  // 1 one 2 one
/// }
/// ```
///
/// - Cancellation: Cancelling the task or releasing the iterator cancels all bases.
public struct AsyncZipSequence<Failure: Error, each E: Sendable>: AsyncSequence, Sendable {
  /// A tuple with one element of each base.
  public typealias Element = (repeat each E)

  @usableFromInline let makeInputs: @Sendable () -> FanInInputs<repeat each E>

  @inlinable
  init(_ makeInputs: @escaping @Sendable () -> FanInInputs<repeat each E>) {
    self.makeInputs = makeInputs
  }

  /// Makes an iterator, and with it those of the bases. Their tasks start with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(makeInputs())
  }

  /// Delivers the tuples. Only one `next()` may be called at a time.
  public struct Iterator: _IsolatedIterator {
    /// Nil after the end, so that what has not been delivered is released.
    @usableFromInline var inputs: FanInInputs<repeat each E>?
    @usableFromInline var joined: FanInConsumer<Failure>

    @inlinable
    init(_ inputs: FanInInputs<repeat each E>) {
      self.inputs = inputs
      joined = FanInConsumer(.zip, inputs.erased)
    }

    /// The next tuple, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> (repeat each E)? {
      defer { if joined.isFinished { inputs = nil } }
      guard try await joined.next(isolation: actor) != nil, let inputs else { return nil }
      return (repeat (each inputs.all).taken())
    }
  }
}

@available(*, unavailable)
extension AsyncZipSequence.Iterator: Sendable {}
