/// The iteration behind all sequences of lines.
@frozen
@usableFromInline
struct LineIteration<Base: AsyncIteratorProtocol> where Base.Element == UInt8 {
  @usableFromInline var base: Base
  @usableFromInline var splitter: LineSplitter
  /// The bytes that the base has read ahead, if it is one of this module's iterators: lines are taken from there at
  /// once.
  @usableFromInline let buffer: ByteBuffer?

  @inlinable
  init(_ base: Base, keepsEmpty: Bool) {
    self.base = base
    splitter = LineSplitter(keepsEmpty: keepsEmpty)
    buffer = sharedBuffer(of: base)
  }

  @inlinable
  mutating func next(isolation: isolated (any Actor)?) async throws(Base.Failure) -> String? {
    if let buffer, let line = splitter.take(from: buffer) { return line }
    return try await nextAfterReading(isolation: isolation)
  }

  @inlinable
  mutating func nextAfterReading(isolation: isolated (any Actor)?) async throws(Base.Failure) -> String? {
    do throws(Base.Failure) {
      // A buffered base reads many bytes when one is requested; the others are then in the buffer.
      while let byte = try await base.next(isolation: isolation) {
        if let line = splitter.received(byte) { return line }
        if let buffer, let line = splitter.take(from: buffer) { return line }
      }
    } catch {
      splitter.reset()
      throw error
    }
    return splitter.end()
  }
}
