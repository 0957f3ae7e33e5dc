#if !canImport(Darwin)
  /// The lines of a sequence of bytes, without the empty ones.
  ///
  /// A line ends at LF, VT, FF, CR, CRLF, U+0085, U+2028 or U+2029, which is not part of it, or at the end of the
  /// bytes. It is delivered as soon as it has ended, also at a carriage return that a line feed may follow. Invalid
  /// bytes are repaired as by `String(decoding:as:)`, and a byte order mark is kept. After a failure an incomplete line
  /// is not delivered. A line is in memory as a whole, however long it is: where the input is not trusted, take the
  /// bytes and count them.
  public struct AsyncLineSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    /// A line, without its separator.
    public typealias Element = String
    /// The failure of the base sequence.
    public typealias Failure = Base.Failure

    /// The iterator of all sequences of lines.
    public typealias AsyncIterator = AsyncLines<Base>.AsyncIterator

    @usableFromInline let lines: AsyncLines<Base>

    @inlinable
    init(_ base: Base) {
      lines = AsyncLines(base, keepsEmpty: false)
    }

    /// Makes an iterator over the lines.
    @inlinable
    public func makeAsyncIterator() -> AsyncIterator { lines.makeAsyncIterator() }
  }

  extension AsyncLineSequence: Sendable where Base: Sendable {}

  extension AsyncSequence where Element == UInt8 {
    /// The lines of UTF-8 text, without the empty ones; `lines(keepingEmpty: true)` includes those.
    ///
    /// ```swift
    /// for try await line in handle.bytes.lines {
    ///   print(line)
    /// }
    /// ```
    @inlinable
    public var lines: AsyncLineSequence<Self> { AsyncLineSequence(self) }
  }
#endif
