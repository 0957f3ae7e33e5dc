/// An iterator of bytes that a function reads many at a time.
///
/// It makes the bytes of a file or a connection an asynchronous sequence, and waits only where its buffer is empty.
///
/// ```swift
/// struct Zeros: AsyncSequence {
///   func makeAsyncIterator() -> AsyncBufferedByteIterator {
///     AsyncBufferedByteIterator(capacity: 4_096) { buffer in
///       buffer.initializeMemory(as: UInt8.self, repeating: 0)
///       return buffer.count
///     }
///   }
/// }
/// ```
///
/// The bytes end when the function reads none. If it throws, `next()` throws the error, and returns `nil` from then on.
///
/// - Cancellation: The bytes that are in the buffer are returned. When there are none, `next()` throws a
///   `CancellationError` instead of calling the function.
public struct AsyncBufferedByteIterator: AsyncIteratorProtocol {
  /// A byte.
  public typealias Element = UInt8
  /// What the function throws, or a `CancellationError`.
  public typealias Failure = any Error

  @usableFromInline typealias Read =
    nonisolated(nonsending) @Sendable (UnsafeMutableRawBufferPointer) async throws -> Int

  /// The memory, which copies of an iterator share as long as they only read it.
  @usableFromInline
  final class Storage {
    @usableFromInline let bytes: UnsafeMutableRawBufferPointer

    @usableFromInline
    init(capacity: Int) {
      bytes = .allocate(byteCount: capacity, alignment: MemoryLayout<AnyObject>.alignment)
    }

    deinit {
      bytes.deallocate()
    }
  }

  @usableFromInline var storage: Storage
  @usableFromInline var position: UnsafeMutableRawPointer
  @usableFromInline var end: UnsafeMutableRawPointer
  /// The function, until the bytes end.
  @usableFromInline var read: Read?

  /// Makes an iterator.
  ///
  /// - Parameters:
  ///   - capacity: How many bytes are read at a time, at most; at least one.
  ///   - readFunction: Writes bytes to the beginning of a buffer, and returns how many; none when they end. It is
  ///     called on the consumer's isolation.
  public init(
    capacity: Int,
    readFunction: nonisolated(nonsending) @escaping @Sendable (UnsafeMutableRawBufferPointer) async throws -> Int
  ) {
    precondition(capacity > 0, "the capacity of a buffer must be at least one byte, but was \(capacity)")
    storage = Storage(capacity: capacity)
    position = storage.bytes.baseAddress!
    end = position
    read = readFunction
  }

  /// The next byte, on the caller's isolation; `nil` after the end.
  @inlinable
  public nonisolated(nonsending) mutating func next() async throws(any Error) -> UInt8? {
    try await next(isolation: #isolation)
  }

  /// The next byte, on the caller's isolation.
  @inlinable
  public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> UInt8? {
    if position == end {
      guard try await reload(isolation: actor) else { return nil }
    }
    defer { position += 1 }
    return position.load(as: UInt8.self)
  }

  /// Fills the buffer.
  ///
  /// - Returns: Whether there are more bytes.
  @usableFromInline
  @inline(never)
  mutating func reload(isolation actor: isolated (any Actor)?) async throws -> Bool {
    guard let read = read.take() else { return false }
    try Task.checkCancellation()
    // A copy of this iterator may have bytes of the buffer ahead of it.
    if !isKnownUniquelyReferenced(&storage) { storage = Storage(capacity: storage.bytes.count) }
    let bytes = storage.bytes
    position = bytes.baseAddress!
    end = position
    let count = try await read(bytes)
    precondition(0...bytes.count ~= count, "the read function returned \(count) for a buffer of \(bytes.count) bytes")
    guard count > 0 else { return false }
    end = position + count
    self.read = read
    return true
  }
}

@available(*, unavailable)
extension AsyncBufferedByteIterator: Sendable {}
