#if !canImport(Darwin) && !os(Windows)
  public import Foundation

  extension URL {
    /// The bytes of the resource that the URL names.
    ///
    /// A file is opened and read with the first call of `next()`; what any other URL names is loaded by the shared
    /// `URLSession`, whatever the status of its answer. Each iterator starts at the beginning.
    ///
    /// - Thread: Reading blocks none of the threads on which tasks run.
    /// - Cancellation: `next()` throws `CancellationError`: at once where it waits, otherwise when what was read ahead
    ///   has been taken. The file is closed, or the transfer ended, then, and when the iterator is dropped.
    public var resourceBytes: AsyncBytes { AsyncBytes(url: self) }

    /// The lines of the resource that the URL names, without the empty ones.
    ///
    /// ```swift
    /// for try await line in URL(fileURLWithPath: "/etc/hosts").lines {
    ///   print(line)
    /// }
    /// ```
    ///
    /// What ends a line is said at ``AsyncLineSequence``.
    public var lines: AsyncLineSequence<AsyncBytes> { resourceBytes.lines }

    /// The bytes of a resource, as an asynchronous sequence.
    public struct AsyncBytes: AsyncSequence, Sendable {
      /// A byte.
      public typealias Element = UInt8
      /// Why reading has failed: a `CocoaError`, a `URLError`, or `CancellationError`.
      public typealias Failure = any Error
      /// The sequence's iterator.
      public typealias AsyncIterator = Iterator

      let url: URL

      /// Makes an iterator that starts at the beginning.
      public func makeAsyncIterator() -> Iterator {
        let source: any ByteSource = url.isFileURL ? DescriptorReader(Descriptor(of: url)) : RemoteReader(url)
        return Iterator(buffer: ByteBuffer(source))
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
