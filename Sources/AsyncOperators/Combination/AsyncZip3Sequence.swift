import InterflowPrimitives

/// An asynchronous sequence of tuples with one element of each of three others.
///
/// `zip(_:_:_:)` makes one. What ``AsyncZip2Sequence`` says of two bases is so for three.
///
/// ```swift
/// let numbers = AsyncStream<Int> {
///   $0.yield(1); $0.finish()
/// }
/// for await (a, b, c) in zip(numbers, numbers, numbers) {
///   print(a, b, c)
/// }
/// ```
///
/// - Cancellation: Cancelling the task or releasing the iterator cancels all bases.
public struct AsyncZip3Sequence<Base1: AsyncSequence, Base2: AsyncSequence, Base3: AsyncSequence>: AsyncSequence,
  Sendable
where
  Base1: Sendable, Base1.Element: Sendable, Base2: Sendable, Base2.Element: Sendable, Base3: Sendable,
  Base3.Element: Sendable
{
  /// A tuple with one element of each base.
  public typealias Element = (Base1.Element, Base2.Element, Base3.Element)
  /// The first base's failure. `zip` chooses types for which this fits the others as well.
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
      joined = FanInConsumer(.zip, [input1, input2, input3])
      (self.input1, self.input2, self.input3) = (input1, input2, input3)
    }

    /// The next tuple, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      defer { if joined.isFinished { (input1, input2, input3) = (nil, nil, nil) } }
      guard
        try await joined.next(isolation: actor) != nil, let element1 = input1?.take(), let element2 = input2?.take(),
        let element3 = input3?.take()
      else { return nil }
      return (element1, element2, element3)
    }
  }
}

extension AsyncZip3Sequence: _StatedSequence {
  /// What it is made of; see `_StatedSequence`.
  public typealias _Inputs = (Base1, Base2, Base3)
  /// The function that makes it.
  public typealias _Operator = _StatedOperator.Zip

  /// Makes the sequence where its type is stated.
  @inlinable
  public init(_inputs inputs: _Inputs) {
    self.init(inputs.0, inputs.1, inputs.2)
  }
}

@available(*, unavailable)
extension AsyncZip3Sequence.Iterator: Sendable {}
