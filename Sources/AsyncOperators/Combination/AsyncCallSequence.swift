/// An asynchronous sequence of one element, which an `async` closure returns.
///
/// It is part of the type of an operator that runs a closure for each element, such as `mapLatest(_:)`.
///
/// Each iterator calls the closure once, in its first `next()`.
///
/// - Cancellation: Cancelling the task cancels the closure.
@frozen
public struct AsyncCallSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  @usableFromInline let call: @Sendable () async throws(Failure) -> Element

  @inlinable
  init(_ call: @escaping @Sendable () async throws(Failure) -> Element) {
    self.call = call
  }

  /// Makes an iterator, which calls the closure in its first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(call)
  }

  /// Returns the element.
  @frozen
  public struct Iterator: _IsolatedIterator {
    /// Nil after the first `next()`.
    @usableFromInline var call: (@Sendable () async throws(Failure) -> Element)?

    @inlinable
    init(_ call: @escaping @Sendable () async throws(Failure) -> Element) {
      self.call = call
    }

    /// What the closure returns; `nil` after that. The closure does not run on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      guard let call else { return nil }
      self.call = nil
      return try await call()
    }
  }
}

@available(*, unavailable)
extension AsyncCallSequence.Iterator: Sendable {}
