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

  @usableFromInline let makeSlots: @Sendable () -> FanInSlots<repeat each E>

  @inlinable
  init(_ makeSlots: @escaping @Sendable () -> FanInSlots<repeat each E>) {
    self.makeSlots = makeSlots
  }

  /// Makes an iterator, and with it those of the bases. Their tasks start with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(makeSlots())
  }

  /// Delivers the tuples. Only one `next()` may be called at a time.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let slots: FanInSlots<repeat each E>
    @usableFromInline var pumps: [AnyFanInInput] = []
    /// Nil after the end.
    @usableFromInline var handle: FanInHandle?

    @inlinable
    init(_ slots: FanInSlots<repeat each E>) {
      self.slots = slots
      for slot in repeat each slots.all { pumps.append(slot) }
      handle = FanInHandle(.all, pumps)
    }

    /// The next tuple; `nil` after the end.
    @inlinable
    public nonisolated(nonsending) mutating func next() async throws(Failure) -> (repeat each E)? {
      try await next(isolation: #isolation)
    }

    /// The next tuple, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> (repeat each E)? {
      guard let handle else { return nil }
      switch await handle.next(isolation: actor) {
      case .element:
        return (repeat (each slots.all).taken())
      case .failure(let index):
        self.handle = nil
        throw pumps[index].failure(as: Failure.self)
      case .end, .pending:
        self.handle = nil
        return nil
      }
    }
  }
}

@available(*, unavailable)
extension AsyncZipSequence.Iterator: Sendable {}
