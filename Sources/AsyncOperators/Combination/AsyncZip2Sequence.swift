import InterflowPrimitives

/// An asynchronous sequence of tuples with one element of each of two others.
///
/// `zip(_:_:)` makes one.
///
/// ```swift
/// let names = AsyncStream<String> {
///   $0.yield("a"); $0.yield("b"); $0.finish()
/// }
/// let numbers = AsyncStream<Int> {
///   $0.yield(1); $0.yield(2); $0.finish()
/// }
/// for await (name, number) in zip(names, numbers) {
///   print(name, number)
/// }
/// ```
///
/// The first elements of the bases make the first tuple, and so on. The sequence ends as soon as one base ends; an
/// element of the other one that has no partner is dropped. A failure of a base ends it at once. Whichever base goes on
/// is cancelled.
///
/// An input that cannot fail does not count for the failure type; two different failure types give `any Error`.
///
/// Each base is iterated in a task of its own, which the first call of `next()` starts, and which never runs on the
/// consumer's actor. No element is taken before the consumer calls `next()`.
///
/// - Cancellation: Cancelling the task cancels both bases and ends the iteration with `nil`. Releasing the iterator
///   cancels both bases, too.
public struct AsyncZip2Sequence<Base1: AsyncSequence, Base2: AsyncSequence>: AsyncSequence, Sendable
where
  Base1: Sendable, Base1.Element: Sendable, Base2: Sendable, Base2.Element: Sendable
{
  /// A tuple with one element of each base.
  public typealias Element = (Base1.Element, Base2.Element)
  /// The first base's failure. `zip` chooses types for which this fits the others as well.
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
      joined = FanInConsumer(.zip, [input1, input2])
      (self.input1, self.input2) = (input1, input2)
    }

    /// The next tuple, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      defer { if joined.isFinished { (input1, input2) = (nil, nil) } }
      guard
        try await joined.next(isolation: actor) != nil, let element1 = input1?.take(), let element2 = input2?.take()
      else { return nil }
      return (element1, element2)
    }
  }
}

extension FanInRule {
  /// Each input delivers one at a time, and the end of one leaves no more tuples.
  @inlinable static var zip: Self { Self(delivers: .all, end: .any) }
}

extension AsyncZip2Sequence: _StatedSequence {
  /// What it is made of; see `_StatedSequence`.
  public typealias _Inputs = (Base1, Base2)
  /// The function that makes it.
  public typealias _Operator = _StatedOperator.Zip

  /// Makes the sequence where its type is stated.
  @inlinable
  public init(_inputs inputs: _Inputs) {
    self.init(inputs.0, inputs.1)
  }
}

@available(*, unavailable)
extension AsyncZip2Sequence.Iterator: Sendable {}
