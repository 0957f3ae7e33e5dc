import InterflowPrimitives

/// An asynchronous sequence of tuples with the latest element of each of three others.
///
/// `combineLatest(_:_:_:)` makes one. What ``AsyncCombineLatest2Sequence`` says of two bases is so for three.
///
/// ```swift
/// let numbers = AsyncStream<Int> {
///   $0.yield(1); $0.finish()
/// }
/// for await (a, b, c) in combineLatest(numbers, numbers, numbers) {
///   print(a, b, c)
/// }
/// ```
///
/// - Cancellation: Cancelling the task or releasing the iterator cancels all bases.
public struct AsyncCombineLatest3Sequence<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>:
  AsyncSequence, Sendable
where
  Base1: Sendable, Base1.Element: Sendable, Base2: Sendable, Base2.Element: Sendable, Base3: Sendable,
  Base3.Element: Sendable
{
  /// A tuple with one element of each base.
  public typealias Element = (Base1.Element, Base2.Element, Base3.Element)
  /// The first base's failure. `combineLatest` chooses types for which this fits the others as well.
  public typealias Failure = Base1.Failure

  @usableFromInline let base1: Base1
  @usableFromInline let base2: Base2
  @usableFromInline let base3: Base3

  @inlinable
  init(_ base1: Base1, _ base2: Base2, _ base3: Base3) {
    self.base1 = base1
    self.base2 = base2
    self.base3 = base3
  }

  /// Makes an iterator, and with it those of the bases. Their tasks start with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base1, base2, base3)
  }

  /// Delivers the tuples. Only one `next()` may be called at a time.
  public struct Iterator: _IsolatedIterator {
    /// Nil after the end, so that what has not been delivered is released.
    @usableFromInline var input1: FanInInput<Base1.Element>?
    @usableFromInline var input2: FanInInput<Base2.Element>?
    @usableFromInline var input3: FanInInput<Base3.Element>?
    @usableFromInline var joined: FanInConsumer<Failure>

    @inlinable
    init(_ base1: Base1, _ base2: Base2, _ base3: Base3) {
      let input1 = FanInInput(base1)
      let input2 = FanInInput(base2)
      let input3 = FanInInput(base3)
      joined = FanInConsumer(.combineLatest, [input1, input2, input3])
      (self.input1, self.input2, self.input3) = (input1, input2, input3)
    }

    /// The next tuple, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      defer { if joined.isFinished { finish() } }
      var folded = 0
      while let index = try await joined.next(isolation: actor) {
        switch index {
        case 0: input1?.latest = input1?.take()
        case 1: input2?.latest = input2?.take()
        default: input3?.latest = input3?.take()
        }
        if let latest1 = input1?.latest, let latest2 = input2?.latest, let latest3 = input3?.latest {
          return (latest1, latest2, latest3)
        }
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
      input3?.latest = nil
      (input1, input2, input3) = (nil, nil, nil)
    }
  }
}

extension AsyncCombineLatest3Sequence: _StatedSequence {
  /// What it is made of; see `_StatedSequence`.
  public typealias _Inputs = (Base1, Base2, Base3)
  /// The function that makes it.
  public typealias _Operator = _StatedOperator.CombineLatest

  /// Makes the sequence where its type is stated.
  @inlinable
  public init(_inputs inputs: _Inputs) {
    self.init(inputs.0, inputs.1, inputs.2)
  }
}

@available(*, unavailable)
extension AsyncCombineLatest3Sequence.Iterator: Sendable {}
