/// An asynchronous sequence of the results of an `async` closure, several of which run at a time.
///
/// `concurrentMap(maxTasks:_:)` makes one.
///
/// ```swift
/// let squares = (1...3).async.concurrentMap(maxTasks: 2) { number in
///   await Task.yield()
///   return number * number
/// }
/// for await square in squares {
///   print(square)  // 1, 4, 9
/// }
/// ```
///
/// The results are delivered in the order of the elements; one that is early waits for those before it. If a closure
/// throws, its error is delivered after the results of the elements before its own, and the base and the closures of
/// later elements are cancelled at once. A failure of the base is delivered after the results of all elements before it.
///
/// A base that cannot fail does not count for the failure type; two different failure types give `any Error`.
///
/// The base is iterated in a task, and each closure runs in a task of its own, never on the consumer's actor. They begin
/// with the first call of `next()`. Closures that run and results that have not been delivered are together never more
/// than `maxTasks`, and nothing is taken from the base while there are as many.
///
/// - Cancellation: Cancelling the task cancels the base and all closures, and ends the iteration with `nil` at once, also
///   if they ignore it; results that have arrived are dropped. Releasing the iterator cancels all, too.
public struct AsyncConcurrentMapSequence<Base: AsyncSequence, Output: Sendable, Failure: Error>: AsyncSequence, Sendable
where Base: Sendable, Base.Element: Sendable {
  /// A result of the closure.
  public typealias Element = Output

  @usableFromInline typealias Storage = OrderedCallsStorage<Output, Failure>

  @usableFromInline let base: Base
  @usableFromInline let maxTasks: Int
  @usableFromInline let transform: @Sendable (Base.Element) async throws(Failure) -> Output

  @inlinable
  init(
    _ base: Base, maxTasks: Int, _ transform: @escaping @Sendable (Base.Element) async throws(Failure) -> Output
  ) {
    precondition(maxTasks > 0, "concurrentMap(maxTasks: \(maxTasks)): the closure could never be called")
    self.base = base
    self.maxTasks = maxTasks
    self.transform = transform
  }

  /// Makes an iterator, and with it that of the base. Its task starts with the first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// The consumer's reference to the calls, which ends them when it is released.
  @usableFromInline
  final class Handle {
    @usableFromInline let storage: Storage
    /// Until the start.
    @usableFromInline @exclusivity(unchecked) var work: (() async -> Void)?

    @inlinable
    init(_ sequence: AsyncConcurrentMapSequence) {
      let storage = Storage(limit: sequence.maxTasks)
      let iterator = IteratorTransfer(sequence.base.makeAsyncIterator())
      let transform = sequence.transform
      self.storage = storage
      work = { await storage.run(iterator, transform) }
    }

    @inlinable
    deinit {
      storage.cancel()
    }
  }

  /// Delivers the results. Only one `next()` may be called at a time.
  public struct Iterator: _IsolatedIterator {
    /// Nil after the end.
    @usableFromInline var handle: Handle?

    @inlinable
    init(_ sequence: AsyncConcurrentMapSequence) {
      handle = Handle(sequence)
    }

    /// The next result, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Output? {
      guard let handle else { return nil }
      let storage = handle.storage
      if let work = handle.work.take(), !Task.isCancelled { storage.start(work) }
      do throws(Failure) {
        while !Task.isCancelled {
          if let output = storage.take() { return output }
          if try storage.takeEnd() { break }
          await storage.wait(isolation: actor)
        }
      } catch {
        self.handle = nil
        throw error
      }
      storage.cancel()
      self.handle = nil
      return nil
    }
  }
}

@available(*, unavailable)
extension AsyncConcurrentMapSequence.Iterator: Sendable {}
