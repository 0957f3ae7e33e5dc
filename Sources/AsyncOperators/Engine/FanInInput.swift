import InterflowPrimitives

/// What a ``FanIn`` knows of an input.
@usableFromInline
class AnyFanInInput: @unchecked Sendable {
  // `engine` and `index` are set before the input is started. The input's task writes `failure` before it reports it,
  // and the consumer reads it after that.
  @usableFromInline @exclusivity(unchecked) final var engine: FanIn?
  @usableFromInline @exclusivity(unchecked) final var index = 0
  @usableFromInline @exclusivity(unchecked) final var failure: (any Error)?

  /// What the input's task runs. A closure, since it is formed where the sequence's type is known, and is specialized
  /// for it there; an overridden method would not be.
  @usableFromInline final let body: (AnyFanInInput) async -> Void

  /// - Parameter body: What the input's task runs; it is passed this object.
  @usableFromInline
  init(_ body: @escaping (AnyFanInInput) async -> Void) {
    self.body = body
  }

  final func join(_ engine: FanIn, at index: Int) {
    self.engine = engine
    self.index = index
  }

  /// Suspends the input's task until the consumer requests an element, or the input has to stop.
  ///
  /// - Returns: Whether an element is requested.
  @inlinable
  @inline(__always)
  final func requested(_ park: (FanIn.Waiter) -> Void) async -> Bool {
    var address: UInt = 0
    let isRequested: Bool = await withUnsafeContinuation {
      address = $0.address
      park($0)
    }
    // The task goes on without a lock, and uses what the consumer has used: the place that this has emptied.
    ThreadSanitizer.acquire(address)
    return isRequested
  }

  /// Releases the iterator of an input that will not be started.
  @usableFromInline
  func discard() {}

  /// Traps if the failure is of another type. This cannot be unless the user has stated the types.
  @usableFromInline
  final func failure<Failure: Error>(as type: Failure.Type) -> Failure {
    guard let failure else { preconditionFailure("an input that has not failed is said to have failed") }
    return converted(failure, to: type)
  }
}

/// An input, and the places of its elements.
///
/// There are two, which are used in turns: the next element may be requested when the consumer is handed the last one,
/// and so may arrive before the consumer has taken that out.
@usableFromInline
class FanInSlot<Element>: AnyFanInInput, @unchecked Sendable {
  // The input's task writes to a place before it reports the element, and the consumer takes the element out after that,
  // and before it takes the next event from the engine. So a place that is written to is empty, and nobody reads it.
  @usableFromInline @exclusivity(unchecked) final var even: Element?
  @usableFromInline @exclusivity(unchecked) final var odd: Element?
  /// Which place is next. Only the input's task uses this.
  @usableFromInline @exclusivity(unchecked) final var storesOdd = false
  /// Which place is next. Only the consumer uses this.
  @usableFromInline @exclusivity(unchecked) final var takesOdd = false

  @inlinable
  override init(_ body: @escaping (AnyFanInInput) async -> Void) {
    super.init(body)
  }

  /// Puts an element in its place, before it is reported.
  @inlinable
  final func store(_ element: Element) {
    if storesOdd { odd = element } else { even = element }
    storesOdd.toggle()
  }

  /// The element that has been reported.
  @inlinable
  final func take() -> Element? {
    defer { takesOdd.toggle() }
    return takesOdd ? odd.take() : even.take()
  }

  /// The element of an input that has reported one.
  @inlinable
  final func taken() -> Element {
    guard let element = take() else { preconditionFailure("an input without an element is said to have one") }
    return element
  }

  /// An input that iterates a base whose type is of no concern.
  @inlinable
  static func iterating<Base: AsyncSequence>(_ base: Base) -> FanInSlot where Base.Element == Element {
    FanInInput(base)
  }
}

/// An input that is an asynchronous sequence, whose iterator is made with it.
@usableFromInline
final class FanInInput<Base: AsyncSequence>: FanInSlot<Base.Element>, @unchecked Sendable {
  @usableFromInline let iterator: IteratorTransfer<Base.AsyncIterator>

  @inlinable
  init(_ base: Base) {
    iterator = IteratorTransfer(base.makeAsyncIterator())
    super.init { await unsafeDowncast($0, to: FanInInput.self).iterate() }
  }

  @inlinable
  override func discard() {
    iterator.discard()
  }

  @inlinable
  func iterate() async {
    guard let engine else { return }
    let index = index
    var iterator = iterator.take()
    // An inner input may have been replaced before it begins.
    if Task.isCancelled { return engine.finished(index) }
    var received = 0
    repeat {
      // Lets other inputs run, though this one always has an element, and the consumer always takes it in time.
      received &+= 1
      if received & 511 == 0 { await Task.yield() }
      do throws(Base.Failure) {
        guard let element = try await iterator.next(isolation: nil) else { return engine.finished(index) }
        store(element)
      } catch {
        failure = error
        return engine.failed(index)
      }
    } while await requested { engine.received(index, $0) }
  }
}

/// The consumer's reference to an engine, which stops it when the consumer releases it.
///
/// The inputs' tasks retain the engine, so the engine itself is not deallocated then.
@usableFromInline
final class FanInHandle {
  @usableFromInline let engine: FanIn

  /// - Parameter limit: How many inner inputs there are at most.
  @inlinable
  init(_ mode: FanInStateMachine.Mode, _ inputs: [AnyFanInInput], limit: Int = .max) {
    engine = FanIn(mode, inputs, limit: limit)
  }

  @inlinable
  deinit {
    engine.cancel()
  }

  /// What the consumer gets next, never `pending`, on its isolation.
  @inlinable
  func next(isolation: isolated (any Actor)?) async -> FanInEvent {
    while true {
      let event = engine.poll()
      if event != .pending { return event }
      await engine.advance(isolation: isolation)
    }
  }
}

/// Inputs of different elements.
@usableFromInline
final class FanInSlots<each Element> {
  @usableFromInline let all: (repeat FanInSlot<each Element>)

  @inlinable
  init(_ slots: repeat FanInSlot<each Element>) {
    all = (repeat each slots)
  }
}
