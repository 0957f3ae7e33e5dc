extension AsyncSequence {
  // A closure is not an element where the type of the elements is still open, as in `[1, 2].async`.
  /// Returns an element after every so many elements, if another one follows.
  ///
  /// ```swift
  /// let line = await [String](["a", "b", "c"].async.interspersed(with: ","))  // ["a", ",", "b", ",", "c"]
  /// ```
  ///
  /// The separator is returned when the element after it is known, which then waits for the next call of `next()`.
  /// Completion, failure and cancellation are the base's.
  ///
  /// - Parameters:
  ///   - every: After how many elements a separator is returned; at least one.
  ///   - separator: The element.
  @_disfavoredOverload
  @inlinable
  public func interspersed(
    every: Int = 1, with separator: Element
  ) -> AsyncInterspersedSequence<Self> {
    AsyncInterspersedSequence(self, every: every, separator: .element(separator))
  }

  /// Returns what a closure makes after every so many elements, if another one follows.
  ///
  /// ```swift
  /// let line = await [String](["a", "b", "c"].async.interspersed(every: 2) { "," })  // ["a", "b", ",", "c"]
  /// ```
  ///
  /// The separator is returned when the element after it is known, which then waits for the next call of `next()`.
  /// Completion, failure and cancellation are the base's.
  ///
  /// - Parameters:
  ///   - every: After how many elements a separator is returned; at least one.
  ///   - separator: Makes a separator. It is called for each.
  @inlinable
  public func interspersed(
    every: Int = 1, with separator: @escaping @Sendable () -> Element
  ) -> AsyncInterspersedSequence<Self> {
    AsyncInterspersedSequence(self, every: every, separator: .immediate(separator))
  }

  /// Returns what a closure makes after every so many elements, if another one follows.
  ///
  /// ```swift
  /// let words = ["a", "b"].async.interspersed { await nextSeparator() }
  /// ```
  ///
  /// The separator is returned when the element after it is known, which then waits for the next call of `next()`.
  /// Completion, failure and cancellation are the base's.
  ///
  /// - Parameters:
  ///   - every: After how many elements a separator is returned; at least one.
  ///   - separator: Makes a separator, on the consumer's isolation. It is called for each.
  @inlinable
  public func interspersed(
    every: Int = 1, with separator: nonisolated(nonsending) @escaping @Sendable () async -> Element
  ) -> AsyncInterspersedSequence<Self> {
    AsyncInterspersedSequence(self, every: every, separator: .suspending(separator))
  }

  /// Returns what a closure makes after every so many elements, if another one follows.
  ///
  /// ```swift
  /// let words = ["a", "b"].async.interspersed { try makeSeparator() }
  /// ```
  ///
  /// The separator is returned when the element after it is known, which then waits for the next call of `next()`.
  /// Completion, failure and cancellation are the base's, and an error of the closure ends the sequence as well.
  ///
  /// - Parameters:
  ///   - every: After how many elements a separator is returned; at least one.
  ///   - separator: Makes a separator. It is called for each.
  @inlinable
  public func interspersed(
    every: Int = 1, with separator: @escaping @Sendable () throws -> Element
  ) -> AsyncThrowingInterspersedSequence<Self> {
    AsyncInterspersedSequence(.init(self), every: every, separator: .immediate(separator))
  }

  /// Returns what a closure makes after every so many elements, if another one follows.
  ///
  /// ```swift
  /// let words = ["a", "b"].async.interspersed { try await nextSeparator() }
  /// ```
  ///
  /// The separator is returned when the element after it is known, which then waits for the next call of `next()`.
  /// Completion, failure and cancellation are the base's, and an error of the closure ends the sequence as well.
  ///
  /// - Parameters:
  ///   - every: After how many elements a separator is returned; at least one.
  ///   - separator: Makes a separator, on the consumer's isolation. It is called for each.
  @inlinable
  public func interspersed(
    every: Int = 1, with separator: nonisolated(nonsending) @escaping @Sendable () async throws -> Element
  ) -> AsyncThrowingInterspersedSequence<Self> {
    AsyncInterspersedSequence(.init(self), every: every, separator: .suspending(separator))
  }
}

/// What is returned between elements.
@frozen
@usableFromInline
enum Separator<Element, Failure: Error> {
  case element(Element)
  case immediate(@Sendable () throws(Failure) -> Element)
  case suspending(Suspending)

  @usableFromInline
  typealias Suspending = nonisolated(nonsending) @Sendable () async throws(Failure) -> Element

  @inlinable
  @inline(__always)
  func make(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element {
    switch self {
    case .element(let element): element
    case .immediate(let closure): try closure()
    case .suspending(let closure): try await closure()
    }
  }
}

extension Separator: Sendable where Element: Sendable {}

/// An asynchronous sequence of its base's elements with separators between them.
@frozen
public struct AsyncInterspersedSequence<Base: AsyncSequence>: AsyncSequence {
  /// The base's elements, and the separators.
  public typealias Element = Base.Element
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let every: Int
  @usableFromInline let separator: Separator<Base.Element, Base.Failure>

  @inlinable
  init(_ base: Base, every: Int, separator: Separator<Base.Element, Base.Failure>) {
    precondition(every > 0, "a separator comes after at least one element, but `every` was \(every)")
    self.base = base
    self.every = every
    self.separator = separator
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), every: every, separator: separator)
  }

  /// Returns the elements and separators.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let every: Int
    @usableFromInline let separator: Separator<Base.Element, Base.Failure>
    /// How many elements have been returned since the last separator.
    @usableFromInline var count = 0
    /// The element after the separator that has been returned.
    @usableFromInline var pending: Base.Element?

    @inlinable
    init(_ base: Base.AsyncIterator, every: Int, separator: Separator<Base.Element, Base.Failure>) {
      self.base = FusedIterator(base)
      self.every = every
      self.separator = separator
    }

    /// The next element or separator, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
      if let element = pending.take() {
        count = 1
        return element
      }
      guard let element = try await base.next(isolation: actor) else { return nil }
      if count < every {
        count += 1
        return element
      }
      do throws(Base.Failure) {
        let separator = try await separator.make(isolation: actor)
        pending = element
        return separator
      } catch {
        base.finish()
        throw error
      }
    }
  }
}

extension AsyncInterspersedSequence: Sendable where Base: Sendable, Base.Element: Sendable {}

@available(*, unavailable)
extension AsyncInterspersedSequence.Iterator: Sendable {}

/// An asynchronous sequence of its base's elements with separators between them, which a closure makes that may fail.
public typealias AsyncThrowingInterspersedSequence<Base: AsyncSequence> = AsyncInterspersedSequence<
  AsyncWidenedFailureSequence<Base, any Error>
>
