#if !canImport(Darwin)
  /// The Unicode scalars of a sequence of bytes.
  ///
  /// Invalid bytes are repaired as by `String(decoding:as:)`: they are replaced by U+FFFD. An incomplete scalar at the
  /// end is replaced as well; after a failure it is not delivered.
  public struct AsyncUnicodeScalarSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    /// A Unicode scalar.
    public typealias Element = Unicode.Scalar
    /// The failure of the base sequence.
    public typealias Failure = Base.Failure

    @usableFromInline let base: Base

    @inlinable
    init(_ base: Base) {
      self.base = base
    }

    /// Makes an iterator over the scalars.
    @inlinable
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(base.makeAsyncIterator())
    }

    /// Decodes the bytes of the base iterator into scalars.
    public struct AsyncIterator: AsyncIteratorProtocol {
      @usableFromInline var base: Base.AsyncIterator
      @usableFromInline var decoder = ScalarDecoder()
      /// A byte that does not continue the scalar before it, to be decoded next.
      @usableFromInline var undecoded: UInt8?

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
        if let byte = undecoded.take(), case .scalar(let scalar) = decoder.received(byte) { return scalar }
        do throws(Base.Failure) {
          while let byte = try await base.next(isolation: actor) {
            switch decoder.received(byte) {
            case .scalar(let scalar): return scalar
            case .unfinished: continue
            case .invalid:
              undecoded = byte
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
