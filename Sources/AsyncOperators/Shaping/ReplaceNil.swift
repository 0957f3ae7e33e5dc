extension AsyncSequence {
  /// Replaces elements that are `nil`.
  ///
  /// ```swift
  /// for await number in ["1", "x"].async.map(Int.init).replaceNil(with: 0) {
  ///   print(number)  // 1, 0
  /// }
  /// ```
  ///
  /// Completion, failure and cancellation are the base's.
  ///
  /// - Parameter output: The element that is returned instead of `nil`.
  @inlinable
  public func replaceNil<Unwrapped>(
    with output: Unwrapped
  ) -> AsyncReplaceNilSequence<Self, Unwrapped> where Element == Unwrapped? {
    AsyncReplaceNilSequence(self, output: output)
  }
}

/// An asynchronous sequence of its base's elements with another one in place of each `nil`.
@frozen
public struct AsyncReplaceNilSequence<Base: AsyncSequence, Element>: AsyncSequence where Base.Element == Element? {
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let output: Element

  @inlinable
  init(_ base: Base, output: Element) {
    self.base = base
    self.output = output
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), output: output)
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let output: Element

    @inlinable
    init(_ base: Base.AsyncIterator, output: Element) {
      self.base = FusedIterator(base)
      self.output = output
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Element? {
      guard let element = try await base.next(isolation: actor) else { return nil }
      return element ?? output
    }
  }
}

extension AsyncReplaceNilSequence: Sendable where Base: Sendable, Element: Sendable {}

@available(*, unavailable)
extension AsyncReplaceNilSequence.Iterator: Sendable {}
