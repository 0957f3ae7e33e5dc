/// An iterator that releases its base when that returns `nil` or throws, and returns `nil` from then on.
@frozen
@usableFromInline
struct FusedIterator<Base: AsyncIteratorProtocol> {
  @usableFromInline var base: Base?

  @inlinable
  init(_ base: Base?) {
    self.base = base
  }

  @inlinable var isFinished: Bool { base == nil }

  @inlinable
  mutating func finish() {
    base = nil
  }

  @inlinable
  @inline(__always)
  mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
    do throws(Base.Failure) {
      if let element = try await base?.next(isolation: actor) { return element }
    } catch {
      base = nil
      throw error
    }
    base = nil
    return nil
  }
}
