/// The bytes that one iterator has read ahead, and the source that it reads more from.
///
/// An object, so that an iterator of lines can take whole runs of bytes from the iterator of bytes that it reads.
@usableFromInline
final class ByteBuffer {
  // Only the iterator's owner touches it. Without exclusivity checks: nothing calls out while a byte is taken.
  @usableFromInline @exclusivity(unchecked) var position: UnsafePointer<UInt8>?
  @usableFromInline @exclusivity(unchecked) var end: UnsafePointer<UInt8>?
  private var source: (any ByteSource)?

  init(_ source: any ByteSource) {
    self.source = source
  }

  /// The next byte: what the iterators of bytes deliver.
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

  /// Reads more, and takes the first byte of that.
  ///
  /// The source goes at its end and at its first failure, and what it has open with it.
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

/// Where an iterator of bytes reads from.
protocol ByteSource {
  /// Waits for more bytes: none at the end. They stay where they are until the next call, or until the source goes.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func read(isolation: isolated (any Actor)?) async throws -> UnsafeRawBufferPointer
}

/// An iterator whose bytes can be taken from a buffer.
protocol BufferedByteIterator {
  var buffer: ByteBuffer { get }
}

/// The buffer of an iterator that has one.
@usableFromInline
func sharedBuffer<Iterator>(of iterator: Iterator) -> ByteBuffer? {
  (iterator as? any BufferedByteIterator)?.buffer
}
