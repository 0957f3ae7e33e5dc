extension AsyncSequence {
  /// The element with a number, from zero on, or `nil` if there are fewer.
  ///
  /// ```swift
  /// let third = await ["a", "b", "c"].async.output(at: 2)  // "c"
  /// ```
  ///
  /// It returns when the element arrives, and takes none after it. A cancellation has the base end, so that `nil` is
  /// returned.
  ///
  /// - Parameter index: The number, which must not be negative.
  /// - Throws: The base's failure, if it comes before the element.
  @inlinable
  public nonisolated(nonsending) func output(at index: Int) async throws(Failure) -> Element? {
    precondition(index >= 0, "an element's number must not be negative, but was \(index)")
    var iterator = makeAsyncIterator()
    for _ in 0..<index where try await iterator.next(isolation: #isolation) == nil { return nil }
    return try await iterator.next(isolation: #isolation)
  }

  /// Returns the elements whose numbers are in a range, and ends with the last of them.
  ///
  /// ```swift
  /// for await word in ["a", "b", "c", "d"].async.output(in: 1...2) {
  ///   print(word)  // b, c
  /// }
  /// ```
  ///
  /// The first element of the sequence has the number zero. Failure and cancellation are the base's. After the last
  /// element, the base is released, and its `next()` is not called again.
  ///
  /// - Parameter range: The numbers, which must not be negative.
  @inlinable
  public func output<Numbers: RangeExpression>(
    in range: Numbers
  ) -> AsyncOutputSequence<Self> where Numbers.Bound == Int {
    let range = range.relative(to: 0..<Int.max)
    return AsyncOutputSequence(self, first: range.lowerBound, count: range.count)
  }
}

/// An asynchronous sequence of its base's elements in a range of numbers.
@frozen
public struct AsyncOutputSequence<Base: AsyncSequence>: AsyncSequence {
  /// The base's elements.
  public typealias Element = Base.Element
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let first: Int
  @usableFromInline let count: Int

  @inlinable
  init(_ base: Base, first: Int, count: Int) {
    precondition(first >= 0, "an element's number must not be negative, but was \(first)")
    self.base = base
    self.first = first
    self.count = count
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(base.makeAsyncIterator(), first: first, count: count)
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    /// How many elements are left out before the next one.
    @usableFromInline var first: Int
    /// How many elements are returned yet.
    @usableFromInline var count: Int

    @inlinable
    init(_ base: Base.AsyncIterator, first: Int, count: Int) {
      self.base = FusedIterator(base)
      self.first = first
      self.count = count
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
      guard count > 0 else {
        base.finish()
        return nil
      }
      while first > 0 {
        first -= 1
        if try await base.next(isolation: actor) == nil { return nil }
      }
      guard let element = try await base.next(isolation: actor) else { return nil }
      count -= 1
      if count == 0 { base.finish() }
      return element
    }
  }
}

extension AsyncOutputSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncOutputSequence.Iterator: Sendable {}
