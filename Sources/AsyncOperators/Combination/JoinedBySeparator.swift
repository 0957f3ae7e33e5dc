extension AsyncSequence where Element: AsyncSequence {
  /// Returns the elements of the sequences that the base returns, with those of a separator between two sequences.
  ///
  /// ```swift
  /// let lists = [[1, 2].async, [3].async].async
  /// let numbers = await Array(lists.joined(separator: [0].async))  // [1, 2, 0, 3]
  /// ```
  ///
  /// The failure type is that of all. An error of the base, of an element or of the separator ends the result. A
  /// cancelled task gets the end when they return it. The separator is iterated again each time, when the sequence after
  /// it is known.
  ///
  /// - Parameter separator: The sequence whose elements come between two others'.
  @inlinable
  public func joined<Separator: AsyncSequence>(
    separator: Separator
  ) -> AsyncJoinedBySeparatorSequence<Self, Separator>
  where Separator.Element == Element.Element, Failure == Element.Failure, Failure == Separator.Failure {
    AsyncJoinedBySeparatorSequence(self, separator: separator)
  }

  /// Returns the elements of the sequences that the base returns, with those of a separator between two sequences.
  ///
  /// The failure types differ, so the result fails with `any Error`, also if some cannot fail: `setFailureType(to:)` gives
  /// these the type of the others.
  ///
  /// - Parameter separator: The sequence whose elements come between two others'.
  @_disfavoredOverload
  @inlinable
  public func joined<Separator: AsyncSequence>(
    separator: Separator
  ) -> AsyncJoinedBySeparatorSequence<AsyncWidenedFailureSequence<Self, any Error>, Separator>
  where Separator.Element == Element.Element {
    AsyncJoinedBySeparatorSequence(.init(self), separator: separator)
  }

  /// Returns the elements of the sequences that the base returns, with those of a separator between two sequences, where
  /// the type of the result is stated.
  ///
  /// The failure type is the base's.
  ///
  /// - Parameter separator: The sequence whose elements come between two others'.
  @_disfavoredOverload
  @inlinable
  public func joined<Separator, Stated: _StatedSequence>(
    separator: Separator
  ) -> Stated
  where Stated._Inputs == (Self, Separator), Stated._Operator == _StatedOperator.Joined {
    Stated(_inputs: (self, separator))
  }
}

/// An asynchronous sequence of the elements of the sequences that its base returns, with a separator between two.
///
/// Its failure type is the base's. The functions that make it choose types for which this fits the others as well.
@frozen
public struct AsyncJoinedBySeparatorSequence<Base: AsyncSequence, Separator: AsyncSequence>: AsyncSequence
where Base.Element: AsyncSequence, Separator.Element == Base.Element.Element {
  /// The elements of the base's elements, and of the separator.
  public typealias Element = Base.Element.Element
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let separator: Separator

  @inlinable
  init(_ base: Base, separator: Separator) {
    self.base = base
    self.separator = separator
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), separator: separator)
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let separator: Separator
    /// What is returned before `pending`.
    @usableFromInline var between = FusedIterator<Separator.AsyncIterator>(nil)
    /// The sequence after the separator.
    @usableFromInline var pending: Base.Element?
    @usableFromInline var inner = FusedIterator<Base.Element.AsyncIterator>(nil)
    @usableFromInline var hasStarted = false

    @inlinable
    init(_ base: Base.AsyncIterator, separator: Separator) {
      self.base = FusedIterator(base)
      self.separator = separator
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element
      .Element?
    {
      do {
        while true {
          // A base that ignores the cancellation would go on with sequences that end because of it.
          if Task.isCancelled {
            base.finish()
            inner.finish()
            between.finish()
            pending = nil
            return nil
          }
          if !inner.isFinished, let element = try await inner.next(isolation: actor) { return element }
          if !between.isFinished, let element = try await between.next(isolation: actor) { return element }
          if let next = pending.take() {
            inner = FusedIterator(next.makeAsyncIterator())
            continue
          }
          guard let next = try await base.next(isolation: actor) else { return nil }
          pending = next
          if hasStarted { between = FusedIterator(separator.makeAsyncIterator()) }
          hasStarted = true
        }
      } catch {
        base.finish()
        inner.finish()
        pending = nil
        throw converted(error, to: Base.Failure.self)
      }
    }
  }
}

extension AsyncJoinedBySeparatorSequence: Sendable
where Base: Sendable, Base.Element: Sendable, Base.Element.Element: Sendable, Separator: Sendable {}

extension AsyncJoinedBySeparatorSequence: _StatedSequence {
  /// What it is made of; see `_StatedSequence`.
  public typealias _Inputs = (Base, Separator)
  /// The function that makes it.
  public typealias _Operator = _StatedOperator.Joined

  /// Makes the sequence where its type is stated.
  @inlinable
  public init(_inputs inputs: _Inputs) {
    self.init(inputs.0, separator: inputs.1)
  }
}

@available(*, unavailable)
extension AsyncJoinedBySeparatorSequence.Iterator: Sendable {}
