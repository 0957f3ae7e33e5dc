import Combine
import InterflowPrimitives

/// A subscriber that handles one value at a time, and requests the next when the previous one is done.
///
/// It is also available as `Subscribers.OneByOneSink`, unless the program adds a type of that name to `Subscribers`.
///
/// It comes in two forms. With an async closure, a value is done when the closure returns:
///
/// ```swift
/// let sink = Subscribers.OneByOneSink<URL, Never> { _ in
/// } receiveValue: { url in
///   await download(url)
/// }
/// urls.publisher.subscribe(sink)
/// ```
///
/// With a closure that is not async, such as one without `await`, a value is done when ``resume()`` is called:
///
/// ```swift
/// let sink = Subscribers.OneByOneSink<String, Never> { _ in } receiveValue: { print($0) }
/// lines.publisher.subscribe(sink)  // prints the first
/// sink.resume()  // prints the second
/// ```
///
/// Values that a subject sends while a value is being handled are dropped, since there is no demand for them, unless a
/// `buffer` precedes the sink. After the completion and after ``cancel()``, the sink calls no closure and has released
/// its closures and its subscription.
///
/// - Demand: One value when it is subscribed, and one more whenever a value is done. Values that a publisher sends
///   without demand, against the rules, are buffered.
/// - Thread: A closure that is not async runs wherever the publisher delivers, one call at a time.
public final class OneByOneSink<Input, Failure: Error>: Subscriber, Cancellable, CustomStringConvertible,
  CustomReflectable, CustomPlaygroundDisplayConvertible
{
  // Guarded by `lock`: everything below it but `work`.
  private let lock = Lock()
  private var machine: OneByOneStateMachine<Input, Failure>
  private var subscription: (any Subscription)?
  private var handle: (@Sendable (Input) -> Void)?
  private var complete: (@Sendable (Subscribers.Completion<Failure>) -> Void)?

  /// With an async closure: the subscriber to which everything is forwarded, whose tasks handle one value at a time.
  private let work: (subscriber: AnySubscriber<Input, Failure>, cancel: () -> Void)?

  /// Makes a subscriber that requests the next value when ``resume()`` is called.
  ///
  /// The completion is delivered when it arrives, whether or not the last value is done, but not before a call of
  /// `receiveValue` that is running has returned.
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called once with the completion, unless the sink is cancelled first.
  ///   - receiveValue: Called with each value.
  public init(
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Input) -> Void
  ) {
    machine = OneByOneStateMachine()
    handle = receiveValue
    complete = receiveCompletion
    work = nil
  }

  /// Makes a subscriber that requests the next value when its async closure has returned.
  ///
  /// The closure runs in a task, outside any actor, with the task-local values and the priority of the code that sends
  /// the sink its subscription. That is the code that subscribes the sink, unless a publisher, such as
  /// `subscribe(on:)`, sends the subscription later. The completion is delivered when the last call of the closure has
  /// returned, also if upstream has failed.
  ///
  /// - Parameters:
  ///   - priority: The priority of the tasks; `nil` for that of the task that sends the subscription.
  ///   - receiveCompletion: Called once with the completion, unless the sink is cancelled first.
  ///   - receiveValue: Called with each value.
  @inlinable
  public convenience init(
    priority: TaskPriority? = nil,
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Input) async -> Void
  ) where Input: Sendable {
    let storage = TaskStorage(
      Subscribers.Sink<Void, Failure>(receiveCompletion: receiveCompletion, receiveValue: {}),
      TaskStateMachine(slots: .max(1), buffering: nil, policy: .oneByOneSink, isOpen: true), priority: priority,
      transform: { (input: Input) async throws(Failure) in await receiveValue(input) }, mapFailure: { $0 })
    self.init(AnySubscriber(storage)) { storage.cancel() }
  }

  @usableFromInline
  init(_ work: AnySubscriber<Input, Failure>, cancel: @escaping () -> Void) {
    machine = OneByOneStateMachine()
    self.work = (work, cancel)
  }

  /// Marks the current value as done: the sink requests the next.
  ///
  /// May be called from any thread, also inside `receiveValue`; it then takes effect when the closure has returned. It
  /// does nothing if there is no current value: before the first value, if it was called for this value before, after
  /// the completion and after ``cancel()``. So the sink never requests more than one value at a time. With an async
  /// closure it does nothing, since the value is done when the closure returns.
  public func resume() {
    lock.lock()
    let order = machine.resumed()
    lock.unlock()
    request(perform(order))
  }

  /// Cancels the subscription and the running task, and releases everything.
  public func cancel() {
    if let work { return work.cancel() }
    lock.lock()
    let old = machine
    machine.cancelled()
    let subscription = subscription.take()
    let closures = (handle.take(), complete.take())
    lock.unlock()
    subscription?.cancel()
    releaseOutsideLock((old, closures))
  }

  /// `OneByOneSink`.
  public var description: String { "OneByOneSink" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
  /// `OneByOneSink`.
  public var playgroundDescription: Any { description }
}
// `lock` guards every mutable state, the closures are `Sendable`, and `work` is a subscription of this package.
extension OneByOneSink: @unchecked Sendable where Input: Sendable {}

// MARK: - Upstream

extension OneByOneSink {
  /// Requests one value. A second subscription is cancelled.
  public func receive(subscription: any Subscription) {
    if let work { return work.subscriber.receive(subscription: subscription) }
    lock.lock()
    let order = machine.linked()
    if order != nil { self.subscription = subscription }
    lock.unlock()
    guard let order else { return subscription.cancel() }
    request(perform(order))
  }

  /// Handles a value, and requests the next if this one is done already.
  public func receive(_ input: Input) -> Subscribers.Demand {
    if let work { return work.subscriber.receive(input) }
    lock.lock()
    let order = machine.received(input)
    lock.unlock()
    return perform(order)
  }

  /// Delivers the completion.
  public func receive(completion: Subscribers.Completion<Failure>) {
    if let work { return work.subscriber.receive(completion: completion) }
    lock.lock()
    let subscription = subscription.take()
    let order = machine.received(completion)
    lock.unlock()
    releaseOutsideLock(subscription)
    request(perform(order))
  }

  private func request(_ demand: Subscribers.Demand) {
    guard demand != .none else { return }
    lock.lock()
    let subscription = subscription
    lock.unlock()
    subscription?.request(demand)
  }
}

// MARK: - Work

extension OneByOneSink {
  /// - Returns: What to request from upstream.
  private func perform(_ order: OneByOneStateMachine<Input, Failure>.Order) -> Subscribers.Demand {
    var order = order
    while true {
      switch order {
      case .nothing: return .none
      case .request: return .max(1)
      case .handle(let input): order = handle(input)
      case .complete(let completion):
        finish(completion)
        return .none
      }
    }
  }

  private func handle(_ input: Input) -> OneByOneStateMachine<Input, Failure>.Order {
    lock.lock()
    let handle = handle
    lock.unlock()
    guard let handle else { return .nothing }
    handle(input)
    lock.lock()
    let order = machine.returned()
    lock.unlock()
    return order
  }

  private func finish(_ completion: Subscribers.Completion<Failure>) {
    lock.lock()
    let (handle, complete, subscription) = (handle.take(), complete.take(), subscription.take())
    lock.unlock()
    releaseOutsideLock((handle, subscription))
    complete?(completion)
  }
}
