/// What a base delivers, its end among it, each with the instant at which it came.
@usableFromInline
struct StampedEvents<Base: AsyncSequence, C: Clock>: AsyncSequence {
  @usableFromInline
  enum Event {
    case element(Base.Element)
    case failure(Base.Failure)
    case end
  }

  @usableFromInline typealias Element = (event: Event, instant: C.Instant)
  @usableFromInline typealias Failure = Never

  @usableFromInline let base: Base
  @usableFromInline let clock: C

  @inlinable
  init(_ base: Base, _ clock: C) {
    self.base = base
    self.clock = clock
  }

  @inlinable
  func makeAsyncIterator() -> Iterator { Iterator(base.makeAsyncIterator(), clock) }

  @usableFromInline
  struct Iterator: AsyncIteratorProtocol {
    /// Nil after the end.
    @usableFromInline var base: Base.AsyncIterator?
    @usableFromInline let clock: C

    @inlinable
    init(_ base: Base.AsyncIterator, _ clock: C) {
      self.base = base
      self.clock = clock
    }

    @inlinable
    mutating func next() async -> Element? { await next(isolation: nil) }

    @inlinable
    mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      if base == nil { return nil }
      do throws(Base.Failure) {
        if let element = try await base?.next(isolation: actor) { return (.element(element), clock.now) }
        base = nil
        return (.end, clock.now)
      } catch {
        base = nil
        return (.failure(error), clock.now)
      }
    }
  }
}

extension StampedEvents: Sendable where Base: Sendable {}
