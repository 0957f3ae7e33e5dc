#if !canImport(Darwin)
  /// The Unicode scalars of a sequence of bytes.
  ///
  /// Invalid bytes are repaired as `String(decoding:as:)` does: U+FFFD stands for each. A scalar that a failure cuts off
  /// is not delivered; one that the end cuts off is repaired.
  public struct AsyncUnicodeScalarSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    /// A Unicode scalar.
    public typealias Element = Unicode.Scalar
    /// Why the bytes ended early.
    public typealias Failure = Base.Failure

    @usableFromInline let base: Base

    @inlinable
    init(_ base: Base) {
      self.base = base
    }

    /// Makes an iterator of the base's, and of scalars over it.
    @inlinable
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(base.makeAsyncIterator())
    }

    /// Makes scalars of the bytes that an iterator delivers.
    public struct AsyncIterator: AsyncIteratorProtocol {
      @usableFromInline var base: Base.AsyncIterator
      @usableFromInline var decoder = ScalarDecoder()
      /// A byte that has broken off the scalar before it.
      @usableFromInline var held: UInt8?

      @inlinable
      init(_ base: Base.AsyncIterator) {
        self.base = base
      }

      /// The next scalar; `nil` at the end.
      @inlinable
      public nonisolated(nonsending) mutating func next() async throws(Base.Failure) -> Unicode.Scalar? {
        try await next(isolation: #isolation)
      }

      /// The next scalar, on the caller's isolation.
      @inlinable
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async throws(Base.Failure) -> Unicode.Scalar? {
        if let byte = held.take(), case .scalar(let scalar) = decoder.received(byte) { return scalar }
        do throws(Base.Failure) {
          while let byte = try await base.next(isolation: actor) {
            switch decoder.received(byte) {
            case .scalar(let scalar): return scalar
            case .unfinished: continue
            case .brokenOff:
              held = byte
              return ScalarDecoder.replacement
            }
          }
        } catch {
          _ = decoder.end()
          throw error
        }
        return decoder.end()
      }
    }
  }

  extension AsyncUnicodeScalarSequence: Sendable where Base: Sendable {}

  extension AsyncSequence where Element == UInt8 {
    /// The Unicode scalars of UTF-8 text.
    ///
    /// ```swift
    /// for try await scalar in handle.bytes.unicodeScalars {
    ///   print(scalar.value)
    /// }
    /// ```
    @inlinable
    public var unicodeScalars: AsyncUnicodeScalarSequence<Self> { AsyncUnicodeScalarSequence(self) }
  }
#endif
