/// The iteration that all sequences of lines share.
@frozen
@usableFromInline
struct LineIteration<Base: AsyncIteratorProtocol> where Base.Element == UInt8 {
  @usableFromInline var base: Base
  @usableFromInline var splitter: LineSplitter
  /// What the base has read ahead, where it is one of ours: lines are taken from there in one go.
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
      // A buffered base reads more when one byte is requested; the others are in the buffer then.
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
