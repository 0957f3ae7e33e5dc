extension AsyncSequence {
  /// Traps if this sequence fails; the result cannot fail.
  ///
  /// ```swift
  /// for await line in bundledFile.lines.assertNoFailure("the file is part of the program") {
  ///   print(line)
  /// }
  /// ```
  ///
  /// Elements, completion and cancellation are the base's. An error in a task that has been cancelled is the end.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the message.
  ///   - file: The file that the message names.
  ///   - line: The line that the message names.
  @inlinable
  public func assertNoFailure(
    _ prefix: String = "", file: StaticString = #file, line: UInt = #line
  ) -> AsyncAssertNoFailureSequence<Self> {
    AsyncAssertNoFailureSequence(self, prefix: prefix, file: file, line: line)
  }
}

/// An asynchronous sequence that traps if its base fails.
@frozen
public struct AsyncAssertNoFailureSequence<Base: AsyncSequence>: AsyncSequence {
  /// The base's elements.
  public typealias Element = Base.Element
  /// It cannot fail.
  public typealias Failure = Never

  @usableFromInline let base: Base
  @usableFromInline let prefix: String
  @usableFromInline let file: StaticString
  @usableFromInline let line: UInt

  @inlinable
  init(_ base: Base, prefix: String, file: StaticString, line: UInt) {
    self.base = base
    self.prefix = prefix
    self.file = file
    self.line = line
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
    @usableFromInline let prefix: String
    @usableFromInline let file: StaticString
    @usableFromInline let line: UInt

    @inlinable
    init(_ sequence: AsyncAssertNoFailureSequence) {
      base = FusedIterator(sequence.base.makeAsyncIterator())
      prefix = sequence.prefix
      file = sequence.file
      line = sequence.line
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Base.Element? {
      do throws(Base.Failure) {
        return try await base.next(isolation: actor)
      } catch {
        if Task.isCancelled { return nil }
        fatalError("\(prefix)\(prefix.isEmpty ? "" : ": ")\(error)", file: file, line: line)
      }
    }
  }
}

extension AsyncAssertNoFailureSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncAssertNoFailureSequence.Iterator: Sendable {}
