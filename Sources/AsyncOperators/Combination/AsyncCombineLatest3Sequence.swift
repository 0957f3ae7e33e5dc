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
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let input1: FanInInput<Base1>
    @usableFromInline let input2: FanInInput<Base2>
    @usableFromInline let input3: FanInInput<Base3>
    @usableFromInline var latest1: Base1.Element?
    @usableFromInline var latest2: Base2.Element?
    @usableFromInline var latest3: Base3.Element?
    /// Nil after the end.
    @usableFromInline var handle: FanInHandle?

    @inlinable
    init(_ base1: Base1, _ base2: Base2, _ base3: Base3) {
      input1 = FanInInput(base1)
      input2 = FanInInput(base2)
      input3 = FanInInput(base3)
      handle = FanInHandle(.latest, [input1, input2, input3])
    }

    /// The next tuple; `nil` after the end.
    @inlinable
    public nonisolated(nonsending) mutating func next() async throws(Failure) -> Element? {
      try await next(isolation: #isolation)
    }

    /// The next tuple, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      guard let handle else { return nil }
      var folded = 0
      while true {
        switch await handle.next(isolation: actor) {
        case .element(let index):
          switch index {
          case 0: latest1 = input1.take()
          case 1: latest2 = input2.take()
          default: latest3 = input3.take()
          }
          if let latest1, let latest2, let latest3 { return (latest1, latest2, latest3) }
          // Lets other tasks run, though one base always has an element and another has none.
          folded += 1
          if folded & 63 == 0 { await Task.yield() }
        case .failure(let index):
          end()
          let inputs: [AnyFanInInput] = [input1, input2, input3]
          throw inputs[index].failure(as: Failure.self)
        case .end, .pending:
          end()
          return nil
        }
      }
    }

    @inlinable
    mutating func end() {
      handle = nil
      latest1 = nil
      latest2 = nil
      latest3 = nil
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
