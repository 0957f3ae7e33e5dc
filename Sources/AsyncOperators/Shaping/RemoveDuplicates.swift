extension AsyncSequence where Element: Equatable {
  /// Leaves out elements that are equal to the one before them.
  ///
  /// ```swift
  /// for await number in [1, 1, 2, 1].async.removeDuplicates() {
  ///   print(number)  // 1, 2, 1
  /// }
  /// ```
  ///
  /// Completion, failure and cancellation are the base's.
  @inlinable
  public func removeDuplicates() -> AsyncRemoveDuplicatesSequence<Self> {
    AsyncRemoveDuplicatesSequence(self, predicate: .immediate { $0 == $1 })
  }
}

extension AsyncSequence {
  /// Leaves out elements that a closure says are the same as the last one that was returned.
  ///
  /// ```swift
  /// let numbers = [1, 1, 2, -2].async.removeDuplicates { abs($0) == abs($1) }  // 1, 2
  /// ```
  ///
  /// Completion, failure and cancellation are the base's.
  ///
  /// - Parameter predicate: Says whether two elements are the same.
  @inlinable
  public func removeDuplicates(
    by predicate: @escaping @Sendable (Element, Element) -> Bool
  ) -> AsyncRemoveDuplicatesSequence<Self> {
    AsyncRemoveDuplicatesSequence(self, predicate: .immediate(predicate))
  }

  /// Leaves out elements that a closure says are the same as the last one that was returned.
  ///
  /// ```swift
  /// let pages = links.async.removeDuplicates { await areSame($0, $1) }
  /// ```
  ///
  /// Completion, failure and cancellation are the base's.
  ///
  /// - Parameter predicate: Says whether two elements are the same, on the consumer's isolation.
  @inlinable
  public func removeDuplicates(
    by predicate: nonisolated(nonsending) @escaping @Sendable (Element, Element) async -> Bool
  ) -> AsyncRemoveDuplicatesSequence<Self> {
    AsyncRemoveDuplicatesSequence(self, predicate: .suspending(predicate))
  }

  /// Leaves out elements that a closure says are the same as the last one that was returned.
  ///
  /// ```swift
  /// let pages = links.async.removeDuplicates { try resolve($0) == resolve($1) }
  /// ```
  ///
  /// Completion, failure and cancellation are the base's. An error of the closure ends the sequence.
  ///
  /// - Parameter predicate: Says whether two elements are the same.
  @inlinable
  public func removeDuplicates(
    by predicate: @escaping @Sendable (Element, Element) throws -> Bool
  ) -> AsyncThrowingRemoveDuplicatesSequence<Self> {
    AsyncRemoveDuplicatesSequence(.init(self), predicate: .immediate(predicate))
  }

  /// Leaves out elements that a closure says are the same as the last one that was returned.
  ///
  /// ```swift
  /// let pages = links.async.removeDuplicates { try await areSame($0, $1) }
  /// ```
  ///
  /// Completion, failure and cancellation are the base's. An error of the closure ends the sequence.
  ///
  /// - Parameter predicate: Says whether two elements are the same, on the consumer's isolation.
  @inlinable
  public func removeDuplicates(
    by predicate: nonisolated(nonsending) @escaping @Sendable (Element, Element) async throws -> Bool
  ) -> AsyncThrowingRemoveDuplicatesSequence<Self> {
    AsyncRemoveDuplicatesSequence(.init(self), predicate: .suspending(predicate))
  }
}

/// An asynchronous sequence of its base's elements without those that are the same as the one before.
@frozen
public struct AsyncRemoveDuplicatesSequence<Base: AsyncSequence>: AsyncSequence {
  /// The base's elements.
  public typealias Element = Base.Element
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let predicate: Predicate<Base.Element, Base.Failure>

  @inlinable
  init(_ base: Base, predicate: Predicate<Base.Element, Base.Failure>) {
    self.base = base
    self.predicate = predicate
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), predicate: predicate)
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let predicate: Predicate<Base.Element, Base.Failure>
    @usableFromInline var last: Base.Element?

    @inlinable
    init(_ base: Base.AsyncIterator, predicate: Predicate<Base.Element, Base.Failure>) {
      self.base = FusedIterator(base)
      self.predicate = predicate
    }

    /// The next element that differs, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
      while let element = try await base.next(isolation: actor) {
        if let last {
          do throws(Base.Failure) {
            if try await predicate(last, element, isolation: actor) { continue }
          } catch {
            base.finish()
            throw error
          }
        }
        last = element
        return element
      }
      return nil
    }
  }
}

extension AsyncRemoveDuplicatesSequence: Sendable where Base: Sendable, Base.Element: Sendable {}

@available(*, unavailable)
extension AsyncRemoveDuplicatesSequence.Iterator: Sendable {}

/// An asynchronous sequence of its base's elements without those that a closure, which may fail, says are the same as
/// the one before.
public typealias AsyncThrowingRemoveDuplicatesSequence<Base: AsyncSequence> = AsyncRemoveDuplicatesSequence<
  AsyncWidenedFailureSequence<Base, any Error>
>
