extension AsyncSequence {
  /// Returns an element in place of a failure, and ends.
  ///
  /// ```swift
  /// for await line in source.replaceError(with: "connection lost") {
  ///   print(line)
  /// }
  /// ```
  ///
  /// The result cannot fail. If the task has been cancelled when the base fails, no element is returned.
  ///
  /// - Parameter output: The element.
  @inlinable
  public func replaceError(with output: Element) -> AsyncReplaceErrorSequence<Self> {
    AsyncReplaceErrorSequence(self, output: output)
  }
}

/// An asynchronous sequence that ends with an element where its base fails.
@frozen
public struct AsyncReplaceErrorSequence<Base: AsyncSequence>: AsyncSequence {
  /// The base's elements, and the one in place of a failure.
  public typealias Element = Base.Element
  /// It cannot fail.
  public typealias Failure = Never

  @usableFromInline let base: Base
  @usableFromInline let output: Base.Element

  @inlinable
  init(_ base: Base, output: Base.Element) {
    self.base = base
    self.output = output
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    /// Nil after the end.
    @usableFromInline var output: Base.Element?

    @inlinable
    init(_ sequence: AsyncReplaceErrorSequence) {
      base = FusedIterator(sequence.base.makeAsyncIterator())
      output = sequence.output
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Base.Element? {
      do throws(Base.Failure) {
        if let element = try await base.next(isolation: actor) { return element }
        output = nil
        return nil
      } catch {
        let output = output.take()
        return Task.isCancelled ? nil : output
      }
    }
  }
}

extension AsyncReplaceErrorSequence: Sendable where Base: Sendable, Base.Element: Sendable {}

@available(*, unavailable)
extension AsyncReplaceErrorSequence.Iterator: Sendable {}
