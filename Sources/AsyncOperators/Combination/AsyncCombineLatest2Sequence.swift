import InterflowPrimitives

/// An asynchronous sequence of tuples with the latest element of each of two others.
///
/// `combineLatest(_:_:)` makes one.
///
/// ```swift
/// let widths = AsyncStream<Int> {
///   $0.yield(1); $0.yield(2); $0.finish()
/// }
/// let heights = AsyncStream<Int> {
///   $0.yield(3); $0.finish()
/// }
/// for await (width, height) in combineLatest(widths, heights) {
///   print(width * height)
/// }
/// ```
///
/// There is a tuple for each element of a base after both have delivered one; before, a newer element of a base replaces
/// the older one. The sequence ends when both bases have ended, or when one ends without an element. A failure of a base
/// ends it at once: the tuples of elements that have arrived before are delivered first, then the failure, and the other
/// base is cancelled.
///
/// An input that cannot fail does not count for the failure type; two different failure types give `any Error`.
///
/// Each base is iterated in a task of its own, which the first call of `next()` starts, and which never runs on the
/// consumer's actor. At most one element of each base is taken before the consumer calls `next()`.
///
/// - Cancellation: Cancelling the task cancels both bases and ends the iteration with `nil`; elements that have arrived
///   are dropped. Releasing the iterator cancels both bases, too.
public struct AsyncCombineLatest2Sequence<Base1: AsyncSequence, Base2: AsyncSequence>: AsyncSequence, Sendable
where
  Base1: Sendable, Base1.Element: Sendable, Base2: Sendable, Base2.Element: Sendable
{
  /// A tuple with one element of each base.
  public typealias Element = (Base1.Element, Base2.Element)
  /// The first base's failure. `combineLatest` chooses types for which this fits the others as well.
  public typealias Failure = Base1.Failure

  @usableFromInline let base1: Base1
  @usableFromInline let base2: Base2

  @inlinable
  init(_ base1: Base1, _ base2: Base2) {
    self.base1 = base1
    self.base2 = base2
  }

  /// Makes an iterator, and with it those of the bases. Their tasks start with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base1, base2)
  }

  /// Delivers the tuples. Only one `next()` may be called at a time.
  public struct Iterator: _IsolatedIterator {
    /// Nil after the end, so that what has not been delivered is released.
    @usableFromInline var input1: FanInInput<Base1.Element>?
    @usableFromInline var input2: FanInInput<Base2.Element>?
    @usableFromInline var joined: FanInConsumer<Failure>

    @inlinable
    init(_ base1: Base1, _ base2: Base2) {
      let input1 = FanInInput(base1)
      let input2 = FanInInput(base2)
      joined = FanInConsumer(.combineLatest, [input1, input2])
      (self.input1, self.input2) = (input1, input2)
    }

    /// The next tuple, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      defer { if joined.isFinished { finish() } }
      var folded = 0
      while let index = try await joined.next(isolation: actor) {
        switch index {
        case 0: input1?.latest = input1?.take()
        default: input2?.latest = input2?.take()
        }
        if let latest1 = input1?.latest, let latest2 = input2?.latest { return (latest1, latest2) }
        // Lets other tasks run, though one base always has an element and another has none.
        folded += 1
        if folded & 63 == 0 { await Task.yield() }
      }
      return nil
    }

    /// Releases what copies of this iterator would keep, too.
    @inlinable
    mutating func finish() {
      input1?.latest = nil
      input2?.latest = nil
      (input1, input2) = (nil, nil)
    }
  }
}

extension FanInRule {
  /// An input that ends without an element leaves no tuples.
  @inlinable static var combineLatest: Self { Self(end: .all, requires: .each, requestsAhead: true) }
}

extension AsyncCombineLatest2Sequence: _StatedSequence {
  /// What it is made of; see `_StatedSequence`.
  public typealias _Inputs = (Base1, Base2)
  /// The function that makes it.
  public typealias _Operator = _StatedOperator.CombineLatest

  /// Makes the sequence where its type is stated.
  @inlinable
  public init(_inputs inputs: _Inputs) {
    self.init(inputs.0, inputs.1)
  }
}

@available(*, unavailable)
extension AsyncCombineLatest2Sequence.Iterator: Sendable {}
