@testable import Interflow

/// Bytes that are read ahead in the runs that a test says, as those of a file are.
struct BufferedRuns: AsyncSequence {
  typealias Element = UInt8
  typealias Failure = any Error

  var runs: [ArraySlice<UInt8>]
  var failure: (any Error)?

  init(_ runs: [ArraySlice<UInt8>], failure: (any Error)? = nil) {
    self.runs = runs
    self.failure = failure
  }

  func makeAsyncIterator() -> Iterator { Iterator(buffer: ByteBuffer(Source(runs, failure))) }

  struct Iterator: AsyncIteratorProtocol, BufferedByteIterator {
    let buffer: ByteBuffer

    mutating func next() async throws -> UInt8? { try await next(isolation: nil) }

    mutating func next(isolation: isolated (any Actor)?) async throws -> UInt8? {
      if let byte = buffer.take() { return byte }
      return try await buffer.takeAfterReading(isolation: isolation)
    }
  }

  private final class Source: ByteSource {
    private var runs: ArraySlice<ArraySlice<UInt8>>
    private var failure: (any Error)?
    private let storage = ByteStorage()

    init(_ runs: [ArraySlice<UInt8>], _ failure: (any Error)?) {
      self.runs = runs[...]
      self.failure = failure
    }

    func read(isolation: isolated (any Actor)?) async throws -> UnsafeRawBufferPointer {
      guard let run = runs.popFirst() else {
        if let failure = failure.take() { throw failure }
        return UnsafeRawBufferPointer(start: nil, count: 0)
      }
      storage.reserve(run.count)
      storage.bytes.copyBytes(from: run)
      return UnsafeRawBufferPointer(rebasing: storage.bytes[..<run.count])
    }
  }
}
