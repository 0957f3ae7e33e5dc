import InterflowPrimitives

/// A publisher of one value or a failure, which comes when a closure's promise is kept.
///
/// The closure runs at once, when the future is made, and once, however many subscribers there are. A subscriber gets
/// the value when there is one and it has asked; a failure without asking. Only the first call of the promise counts.
///
/// - Thread: The promise may be called from any thread, and the subscribers are served there.
/// - Cancellation: Ends a subscription, not the work behind the promise.
///
/// ```swift
/// let future = Future<Int, Never> { promise in promise(.success(7)) }
/// let cancellable = future.sink { print($0) }  // 7
/// ```
public final class Future<Output, Failure: Error>: Publisher {
  /// Tells the future its result.
  public typealias Promise = (Result<Output, Failure>) -> Void

  // Guarded by `lock`: both.
  private let lock = Lock()
  private var result: Result<Output, Failure>?
  private var waiting: [FutureSubscription<Output, Failure>] = []

  /// Makes a future and calls a closure that will keep its promise.
  ///
  /// The promise that the closure gets is a ``Promise`` that is `Sendable` as well, so that a task can keep it.
  public init(_ attemptToFulfill: @escaping (@escaping @Sendable (Result<Output, Failure>) -> Void) -> Void) {
    let transfer = UncheckedTransfer(self)
    attemptToFulfill { transfer.value.fulfil($0) }
  }

  /// Attaches a subscriber. One that asks from inside `receive(subscription:)` has the value, if there is one, before
  /// its request returns.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let subscription = FutureSubscription(self, Receiver.of(subscriber))
    lock.lock()
    let result = self.result
    if result == nil { waiting.append(subscription) }
    lock.unlock()
    if case .success(let output)? = result { subscription.prepare(output) }
    subscriber.receive(subscription: subscription)
    subscription.introduced()
    if case .failure? = result, let result { subscription.fulfil(result) }
  }

  /// The result, where the promise has been kept.
  @usableFromInline var settled: Result<Output, Failure>? {
    lock.lock()
    let result = result
    lock.unlock()
    return result
  }

  private func fulfil(_ result: Result<Output, Failure>) {
    lock.lock()
    guard self.result == nil else {
      lock.unlock()
      return
    }
    self.result = result
    let subscriptions = waiting
    waiting = []
    lock.unlock()
    for subscription in subscriptions { subscription.fulfil(result) }
  }

  fileprivate func remove(_ subscription: FutureSubscription<Output, Failure>) {
    lock.lock()
    if let index = waiting.firstIndex(where: { $0 === subscription }) { waiting.remove(at: index) }
    lock.unlock()
  }
}

// `lock` guards every mutable state.
extension Future: @unchecked Sendable where Output: Sendable {}

/// One subscriber's wait for a future.
///
/// While it is being handed to the subscriber, the result is delivered on that thread alone. What another thread brings
/// waits until the subscriber has it.
private final class FutureSubscription<Output, Failure: Error>: EngineSubscription {
  // Guarded by `lock`: everything below it.
  private let lock = Lock()
  private var future: Future<Output, Failure>?
  private var receiver: Receiver<Output, Failure>?
  /// The thread that hands this to the subscriber; zero afterwards.
  private var introducer = currentThreadIdentity()
  private var isDemanded = false
  private var isDelivering = false
  private var output: Output?
  private var failure: Failure?

  init(_ future: Future<Output, Failure>, _ receiver: Receiver<Output, Failure>) {
    self.future = future
    self.receiver = receiver
  }

  /// Keeps a value for the first request. Before anybody else knows this.
  func prepare(_ output: Output) {
    self.output = output
  }

  /// The subscriber has its subscription.
  func introduced() {
    lock.lock()
    introducer = 0
    deliverIfReady()
  }

  func fulfil(_ result: Result<Output, Failure>) {
    lock.lock()
    if receiver != nil {
      switch result {
      case .success(let output): self.output = output
      case .failure(let error): failure = error
      }
    }
    deliverIfReady()
  }

  /// With the lock, which it gives back.
  private func deliverIfReady() {
    guard let receiver, !isDelivering, introducer == 0 || introducer == currentThreadIdentity() else {
      lock.unlock()
      return
    }
    if let failure {
      lock.unlock()
      end()?.receive(completion: .failure(failure))
      return
    }
    guard isDemanded, let output else {
      lock.unlock()
      return
    }
    isDelivering = true
    self.output = nil
    lock.unlock()
    _ = receiver.receive(output)
    end()?.receive(completion: .finished)
  }

  /// Lets go of everything.
  ///
  /// - Returns: The subscriber, unless the subscription had ended before.
  private func end() -> Receiver<Output, Failure>? {
    lock.lock()
    let (receiver, future, output, failure) = (self.receiver, self.future, self.output, self.failure)
    self.receiver = nil
    self.future = nil
    self.output = nil
    self.failure = nil
    lock.unlock()
    withExtendedLifetime((future, output, failure)) {}
    return receiver
  }

  override func request(_ demand: Subscribers.Demand) {
    demand.requireSome()
    lock.lock()
    isDemanded = true
    deliverIfReady()
  }

  override func cancel() {
    lock.lock()
    let future = self.future
    lock.unlock()
    _ = end()
    future?.remove(self)
  }

  override var description: String { "Future" }

  override var customMirror: Mirror {
    lock.lock()
    let (future, receiver, isDemanded) = (self.future, self.receiver, self.isDemanded)
    lock.unlock()
    return Mirror(
      self,
      children: [
        "parent": future as Any, "downstream": receiver?.wrapped as Any, "hasAnyDemand": isDemanded,
        "subject": future as Any,
      ])
  }
}
