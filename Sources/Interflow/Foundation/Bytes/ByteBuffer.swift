/// The bytes that one iterator has read ahead, and the source that it reads more from.
///
/// An object, so that an iterator of lines can take whole runs of bytes from the iterator of bytes that it reads.
@usableFromInline
final class ByteBuffer {
  // Used only by the iterator's owner. Without exclusivity checks: nothing is called while a byte is taken.
  @usableFromInline @exclusivity(unchecked) var position: UnsafePointer<UInt8>?
  @usableFromInline @exclusivity(unchecked) var end: UnsafePointer<UInt8>?
  private var source: (any ByteSource)?

  init(_ source: any ByteSource) {
    self.source = source
  }

  /// The next byte; `nil` at the end.
  @inlinable
  func next(isolation: isolated (any Actor)?) async throws -> UInt8? {
    if let byte = take() { return byte }
    return try await takeAfterReading(isolation: isolation)
  }

  /// The next byte, if it has been read already.
  @inlinable
  func take() -> UInt8? {
    guard position != end, let next = position else { return nil }
    position = next + 1
    return next.pointee
  }

  /// Reads more bytes, and takes the first of them.
  ///
  /// The source is released at its end and at its first failure, which closes what it has opened.
  @usableFromInline
  func takeAfterReading(isolation: isolated (any Actor)?) async throws -> UInt8? {
    guard let source else { return nil }
    position = nil
    end = nil
    do {
      let bytes = try await source.read(isolation: isolation)
      if let start = bytes.baseAddress, !bytes.isEmpty {
        position = start.assumingMemoryBound(to: UInt8.self)
        end = position.map { $0 + bytes.count }
        return take()
      }
    } catch {
      self.source = nil
      throw error
    }
    self.source = nil
    return nil
  }
}

/// The source that an iterator of bytes reads from.
protocol ByteSource {
  /// Waits for more bytes; none at the end. The memory is valid until the next call, or until the source is released.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func read(isolation: isolated (any Actor)?) async throws -> UnsafeRawBufferPointer
}

/// An iterator that takes its bytes from a buffer.
protocol BufferedByteIterator {
  var buffer: ByteBuffer { get }
}

/// The buffer of an iterator that has one.
@usableFromInline
func sharedBuffer<Iterator>(of iterator: Iterator) -> ByteBuffer? {
  (iterator as? any BufferedByteIterator)?.buffer
}
