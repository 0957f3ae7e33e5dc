#if !canImport(Darwin) && !os(Windows)
  public import Foundation

  #if canImport(FoundationNetworking)
    public import FoundationNetworking
  #endif

  extension URLSession {
    /// Loads what a URL holds, and gives out its bytes while they come.
    ///
    /// ```swift
    /// let (bytes, response) = try await URLSession.shared.bytes(from: url)
    /// guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
    /// for try await line in bytes.lines {
    ///   print(line)
    /// }
    /// ```
    ///
    /// What `bytes(for:delegate:)` says of requests holds here, too.
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

    /// Makes a request, and gives out the bytes of its answer while they come.
    ///
    /// Returns as soon as there is a response; one that requires credentials (401) is held until its body is complete,
    /// since another may follow it. Bytes that have not been read are buffered without limit: this Foundation cannot
    /// make a server wait.
    ///
    /// The transfer runs in a session of its own, with the configuration of this one and its delegate as to
    /// redirections, credentials, and progress of the upload; invalidating this session does not end it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - delegate: Decides about redirections and credentials, instead of the session's delegate.
    /// - Returns: The bytes of the body, and the response.
    /// - Throws: `URLError` if there was no answer; `URLError.cancelled` as soon as the task is cancelled.
    /// - Cancellation: Ends the transfer.
    public func bytes(
      for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
      let transfer = Transfer(request, of: self, delegate: delegate)
      let response = try await transfer.response(isolation: #isolation)
      return (AsyncBytes(transfer: transfer), response)
    }

    /// The bytes of an answer while they come, as an asynchronous sequence.
    ///
    /// There is one transfer: iterators share it, and what one has read goes with it. The transfer ends when the
    /// sequence and its iterators have been dropped.
    ///
    /// - Cancellation: Cancelling a task that iterates ends the transfer; its `next()` throws `CancellationError`. If
    ///   the transfer itself is cancelled, what has come is delivered, and then `URLError.cancelled` thrown.
    public struct AsyncBytes: AsyncSequence, Sendable {
      /// A byte.
      public typealias Element = UInt8
      /// Why the transfer has failed: a `URLError`, or `CancellationError`.
      public typealias Failure = any Error
      /// The sequence's iterator.
      public typealias AsyncIterator = Iterator

      let transfer: Transfer

      /// The task that loads the bytes. Suspending it has no effect: Foundation would make the request once more.
      public var task: URLSessionDataTask { transfer.task }

      /// Makes an iterator that goes on where the transfer stands.
      public func makeAsyncIterator() -> Iterator {
        Iterator(buffer: ByteBuffer(TransferReader(transfer)))
      }

      /// Takes bytes one by one from the pieces in which they come.
      public struct Iterator: AsyncIteratorProtocol, BufferedByteIterator {
        @usableFromInline let buffer: ByteBuffer

        /// The next byte; `nil` at the end, and after a failure.
        @inlinable
        public nonisolated(nonsending) mutating func next() async throws -> UInt8? {
          try await next(isolation: #isolation)
        }

        /// The next byte, on the caller's isolation; one that has come costs no suspension.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
          try await buffer.next(isolation: actor)
        }
      }
    }
  }
#endif
