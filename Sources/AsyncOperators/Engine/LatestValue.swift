import InterflowPrimitives

/// The latest value that one task has stored, for another one.
@usableFromInline
final class LatestValue<Value>: @unchecked Sendable {
  // Guarded by `lock`: `value`.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var value: Value?

  @inlinable init() {}

  @inlinable
  func store(_ newValue: Value) {
    lock.lock()
    let old = value
    value = newValue
    lock.unlock()
    releaseOutsideLock(old)
  }

  @inlinable
  func load() -> Value? {
    lock.lock()
    let value = value
    lock.unlock()
    return value
  }
}

/// An input that delivers no element, and stores its latest one.
@usableFromInline
final class LatestValueInput<Base: AsyncSequence>: AnyFanInInput, @unchecked Sendable {
  @usableFromInline let iterator: IteratorTransfer<Base.AsyncIterator>
  @usableFromInline let latest = LatestValue<Base.Element>()

  @inlinable
  init(_ base: Base) {
    iterator = IteratorTransfer(base.makeAsyncIterator())
    super.init { await unsafeDowncast($0, to: LatestValueInput.self).iterate() }
  }

  @inlinable
  override func discard() {
    iterator.discard()
  }

  @inlinable
  func iterate() async {
    guard let engine else { return }
    var iterator = iterator.take()
    var count = 0
    do throws(Base.Failure) {
      while let element = try await iterator.next(isolation: nil) {
        // The base need not look at it.
        if Task.isCancelled { return }
        latest.store(element)
        // Lets other tasks run, though the base always has an element.
        count &+= 1
        if count & 63 == 0 { await Task.yield() }
      }
      engine.finished(index)
    } catch {
      failure = error
      engine.failed(index)
    }
  }
}

/// An input whose elements are delivered with the latest value of another one, and dropped as long as there is none.
@usableFromInline
final class SamplingInput<Base: AsyncSequence, Other>: FanInSlot<(Base.Element, Other)>, @unchecked Sendable {
  @usableFromInline let iterator: IteratorTransfer<Base.AsyncIterator>
  @usableFromInline let latest: LatestValue<Other>

  @inlinable
  init(_ base: Base, _ latest: LatestValue<Other>) {
    iterator = IteratorTransfer(base.makeAsyncIterator())
    self.latest = latest
    super.init { await unsafeDowncast($0, to: SamplingInput.self).iterate() }
  }

  @inlinable
  override func discard() {
    iterator.discard()
  }

  @inlinable
  func iterate() async {
    guard let engine else { return }
    var iterator = iterator.take()
    var dropped = 0
    do throws(Base.Failure) {
      while let next = try await iterator.next(isolation: nil) {
        if let value = latest.load() {
          store((next, value))
          guard await requested({ engine.received(index, $0) }) else { return }
        } else {
          // The consumer still waits for the element that it has requested.
          if Task.isCancelled { return }
          // Lets other tasks run, though the base always has an element.
          dropped &+= 1
          if dropped & 63 == 0 { await Task.yield() }
        }
      }
      engine.finished(index)
    } catch {
      failure = error
      engine.failed(index)
    }
  }
}
