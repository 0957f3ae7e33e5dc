import InterflowPrimitives

/// The consumer's side of a ``FanIn``, in the iterator of an operator.
@usableFromInline
struct FanInConsumer<Failure: Error> {
  /// The reference to the engine, which stops it when the consumer releases it.
  ///
  /// The inputs' tasks retain the engine, so the engine itself is not deallocated then.
  @usableFromInline
  final class Handle {
    @usableFromInline let engine: FanIn

    @inlinable
    init(_ engine: FanIn) {
      self.engine = engine
    }

    @inlinable
    deinit {
      engine.cancel()
    }
  }

  /// Nil after the end.
  @usableFromInline var handle: Handle?

  /// - Parameter limit: How many inner inputs there are at most.
  @inlinable
  init(_ rule: FanInRule, _ inputs: [AnyFanInInput], limit: Int = .max) {
    handle = Handle(FanIn(rule, inputs, limit: limit))
  }

  @inlinable var isFinished: Bool { handle == nil }

  /// Whether the next call of ``next(isolation:)`` does not wait.
  @inlinable var hasArrived: Bool { handle?.engine.isReady ?? true }

  /// Takes an element that has arrived, without waiting.
  ///
  /// - Returns: The input that has delivered it.
  @inlinable
  func takeArrived() -> Int? { handle?.engine.takeArrived() }

  /// Requests an element of each input that has none, so that they go on while the consumer is busy.
  @inlinable
  func request() { handle?.engine.request() }

  /// Stops all inputs, for the copies of the iterator, too.
  @inlinable
  mutating func finish() {
    handle?.engine.cancel()
    handle = nil
  }

  /// Waits for an element, on the consumer's isolation.
  ///
  /// - Returns: The input that has delivered it, or any where each has delivered one; `nil` after the end.
  /// - Throws: The failure of an input.
  @inlinable
  @inline(__always)
  mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Int? {
    guard let engine = handle?.engine else { return nil }
    while true {
      switch engine.poll() {
      case .element(let input): return input
      case .pending: await engine.advance(isolation: actor)
      case .end:
        handle = nil
        return nil
      case .failure:
        // Before the engine is cancelled, which drops it.
        let error = engine.takeFailure()
        handle = nil
        guard let error else { return nil }
        throw converted(error, to: Failure.self)
      }
    }
  }
}
