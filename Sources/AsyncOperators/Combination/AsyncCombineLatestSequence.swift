import InterflowPrimitives

/// An asynchronous sequence of tuples with the latest element of each of four or more others.
///
/// `combineLatest` of four or more bases makes one. What ``AsyncCombineLatest2Sequence`` says of two bases is so for any number.
///
/// ```swift
/// let numbers = AsyncStream<Int> {
///   $0.yield(1); $0.finish()
/// }
/// let words = ["one"].async
/// for await (a, b, c, d) in combineLatest(numbers, words, [2].async, words) {
///   print(a, b, c, d)  // 1 one 2 one
/// }
/// ```
///
/// - Cancellation: Cancelling the task or releasing the iterator cancels all bases.
public struct AsyncCombineLatestSequence<Failure: Error, each E: Sendable>: AsyncSequence, Sendable {
  /// A tuple with the latest element of each base.
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
      joined = FanInConsumer(.combineLatest, inputs.erased)
    }

    /// The next tuple, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> (repeat each E)? {
      guard let inputs else { return nil }
      defer {
        if joined.isFinished {
          // Those of copies of this iterator, too.
          for input in repeat each inputs.all { input.latest = nil }
          self.inputs = nil
        }
      }
      var folded = 0
      while let index = try await joined.next(isolation: actor) {
        var areKnown = true
        for input in repeat each inputs.all {
          if input.index == index { input.latest = input.take() }
          if input.latest == nil { areKnown = false }
        }
        if areKnown { return (repeat (each inputs.all).known()) }
        // Lets other tasks run, though one base always has an element and another has none.
        folded += 1
        if folded & 63 == 0 { await Task.yield() }
      }
      return nil
    }
  }
}

@available(*, unavailable)
extension AsyncCombineLatestSequence.Iterator: Sendable {}
