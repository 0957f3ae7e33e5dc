extension AsyncSequence {
  /// Returns the elements of the sequences that a closure makes of the base's elements, one sequence after the other.
  ///
  /// ```swift
  /// let numbers = (1...3).async.concatMap { (0..<$0).async }  // 0, 0, 1, 0, 1, 2
  /// ```
  ///
  /// ```swift
  /// let lines = files.async.concatMap { file in await file.open().lines }
  /// ```
  ///
  /// The failure type is that of all. An error of the base or of one of them ends the result. No element is requested from
  /// the base before the last one's sequence has ended. There is no task: a consumer that is cancelled gets the end when
  /// the `next()` of the base or of a sequence that it waits for has returned.
  ///
  /// - Parameter transform: Makes a sequence of an element, on the consumer's isolation.
  @inlinable
  public func concatMap<Inner: AsyncSequence>(
    _ transform: nonisolated(nonsending) @escaping @Sendable (Element) async -> Inner
  ) -> AsyncConcatMapSequence<Self, Inner> where Inner.Failure == Failure {
    AsyncConcatMapSequence(self, transform)
  }

  /// Returns the elements of the sequences that a closure makes of the base's elements, one sequence after the other.
  ///
  /// The closure's sequences cannot fail, so the failure type is the base's.
  ///
  /// - Parameter transform: Makes a sequence of an element, on the consumer's isolation.
  @_disfavoredOverload
  @inlinable
  public func concatMap<Inner: AsyncSequence>(
    _ transform: nonisolated(nonsending) @escaping @Sendable (Element) async -> Inner
  ) -> AsyncConcatMapSequence<Self, Inner> where Inner.Failure == Never {
    AsyncConcatMapSequence(self, transform)
  }

  /// Returns the elements of the sequences that a closure makes of the base's elements, one sequence after the other.
  ///
  /// The base cannot fail, so the failure type is that of the closure's sequences.
  ///
  /// - Parameter transform: Makes a sequence of an element, on the consumer's isolation.
  @_disfavoredOverload
  @inlinable
  public func concatMap<Inner: AsyncSequence>(
    _ transform: nonisolated(nonsending) @escaping @Sendable (Element) async -> Inner
  ) -> AsyncConcatMapSequence<AsyncWidenedFailureSequence<Self, Inner.Failure>, Inner> where Failure == Never {
    AsyncConcatMapSequence(.init(self), transform)
  }

  /// Returns the elements of the sequences that a closure makes of the base's elements, one sequence after the other.
  ///
  /// The failure types differ, so the result fails with `any Error`.
  ///
  /// - Parameter transform: Makes a sequence of an element, on the consumer's isolation.
  @_disfavoredOverload
  @inlinable
  public func concatMap<Inner: AsyncSequence>(
    _ transform: nonisolated(nonsending) @escaping @Sendable (Element) async -> Inner
  ) -> AsyncConcatMapSequence<AsyncWidenedFailureSequence<Self, any Error>, Inner> {
    AsyncConcatMapSequence(.init(self), transform)
  }
}

/// An asynchronous sequence of the elements of the sequences that a closure makes, one after the other.
///
/// Its failure type is the base's. The functions that make it choose types for which this fits the closure's sequences
/// as well.
@frozen
public struct AsyncConcatMapSequence<Base: AsyncSequence, Inner: AsyncSequence>: AsyncSequence {
  /// The elements of the closure's sequences.
  public typealias Element = Inner.Element
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline typealias Transform = nonisolated(nonsending) @Sendable (Base.Element) async -> Inner

  @usableFromInline let base: Base
  @usableFromInline let transform: Transform

  @inlinable
  init(_ base: Base, _ transform: @escaping Transform) {
    self.base = base
    self.transform = transform
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), transform)
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let transform: Transform
    @usableFromInline var inner = FusedIterator<Inner.AsyncIterator>(nil)

    @inlinable
    init(_ base: Base.AsyncIterator, _ transform: @escaping Transform) {
      self.base = FusedIterator(base)
      self.transform = transform
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Inner.Element? {
      do {
        while true {
          // A base that ignores the cancellation would go on with sequences that end because of it.
          if Task.isCancelled {
            base.finish()
            inner.finish()
            return nil
          }
          if !inner.isFinished, let element = try await inner.next(isolation: actor) { return element }
          guard let next = try await base.next(isolation: actor) else { return nil }
          inner = FusedIterator(await transform(next).makeAsyncIterator())
        }
      } catch {
        base.finish()
        throw converted(error, to: Base.Failure.self)
      }
    }
  }
}

extension AsyncConcatMapSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncConcatMapSequence.Iterator: Sendable {}
