#if INTERFLOW_FOUNDATION && !canImport(Darwin) && !os(Windows)
  public import Foundation

  extension FileHandle {
    /// The bytes from the handle's position to the end of the file, the pipe or the connection.
    ///
    /// ```swift
    /// for try await line in FileHandle.standardInput.bytes.lines {
    ///   print(line)
    /// }
    /// ```
    ///
    /// All iterators read from the handle's one position, and each reads ahead: bytes that an iterator has read ahead
    /// are lost when it is released. The handle is retained, and is not closed. It must not be closed while an iterator
    /// waits.
    ///
    /// - Thread: Reading blocks no thread of Swift's task pool; waiting for a pipe or a connection blocks no thread.
    /// - Cancellation: `next()` throws `CancellationError`: at once if it waits, otherwise when the bytes that were
    ///   read ahead have been taken.
    public var bytes: AsyncBytes { AsyncBytes(handle: self) }

    /// The bytes that a file handle reads, as an asynchronous sequence.
    public struct AsyncBytes: AsyncSequence, Sendable {
      /// A byte.
      public typealias Element = UInt8
      /// Why reading has failed: a `CocoaError` that holds the system's error, or `CancellationError`.
      public typealias Failure = any Error
      /// The sequence's iterator.
      public typealias AsyncIterator = Iterator

      let handle: FileHandle

      /// Makes an iterator that reads from the handle's position.
      public func makeAsyncIterator() -> Iterator {
        Iterator(buffer: ByteBuffer(DescriptorReader(Descriptor(of: handle))))
      }

      /// Delivers bytes one by one, and reads them in large pieces.
      public struct Iterator: AsyncIteratorProtocol, BufferedByteIterator {
        @usableFromInline let buffer: ByteBuffer

        /// The next byte; `nil` at the end, and after a failure.
        @inlinable
        public nonisolated(nonsending) mutating func next() async throws -> UInt8? {
          try await next(isolation: #isolation)
        }

        /// The next byte, on the caller's isolation; without a suspension if it has been read ahead.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
          try await buffer.next(isolation: actor)
        }
      }
    }
  }
#endif
