import InterflowPrimitives

/// What a ``FanIn`` knows of an input.
@usableFromInline
class FanInPump: @unchecked Sendable {
  // `engine` and `index` are set before the input is started. The input's task writes `failure` before it reports it,
  // and the consumer reads it after that.
  @usableFromInline @exclusivity(unchecked) final var engine: FanIn?
  @usableFromInline @exclusivity(unchecked) final var index = 0
  @usableFromInline @exclusivity(unchecked) final var failure: (any Error)?

  /// What the input's task runs. A closure, since it is formed where the sequence's type is known, and is specialized
  /// for it there; an overridden method would not be.
  @usableFromInline final let body: (FanInPump) async -> Void

  /// - Parameter body: What the input's task runs; it is passed this object.
  @usableFromInline
  init(_ body: @escaping (FanInPump) async -> Void) {
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
    #if INTERFLOW_SANITIZE_THREAD
      await withCheckedContinuation(park)
    #else
      await withUnsafeContinuation(park)
    #endif
  }

  /// Releases the sequence of an input that will not be started.
  @usableFromInline
  func discard() {}

  /// Traps if the failure is of another type. This cannot be if the operator's function has chosen the types.
  @usableFromInline
  final func failure<Failure: Error>(as type: Failure.Type) -> Failure {
    guard let failure else { preconditionFailure("an input that has not failed is said to have failed") }
    return converted(failure, to: type)
  }
}

/// An input, and the place of its element.
@usableFromInline
class FanInSlot<Element>: FanInPump, @unchecked Sendable {
  // The input's task writes this before it reports the element, and the consumer takes it out after that, and before it
  // requests the next one.
  @usableFromInline @exclusivity(unchecked) final var element: Element?

  @inlinable
  override init(_ body: @escaping (FanInPump) async -> Void) {
    super.init(body)
  }

  @inlinable
  final func take() -> Element? {
    element.take()
  }

  /// The element of an input that has reported one.
  @inlinable
  final func taken() -> Element {
    guard let element = element.take() else { preconditionFailure("an input without an element is said to have one") }
    return element
  }

  /// An input that iterates a base whose type is of no concern.
  @inlinable
  static func iterating<Base: AsyncSequence>(_ base: Base) -> FanInSlot where Base.Element == Element {
    FanInInput(base)
  }
}

/// An input that is an asynchronous sequence.
@usableFromInline
final class FanInInput<Base: AsyncSequence>: FanInSlot<Base.Element>, @unchecked Sendable {
  // Only the input's task uses this after the start.
  @usableFromInline @exclusivity(unchecked) var base: Base?

  @inlinable
  init(_ base: Base) {
    self.base = base
    super.init { await unsafeDowncast($0, to: FanInInput.self).iterate() }
  }

  @inlinable
  override func discard() {
    base = nil
  }

  @inlinable
  func iterate() async {
    guard let engine else { return }
    let index = index
    // An inner input may have been replaced before it begins.
    if Task.isCancelled { return engine.finished(index) }
    guard var iterator = base.take()?.makeAsyncIterator() else { return }
    repeat {
      do throws(Base.Failure) {
        guard let next = try await iterator.next(isolation: nil) else { return engine.finished(index) }
        element = next
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

  /// - Parameters:
  ///   - isInline: Whether the inputs may run on the consumer's thread.
  ///   - limit: How many inner inputs there are at most.
  @inlinable
  init(_ mode: FanInStateMachine.Mode, _ inputs: [FanInPump], isInline: Bool = true, limit: Int = .max) {
    engine = FanIn(mode, inputs, isInline: isInline, limit: limit)
  }

  @inlinable
  deinit {
    engine.cancel()
  }

  /// What the consumer gets next, never `pending`, on its isolation.
  @inlinable
  func next(isolation: isolated (any Actor)?) async -> FanInEvent {
    while true {
      var event = engine.poll()
      if event == .pending { event = await engine.advance(isolation: isolation) }
      if event != .pending { return event }
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
