#if INTERFLOW_FOUNDATION_NETWORKING && !canImport(Darwin) && !os(Windows)
  public import Foundation

  #if canImport(FoundationNetworking)
    public import FoundationNetworking
  #endif

  extension URLSession {
    /// Loads the contents of a URL, and delivers the bytes while they arrive.
    ///
    /// ```swift
    /// let (bytes, response) = try await URLSession.shared.bytes(from: url)
    /// guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
    /// for try await line in bytes.lines {
    ///   print(line)
    /// }
    /// ```
    ///
    /// Buffering, delegate and cancellation are as with `bytes(for:delegate:)`.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - delegate: Decides about redirections and credentials, instead of the session's delegate.
    /// - Returns: The bytes of the body, and the response.
    public func bytes(
      from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
      try await bytes(for: URLRequest(url: url), delegate: delegate)
    }

    /// Makes a request, and delivers the bytes of the response while they arrive.
    ///
    /// Returns as soon as there is a response. One that requires credentials (401) is returned when its body is
    /// complete, since another may follow it. Bytes that have not been read are buffered without limit: this Foundation
    /// cannot make a server wait.
    ///
    /// The transfer has its own session, with the configuration of this one. This session's delegate is called for
    /// redirections, credentials, and the progress of the upload. Invalidating this session does not end the transfer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - delegate: Decides about redirections and credentials, instead of the session's delegate.
    /// - Returns: The bytes of the body, and the response.
    /// - Throws: `URLError` if there is no response; `URLError.cancelled` as soon as the task is cancelled.
    /// - Cancellation: Cancels the transfer.
    public func bytes(
      for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
      let transfer = Transfer(request, of: self, delegate: delegate)
      let response = try await transfer.response(isolation: #isolation)
      return (AsyncBytes(transfer: transfer), response)
    }

    /// The bytes of a response while they arrive, as an asynchronous sequence.
    ///
    /// All iterators share one transfer; bytes that an iterator has read ahead are lost when it is released. The
    /// transfer is cancelled when the sequence and its iterators have been released.
    ///
    /// - Cancellation: Cancelling a task that iterates cancels the transfer, and drops what has arrived: at once while
    ///   the task waits in `next()`, otherwise when it has taken the bytes that its iterator has read ahead. Its
    ///   `next()` then throws `CancellationError`, and that of any other iterator why the body is incomplete,
    ///   usually `URLError.cancelled`: only a body that has been delivered to its end ends with `nil`. If the
    ///   transfer's own task is cancelled, the bytes received so far are delivered, and then `URLError.cancelled` is
    ///   thrown.
    public struct AsyncBytes: AsyncSequence, Sendable {
      /// A byte.
      public typealias Element = UInt8
      /// Why the transfer has failed: a `URLError`, or `CancellationError`.
      public typealias Failure = any Error
      /// The sequence's iterator.
      public typealias AsyncIterator = Iterator

      let transfer: Transfer

      /// The task that loads the bytes. Suspending it has no effect, since Foundation would make the request again.
      public var task: URLSessionDataTask { transfer.task }

      /// Makes an iterator that continues at the transfer's position.
      public func makeAsyncIterator() -> Iterator {
        Iterator(buffer: ByteBuffer(TransferReader(transfer)))
      }

      /// Delivers bytes one by one from the pieces in which they arrive.
      public struct Iterator: AsyncIteratorProtocol, BufferedByteIterator {
        @usableFromInline let buffer: ByteBuffer

        /// The next byte; `nil` at the end, and after a failure.
        @inlinable
        public nonisolated(nonsending) mutating func next() async throws -> UInt8? {
          try await next(isolation: #isolation)
        }

        /// The next byte, on the caller's isolation; without a suspension if it has arrived.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
          try await buffer.next(isolation: actor)
        }
      }
    }
  }
#endif
