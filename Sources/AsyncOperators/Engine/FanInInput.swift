import InterflowPrimitives

/// What a ``FanIn`` knows of an input.
@usableFromInline
class AnyFanInInput: @unchecked Sendable {
  // `engine` and `index` are set before the input is started. `work` is taken by whoever has taken the input out of the
  // engine, to start it or to drop it.
  @usableFromInline @exclusivity(unchecked) final var engine: FanIn?
  @usableFromInline @exclusivity(unchecked) final var index = 0
  @exclusivity(unchecked) private final var work: Work?

  /// What the input's task runs; it is passed this object. A closure, since it is formed where the sequence's type is
  /// known, and is specialized for it there; an overridden method would not be.
  @usableFromInline typealias Work = (AnyFanInInput, FanIn) async -> Void

  @usableFromInline
  init(_ work: @escaping Work) {
    self.work = work
  }

  final func join(_ engine: FanIn, at index: Int) {
    self.engine = engine
    self.index = index
  }

  /// Iterates the input. Its task calls this once.
  final func run() async {
    guard let engine, let work = work.take() else { return }
    await work(self, engine)
  }

  /// Releases the iterator of an input that will not be started.
  final func discard() {
    work = nil
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

  /// Starts an inner input, if the rule wants one now.
  @inlinable
  final func startInner(_ make: () -> AnyFanInInput) {
    guard let engine, engine.beginInner() else { return }
    engine.startInner(make())
  }
}

/// What an input does after an element of its base.
@usableFromInline
@frozen
enum FanInStep {
  /// It reports an element to the consumer, and waits until the next one is requested.
  case deliver
  /// The same, and ends then. The base's iterator is released before.
  case deliverLast
  /// The consumer gets nothing of the element; it still waits for the one that it has requested.
  case takeNext
  /// It has been cancelled.
  case stop
  /// It waits until there is room for another inner input.
  case waitForRoom
}

/// An input that iterates an asynchronous sequence, and the places of the elements that it delivers.
///
/// There are two, which are used in turns: the next element may be requested when the consumer is handed the last one,
/// and so may arrive before the consumer has taken that out.
@usableFromInline
final class FanInInput<Element>: AnyFanInInput, @unchecked Sendable {
  // The input's task writes to a place before it reports the element, and the consumer takes the element out after that,
  // and before it takes the next event from the engine. So a place that is written to is empty, and nobody reads it.
  @usableFromInline @exclusivity(unchecked) var even: Element?
  @usableFromInline @exclusivity(unchecked) var odd: Element?
  /// Which place is next. Only the input's task uses this.
  @usableFromInline @exclusivity(unchecked) var storesOdd = false
  /// Which place is next. Only the consumer uses this.
  @usableFromInline @exclusivity(unchecked) var takesOdd = false
  /// The element that the consumer has kept. Only the consumer uses this; it is here, since copies of an iterator are one
  /// consumer.
  @usableFromInline @exclusivity(unchecked) var latest: Element?

  /// An input that delivers all elements of a base, whose iterator is made with it.
  @inlinable
  init<Base: AsyncSequence>(_ base: Base) where Base.Element == Element {
    let iterator = IteratorTransfer(base.makeAsyncIterator())
    super.init { input, engine in
      let input = unsafeDowncast(input, to: FanInInput.self)
      await input.iterate(iterator, engine) { element in
        input.store(element)
        return .deliver
      }
    }
  }

  /// An input that does something with each element of a base, whose iterator is made with it.
  ///
  /// - Parameters:
  ///   - ignoresFailure: Whether a failure is an end like any other.
  ///   - receive: Says what to do after an element. Where that is `deliver`, it has stored what is delivered, if the
  ///     consumer takes it.
  @inlinable
  @inline(__always)
  init<Base: AsyncSequence>(
    _ base: Base, ignoresFailure: Bool = false, _ receive: @escaping (FanInInput, Base.Element) -> FanInStep
  ) {
    let iterator = IteratorTransfer(base.makeAsyncIterator())
    super.init { input, engine in
      let input = unsafeDowncast(input, to: FanInInput.self)
      await input.iterate(iterator, engine, ignoresFailure: ignoresFailure) { receive(input, $0) }
    }
  }

  /// Iterates a base until it ends, or the engine wants no more: the loop of all inputs.
  @inlinable
  @inline(__always)
  func iterate<Iterator: AsyncIteratorProtocol>(
    _ transfer: IteratorTransfer<Iterator>, _ engine: FanIn, ignoresFailure: Bool = false,
    _ receive: (Iterator.Element) -> FanInStep
  ) async {
    let index = index
    // An inner input may have been replaced before it begins.
    if Task.isCancelled { return engine.finished(index) }
    var isLast = false
    var effort = 0
    do throws(Iterator.Failure) {
      var iterator = transfer.take()
      while !isLast, let element = try await iterator.next(isolation: nil) {
        switch receive(element) {
        case .deliver:
          guard await requested({ engine.received(index, $0) }) else { return }
          effort &+= 1
        case .waitForRoom:
          guard await requested({ engine.waitForRoom($0) }) else { return }
          effort &+= 8
        case .takeNext:
          effort &+= 8
        case .stop: return engine.finished(index)
        case .deliverLast: isLast = true
        }
        // Lets other tasks run, though the base always has an element, and the consumer always takes it in time.
        if effort >= 512 {
          effort = 0
          // Nor need it look at cancellation.
          if Task.isCancelled { return engine.finished(index) }
          await Task.yield()
        }
      }
    } catch {
      return ignoresFailure ? engine.finished(index) : engine.failed(index, error)
    }
    if isLast {
      guard await requested({ engine.received(index, $0) }) else { return }
    }
    engine.finished(index)
  }

  /// Puts an element in its place, before it is reported.
  @inlinable
  func store(_ element: Element) {
    if storesOdd { odd = element } else { even = element }
    storesOdd.toggle()
  }

  /// The element that has been reported.
  @inlinable
  func take() -> Element? {
    defer { takesOdd.toggle() }
    return takesOdd ? odd.take() : even.take()
  }

  /// The element of an input that has reported one.
  @inlinable
  func taken() -> Element {
    guard let element = take() else { preconditionFailure("an input without an element is said to have one") }
    return element
  }

  /// The element that the consumer has kept.
  @inlinable
  func known() -> Element {
    guard let latest else { preconditionFailure("an input without an element is said to have one") }
    return latest
  }
}

/// Inputs of different elements.
@usableFromInline
final class FanInInputs<each Element> {
  @usableFromInline let all: (repeat FanInInput<each Element>)

  @inlinable
  init(_ inputs: repeat FanInInput<each Element>) {
    all = (repeat each inputs)
  }

  @inlinable var erased: [AnyFanInInput] {
    var erased: [AnyFanInInput] = []
    for input in repeat each all { erased.append(input) }
    return erased
  }
}
