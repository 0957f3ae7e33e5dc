import InterflowPrimitives

/// An asynchronous sequence of collections: of the elements of another one until there are enough, or a signal comes.
///
/// `chunks(ofCount:or:)` and `chunked(by:)` make one.
///
/// ```swift
/// let lines = AsyncStream<String> {
///   $0.yield("a"); $0.yield("b"); $0.finish()
/// }
/// let second = AsyncTimerSequence(interval: .seconds(1), clock: .continuous)
/// for await batch in lines.chunks(ofCount: 100, or: second) {
///   print(batch)
/// }
/// ```
///
/// A signal without an element before it is ignored. When the base ends, the rest is delivered, and the signal is
/// cancelled; the end of the signal has no effect. A failure of either ends the sequence, and the elements collected are
/// dropped. A signal that cannot fail does not count for the failure type; one that fails in another way than the base
/// gives `any Error`.
///
/// At most one element of the base and one signal are taken before the consumer calls `next()`. Each is iterated in a
/// task of its own, which the first call of `next()` starts, and which never runs on the consumer's actor.
///
/// - Cancellation: Cancelling the task cancels both and ends the iteration with `nil`. Releasing the iterator cancels
///   them, too.
public struct AsyncChunksOfCountOrSignalSequence<
  Base: AsyncSequence, Collected: RangeReplaceableCollection, Signal: AsyncSequence
>: AsyncSequence, Sendable
where
  Collected.Element == Base.Element, Base: Sendable, Signal: Sendable, Base.Element: Sendable, Signal.Element: Sendable
{
  /// A collection of elements of the base.
  public typealias Element = Collected
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let count: Int?
  @usableFromInline let signal: Signal

  @inlinable
  init(_ base: Base, count: Int?, signal: Signal) {
    if let count { precondition(count > 0, "a chunk must have at least one element, but the count was \(count)") }
    self.base = base
    self.count = count
    self.signal = signal
  }

  /// Makes an iterator, and with it those of the base and the signal. Their tasks start with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base, count: count, signal: signal)
  }

  /// Delivers the collections. Only one `next()` may be called at a time.
  public struct Iterator: _IsolatedIterator {
    /// Nil after the end, so that what has not been delivered is released.
    @usableFromInline var input: FanInInput<Base.Element>?
    @usableFromInline let count: Int?
    @usableFromInline var joined: FanInConsumer<Failure>

    @inlinable
    init(_ base: Base, count: Int?, signal: Signal) {
      let input = FanInInput(base)
      self.input = input
      self.count = count
      let signal = FanInInput<Never>(signal) { _, _ in .deliver }
      joined = FanInConsumer(FanInRule(end: .first), [input, signal])
    }

    /// The next collection, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Collected? {
      defer { if joined.isFinished { input = nil } }
      var collected = Collected()
      var collectedCount = 0
      var received = 0
      while let index = try await joined.next(isolation: actor) {
        if index == 0, let element = input?.take() {
          collected.append(element)
          collectedCount += 1
          if collectedCount == count { return collected }
        } else if collectedCount > 0 {
          return collected
        }
        // Lets other tasks run, also if both inputs always have an element.
        received &+= 1
        if received & 63 == 0 { await Task.yield() }
      }
      return collectedCount == 0 || Task.isCancelled ? nil : collected
    }
  }
}

extension AsyncChunksOfCountOrSignalSequence: _StatedSequence {
  /// What it is made of; see `_StatedSequence`.
  public typealias _Inputs = (Base, Int?, Signal)
  /// The function that makes it.
  public typealias _Operator = _StatedOperator.Chunks

  /// Makes the sequence where its type is stated.
  @inlinable
  public init(_inputs inputs: _Inputs) {
    self.init(inputs.0, count: inputs.1, signal: inputs.2)
  }
}

@available(*, unavailable)
extension AsyncChunksOfCountOrSignalSequence.Iterator: Sendable {}
