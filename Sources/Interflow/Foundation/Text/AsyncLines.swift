/// The lines of a sequence of bytes, with or without the empty ones.
///
/// `lines(keepingEmpty:)` makes one, and describes what a line is.
public struct AsyncLines<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
  /// A line, without its separator.
  public typealias Element = String
  /// The failure of the base sequence.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let keepsEmpty: Bool

  @inlinable
  init(_ base: Base, keepsEmpty: Bool) {
    self.base = base
    self.keepsEmpty = keepsEmpty
  }

  /// Makes an iterator over the lines.
  @inlinable
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(LineIteration(base.makeAsyncIterator(), keepsEmpty: keepsEmpty))
  }

  /// Decodes the bytes of the base iterator into lines.
  public struct AsyncIterator: AsyncIteratorProtocol {
    @usableFromInline var lines: LineIteration<Base.AsyncIterator>

    @inlinable
    init(_ lines: LineIteration<Base.AsyncIterator>) {
      self.lines = lines
    }

    /// The next line; `nil` at the end.
    @inlinable
    public nonisolated(nonsending) mutating func next() async throws(Base.Failure) -> String? {
      try await lines.next(isolation: #isolation)
    }

    /// The next line, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> String? {
      try await lines.next(isolation: actor)
    }
  }
}

extension AsyncLines: Sendable where Base: Sendable {}

extension AsyncSequence where Element == UInt8 {
  /// The lines of UTF-8 text, with or without the empty ones.
  ///
  /// ```swift
  /// for try await line in handle.bytes.lines(keepingEmpty: true) {
  ///   print(line.isEmpty ? "(empty)" : line)
  /// }
  /// ```
  ///
  /// A line ends at LF, VT, FF, CR, CRLF, U+0085, U+2028 or U+2029, which is not part of it, or at the end of the
  /// bytes. A separator at the end of the bytes begins no further line. A line is delivered as soon as it has ended,
  /// also at a carriage return that a line feed may follow. Invalid bytes are repaired as by `String(decoding:as:)`,
  /// and a byte order mark is kept. After a failure an incomplete line is not delivered. A line is in memory as a
  /// whole, however long it is: where the input is not trusted, take the bytes and count them.
  ///
  /// - Parameter keepingEmpty: Whether empty lines are delivered.
  @inlinable
  public func lines(keepingEmpty: Bool) -> AsyncLines<Self> {
    AsyncLines(self, keepsEmpty: keepingEmpty)
  }
}
