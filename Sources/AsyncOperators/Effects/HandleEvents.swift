extension AsyncSequence {
  /// Calls closures with what happens in an iteration.
  ///
  /// ```swift
  /// let lines = source.handleEvents(receiveOutput: { print("got \($0)") }, receiveCancel: { print("cancelled") })
  /// ```
  ///
  /// Elements, completion, failure and cancellation are the base's. The closures are called in the consumer's task. The
  /// iteration is cancelled when its iterator is released before the end, and when the base ends, or throws a
  /// `CancellationError`, in a task that has been cancelled; that is reported once, and then no completion is.
  ///
  /// - Parameters:
  ///   - receiveSubscription: Called when an iterator is made.
  ///   - receiveOutput: Called with each element, before it is returned.
  ///   - receiveCompletion: Called with the end, before it is returned.
  ///   - receiveCancel: Called when the iteration is cancelled.
  ///   - receiveRequest: Called when an element is requested, with each `next()`.
  @inlinable
  public func handleEvents(
    receiveSubscription: (@Sendable () -> Void)? = nil,
    receiveOutput: (@Sendable (Element) -> Void)? = nil,
    receiveCompletion: (@Sendable (AsyncCompletion<Failure>) -> Void)? = nil,
    receiveCancel: (@Sendable () -> Void)? = nil,
    receiveRequest: (@Sendable () -> Void)? = nil
  ) -> AsyncHandleEventsSequence<Self> {
    AsyncHandleEventsSequence(self) {
      IterationEvents(
        onBegin: receiveSubscription, onOutput: receiveOutput, onCompletion: receiveCompletion, onCancel: receiveCancel,
        onRequest: receiveRequest)
    }
  }
}

/// The closures of an iteration.
@frozen
@usableFromInline
struct IterationEvents<Element, Failure: Error> {
  @usableFromInline let onBegin: (() -> Void)?
  @usableFromInline let onOutput: ((Element) -> Void)?
  @usableFromInline let onCompletion: ((AsyncCompletion<Failure>) -> Void)?
  @usableFromInline let onCancel: (() -> Void)?
  @usableFromInline let onRequest: (() -> Void)?

  @inlinable
  init(
    onBegin: (() -> Void)? = nil, onOutput: ((Element) -> Void)?,
    onCompletion: ((AsyncCompletion<Failure>) -> Void)?, onCancel: (() -> Void)? = nil, onRequest: (() -> Void)? = nil
  ) {
    self.onBegin = onBegin
    self.onOutput = onOutput
    self.onCompletion = onCompletion
    self.onCancel = onCancel
    self.onRequest = onRequest
  }
}

/// An asynchronous sequence that calls closures with what happens in its iterations.
///
/// `handleEvents`, `print` and `breakpoint` make one.
@frozen
public struct AsyncHandleEventsSequence<Base: AsyncSequence>: AsyncSequence {
  /// The base's elements.
  public typealias Element = Base.Element
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline typealias Events = IterationEvents<Base.Element, Base.Failure>

  @usableFromInline let base: Base
  /// Makes the closures of an iterator.
  @usableFromInline let makeEvents: @Sendable () -> Events

  @inlinable
  init(_ base: Base, _ makeEvents: @escaping @Sendable () -> Events) {
    self.base = base
    self.makeEvents = makeEvents
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    @usableFromInline let iteration: Iteration

    @inlinable
    init(_ sequence: AsyncHandleEventsSequence) {
      // The base's iteration begins first, so that of several operators the first one is the first to report.
      base = FusedIterator(sequence.base.makeAsyncIterator())
      iteration = Iteration(sequence.makeEvents())
      iteration.events?.onBegin?()
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
      guard let events = iteration.events else { return nil }
      events.onRequest?()
      do throws(Base.Failure) {
        if let element = try await base.next(isolation: actor) {
          events.onOutput?(element)
          return element
        }
      } catch {
        iteration.events = nil
        if Task.isCancelled, error is CancellationError {
          events.onCancel?()
        } else {
          events.onCompletion?(.failure(error))
        }
        throw error
      }
      iteration.events = nil
      if Task.isCancelled { events.onCancel?() } else { events.onCompletion?(.finished) }
      return nil
    }
  }

  /// Reports the cancellation when the iterator is released before the end.
  @usableFromInline
  final class Iteration {
    /// Nil after the end.
    @usableFromInline var events: Events?

    @inlinable
    init(_ events: Events) {
      self.events = events
    }

    @inlinable
    deinit {
      events?.onCancel?()
    }
  }
}

extension AsyncHandleEventsSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncHandleEventsSequence.Iterator: Sendable {}
