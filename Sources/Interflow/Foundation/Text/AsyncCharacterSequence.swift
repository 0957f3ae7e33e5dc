#if !canImport(Darwin)
  /// The characters of a sequence of bytes.
  ///
  /// They are the characters that a `String` of the bytes has: CRLF is one, and so is an emoji of many scalars. A
  /// character is delivered when the next one has begun, or the bytes have ended; a line feed is delivered at once.
  /// Invalid bytes are repaired as by `String(decoding:as:)`. After a failure an incomplete character is not delivered.
  public struct AsyncCharacterSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    /// A character.
    public typealias Element = Character
    /// The failure of the base sequence.
    public typealias Failure = Base.Failure

    @usableFromInline let base: Base

    @inlinable
    init(_ base: Base) {
      self.base = base
    }

    /// Makes an iterator over the characters.
    @inlinable
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(AsyncUnicodeScalarSequence<Base>.AsyncIterator(base.makeAsyncIterator()))
    }

    /// Decodes the bytes of the base iterator into characters.
    public struct AsyncIterator: AsyncIteratorProtocol {
      @usableFromInline var scalars: AsyncUnicodeScalarSequence<Base>.AsyncIterator
      @usableFromInline var builder = ClusterBuilder()

      @inlinable
      init(_ scalars: AsyncUnicodeScalarSequence<Base>.AsyncIterator) {
        self.scalars = scalars
      }

      /// The next character; `nil` at the end.
      @inlinable
      public nonisolated(nonsending) mutating func next() async throws(Base.Failure) -> Character? {
        try await next(isolation: #isolation)
      }

      /// The next character, on the caller's isolation.
      @inlinable
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Character? {
        if let character = builder.takeComplete() { return character }
        do throws(Base.Failure) {
          while let scalar = try await scalars.next(isolation: actor) {
            if let character = builder.received(scalar) ?? builder.takeComplete() { return character }
          }
        } catch {
          builder = ClusterBuilder()
          throw error
        }
        return builder.end()
      }
    }
  }

  extension AsyncCharacterSequence: Sendable where Base: Sendable {}

  extension AsyncSequence where Element == UInt8 {
    /// The characters of UTF-8 text.
    ///
    /// ```swift
    /// for try await character in handle.bytes.characters {
    ///   print(character)
    /// }
    /// ```
    @inlinable
    public var characters: AsyncCharacterSequence<Self> { AsyncCharacterSequence(self) }
  }
#endif
