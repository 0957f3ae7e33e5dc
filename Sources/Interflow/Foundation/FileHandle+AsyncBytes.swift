#if !canImport(Darwin) && !os(Windows)
  public import Foundation

  extension FileHandle {
    /// The bytes from where the handle stands to the end of the file, the pipe or the connection.
    ///
    /// ```swift
    /// for try await line in FileHandle.standardInput.bytes.lines {
    ///   print(line)
    /// }
    /// ```
    ///
    /// Iterators read from the one position that the handle has, and each reads ahead: what an iterator has read goes
    /// with it. The handle is kept, and is not closed. It must not be closed while an iterator waits.
    ///
    /// - Thread: Reading blocks none of the threads on which tasks run; waiting for a pipe or a connection blocks none.
    /// - Cancellation: `next()` throws `CancellationError`: at once where it waits, otherwise when what was read ahead
    ///   has been taken.
    public var bytes: AsyncBytes { AsyncBytes(handle: self) }

    /// The bytes that a file handle reads, as an asynchronous sequence.
    public struct AsyncBytes: AsyncSequence, Sendable {
      /// A byte.
      public typealias Element = UInt8
      /// Why reading has failed: a `CocoaError` that holds what the system said, or `CancellationError`.
      public typealias Failure = any Error
      /// The sequence's iterator.
      public typealias AsyncIterator = Iterator

      let handle: FileHandle

      /// Makes an iterator that reads on from where the handle stands.
      public func makeAsyncIterator() -> Iterator {
        Iterator(buffer: ByteBuffer(DescriptorReader(Descriptor(of: handle))))
      }

      /// Takes bytes one by one from what it reads in large pieces.
      public struct Iterator: AsyncIteratorProtocol, BufferedByteIterator {
        @usableFromInline let buffer: ByteBuffer

        /// The next byte; `nil` at the end, and after a failure.
        @inlinable
        public nonisolated(nonsending) mutating func next() async throws -> UInt8? {
          try await next(isolation: #isolation)
        }

        /// The next byte, on the caller's isolation; one that has been read costs no suspension.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
          try await buffer.next(isolation: actor)
        }
      }
    }
  }
#endif
