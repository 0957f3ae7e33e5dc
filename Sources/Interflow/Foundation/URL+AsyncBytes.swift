#if INTERFLOW_FOUNDATION && !canImport(Darwin) && !os(Windows)
  public import Foundation

  extension URL {
    /// The bytes of the resource that the URL names.
    ///
    /// A file is opened with the first call of `next()`. Any other resource is loaded by the shared `URLSession`,
    /// whatever the status of the response. Each iterator starts at the beginning. Without the package's trait
    /// `FoundationNetworking` there is no `URLSession`, and `next()` throws `CocoaError.fileReadUnsupportedScheme`.
    ///
    /// A file is read as the bytes are taken. What a server sends is buffered without limit until it is taken: this
    /// Foundation cannot make a server wait.
    ///
    /// - Thread: Reading blocks no thread of Swift's task pool.
    /// - Cancellation: `next()` throws `CancellationError`: at once if it waits, otherwise when the bytes that were
    ///   read ahead have been taken. Then, and when the iterator is released, the file is closed or the transfer
    ///   cancelled.
    public var resourceBytes: AsyncBytes { AsyncBytes(url: self) }

    /// The lines of the resource that the URL names, without the empty ones.
    ///
    /// ```swift
    /// for try await line in URL(fileURLWithPath: "/etc/hosts").lines {
    ///   print(line)
    /// }
    /// ```
    ///
    /// ``AsyncLineSequence`` describes what a line is. Each line is in memory as a whole, and what a server sends is
    /// buffered as with `resourceBytes`: where the resource is not trusted, take the bytes and count them.
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
        Iterator(buffer: ByteBuffer(source))
      }

      private var source: any ByteSource {
        if url.isFileURL { return DescriptorReader(Descriptor(of: url)) }
        #if INTERFLOW_FOUNDATION_NETWORKING
          return RemoteReader(url)
        #else
          return UnsupportedReader(url)
        #endif
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

  #if !INTERFLOW_FOUNDATION_NETWORKING
    /// The source of what only `URLSession` could load.
    private struct UnsupportedReader: ByteSource {
      let url: URL

      init(_ url: URL) { self.url = url }

      func read(isolation: isolated (any Actor)?) async throws -> UnsafeRawBufferPointer {
        throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: url])
      }
    }
  #endif
#endif
