import InterflowPrimitives

/// A publisher of one value or a failure, which a closure produces by calling a promise.
///
/// The closure is called once, when the future is made, and every subscriber receives the same result. Later calls of
/// the promise are ignored.
///
/// - Demand: The value is delivered when it is available and has been requested. A failure needs no demand.
/// - Thread: The promise may be called on any thread. The subscribers are called on that thread.
/// - Cancellation: Ends the subscription. It does not stop the work that will call the promise.
///
/// ```swift
/// let future = Future<Int, Never> { promise in promise(.success(7)) }
/// let cancellable = future.sink { print($0) }  // 7
/// ```
public final class Future<Output, Failure: Error>: Publisher {
  /// A closure that is called with the result.
  public typealias Promise = (Result<Output, Failure>) -> Void

  // Guarded by `lock`: both.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var result: Result<Output, Failure>?
  @usableFromInline @exclusivity(unchecked) var waiting: [FutureSubscription<Output, Failure>] = []

  /// Makes a future and calls a closure with a promise. The closure calls the promise, immediately or later.
  ///
  /// The promise is a ``Promise`` that is `Sendable` as well, so that a task can call it.
  @inlinable
  public init(_ attemptToFulfill: @escaping (@escaping @Sendable (Result<Output, Failure>) -> Void) -> Void) {
    let transfer = UncheckedTransfer(self)
    attemptToFulfill { transfer.value.fulfil($0) }
  }

  /// Attaches a subscriber. If it makes a request in `receive(subscription:)`, and the value is available, it receives
  /// the value before the request returns.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let subscription = FutureSubscription(self, Receiver.of(subscriber))
    lock.lock()
    let result = self.result
    if result == nil { waiting.append(subscription) }
    lock.unlock()
    if case .success(let output)? = result { subscription.prepare(output) }
    subscription.sendSubscription()
    if case .failure? = result, let result { subscription.deliver(result) }
  }

  /// The result; `nil` until the promise has been called.
  @inlinable var settled: Result<Output, Failure>? {
    lock.lock()
    let result = result
    lock.unlock()
    return result
  }

  @inlinable
  func fulfil(_ result: Result<Output, Failure>) {
    lock.lock()
    guard self.result == nil else {
      lock.unlock()
      return
    }
    self.result = result
    let subscriptions = waiting
    waiting = []
    lock.unlock()
    for subscription in subscriptions { subscription.deliver(result) }
  }

  fileprivate func remove(_ subscription: FutureSubscription<Output, Failure>) {
    lock.lock()
    if let index = waiting.firstIndex(where: { $0 === subscription }) { waiting.remove(at: index) }
    lock.unlock()
  }
}

// `lock` guards all mutable state.
extension Future: @unchecked Sendable where Output: Sendable {}

/// The subscription of one subscriber to a future. Built on ``SerialSubscription``, because the promise may be called
/// on another thread while the subscriber receives its subscription: the result is buffered until that call has
/// returned.
@usableFromInline
final class FutureSubscription<Output, Failure: Error>: SerialSubscription<Void, Receiver<Output, Failure>> {
  // Guarded by the core's lock.
  private var future: Future<Output, Failure>?

  init(_ future: Future<Output, Failure>, _ receiver: Receiver<Output, Failure>) {
    self.future = future
    super.init(receiver, "Future", .awaitingSubscription)
  }

  /// Delivers the result: a value with the first request, a failure without one.
  @usableFromInline
  func deliver(_ result: Result<Output, Failure>) {
    switch result {
    case .success(let output):
      prepare(output)
      serve()
    case .failure(let error):
      finishAfterBuffered(.failure(error))
    }
  }

  /// Buffers the value, and the completion after it.
  func prepare(_ output: Output) {
    core.lock.lock()
    append(output, ())
    core.lock.unlock()
    close(.finished)
  }

  @usableFromInline
  override func cancelInputs() {
    core.lock.lock()
    let future = self.future.take()
    core.lock.unlock()
    future?.remove(self)
  }

  @usableFromInline override var customMirror: Mirror {
    core.lock.lock()
    let (future, receiver, isDemanded) = (self.future, downstream, !core.demand.isNone)
    core.lock.unlock()
    return Mirror(
      self,
      children: [
        "parent": future as Any, "downstream": receiver?.wrapped as Any, "hasAnyDemand": isDemanded,
        "subject": future as Any,
      ])
  }
}
