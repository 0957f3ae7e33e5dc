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
    @usableFromInline let inputs: (repeat FanInLatest<each E>)
    @usableFromInline var pumps: [AnyFanInInput] = []
    /// How many bases have not delivered an element.
    @usableFromInline var missing: Int
    /// Nil after the end.
    @usableFromInline var handle: FanInHandle?

    @inlinable
    init(_ slots: FanInSlots<repeat each E>) {
      inputs = (repeat FanInLatest(each slots.all))
      for slot in repeat each slots.all { pumps.append(slot) }
      missing = pumps.count
      handle = FanInHandle(.latest, pumps)
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
      var folded = 0
      while true {
        switch await handle.next(isolation: actor) {
        case .element(let index):
          for input in repeat each inputs {
            if input.slot.index == index, input.takesFirst() { missing -= 1 }
          }
          if missing == 0 { return (repeat (each inputs).known()) }
          // Lets other tasks run, though one base always has an element and another has none.
          folded += 1
          if folded & 63 == 0 { await Task.yield() }
        case .failure(let index):
          end()
          throw pumps[index].failure(as: Failure.self)
        case .end, .pending:
          end()
          return nil
        }
      }
    }

    @inlinable
    mutating func end() {
      handle = nil
      for input in repeat each inputs { input.latest = nil }
    }
  }
}

@available(*, unavailable)
extension AsyncCombineLatestSequence.Iterator: Sendable {}

/// An input and the element that it has delivered last. Only the consumer uses it.
@usableFromInline
final class FanInLatest<Element> {
  @usableFromInline let slot: FanInSlot<Element>
  @usableFromInline @exclusivity(unchecked) var latest: Element?

  @inlinable
  init(_ slot: FanInSlot<Element>) {
    self.slot = slot
  }

  /// Takes an element that has been reported.
  ///
  /// - Returns: Whether it is the first.
  @inlinable
  func takesFirst() -> Bool {
    let isFirst = latest == nil
    latest = slot.taken()
    return isFirst
  }

  @inlinable
  func known() -> Element {
    guard let latest else { preconditionFailure("an input without an element is said to have one") }
    return latest
  }
}
