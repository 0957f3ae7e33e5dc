/// An asynchronous sequence that an `async` closure makes when its first element is requested.
///
/// It is part of the type of an operator whose closure may suspend before it returns a sequence, such as
/// `flatMapLatest(_:)`.
///
/// Each iterator calls the closure once, in its first `next()`, and returns the elements and the failure of the sequence
/// that the closure makes.
///
/// - Cancellation: Cancelling the task cancels the closure as well as the sequence. A sequence that a closure makes though
///   it has been cancelled is not iterated.
@frozen
public struct AsyncDeferredSequence<Base: AsyncSequence>: AsyncSequence, Sendable {
  /// The elements of the closure's sequence.
  public typealias Element = Base.Element
  /// The failure of the closure's sequence.
  public typealias Failure = Base.Failure

  @usableFromInline let make: @Sendable () async -> Base

  @inlinable
  init(_ make: @escaping @Sendable () async -> Base) {
    self.make = make
  }

  /// Makes an iterator, which calls the closure in its first `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(make)
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    /// Nil after the first `next()`.
    @usableFromInline var make: (@Sendable () async -> Base)?
    @usableFromInline var base = FusedIterator<Base.AsyncIterator>(nil)

    @inlinable
    init(_ make: @escaping @Sendable () async -> Base) {
      self.make = make
    }

    /// The next element of the closure's sequence, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
      if let make = make.take() {
        let sequence = await make()
        if Task.isCancelled { return nil }
        base = FusedIterator(sequence.makeAsyncIterator())
      }
      return try await base.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension AsyncDeferredSequence.Iterator: Sendable {}
