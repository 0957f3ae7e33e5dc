import Combine
import InterflowPrimitives

/// A subscriber that handles one value at a time, and requests the next when the previous one is done.
///
/// Among the subscribers of Combine it is found as `Subscribers.OneByOneSink`, unless the program has a class of
/// that name there itself.
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
/// With a closure that is not async, a value is done when ``resume()`` is called:
///
/// ```swift
/// let sink = Subscribers.OneByOneSink<String, Never> { _ in } receiveValue: { print($0) }
/// lines.publisher.subscribe(sink)  // prints the first
/// sink.resume()  // prints the second
/// ```
///
/// The values that a subject sends while a value is being handled are lost, since there is no demand for them, unless a
/// `buffer` precedes the sink. After the completion and after ``cancel()`` the sink calls nothing any more
/// and has released its closures and its subscription.
///
/// - Demand: One value when it is subscribed, and one more for each that is done. Values that a publisher sends
///   without demand, against the rules, are buffered.
/// - Thread: A closure that is not async runs wherever the publisher delivers, one call at a time.
public final class OneByOneSink<Input, Failure: Error>: Subscriber, Cancellable, CustomStringConvertible,
  CustomReflectable, CustomPlaygroundDisplayConvertible
{
  private enum Handler {
    case closure(@Sendable (Input) -> Void)
    case task(TaskPriority?, @Sendable (Input) async -> Void)
  }

  // Guarded by `lock`: everything below it.
  private let lock = Lock()
  private var machine: OneByOneStateMachine<Input, Failure>
  private var subscription: (any Subscription)?
  private var handler: Handler?
  private var complete: (@Sendable (Subscribers.Completion<Failure>) -> Void)?
  private var task: Task<Void, Never>?

  /// Makes a subscriber that requests the next value when ``resume()`` is called.
  ///
  /// The completion is passed on when it comes, whether or not the last value is done.
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called once with the completion, unless the sink is cancelled first.
  ///   - receiveValue: Called with each value.
  public init(
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Input) -> Void
  ) {
    machine = OneByOneStateMachine(completionWaits: false)
    handler = .closure(receiveValue)
    complete = receiveCompletion
  }

  /// Makes a subscriber that requests the next value when its async closure has returned.
  ///
  /// The closure runs in a task of its own, outside any actor. The completion is passed on when the last one has
  /// returned, also where upstream has failed.
  ///
  /// - Parameters:
  ///   - priority: The priority of the tasks.
  ///   - receiveCompletion: Called once with the completion, unless the sink is cancelled first.
  ///   - receiveValue: Called with each value.
  public init(
    priority: TaskPriority? = nil,
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Input) async -> Void
  ) where Input: Sendable {
    machine = OneByOneStateMachine(completionWaits: true)
    handler = .task(priority, receiveValue)
    complete = receiveCompletion
  }

  /// Says that the current value is done, so that the sink requests the next.
  ///
  /// It may be called from any thread, also from inside `receiveValue`, where it counts when the closure has returned.
  /// While there is no current value it does nothing: before the first, for a second time, after the completion and
  /// after ``cancel()``. So the sink never requests more than one value at a time. With an async closure, whose return
  /// says the same, it does nothing either.
  public func resume() {
    lock.lock()
    let order = machine.resumed()
    lock.unlock()
    ask(perform(order))
  }

  /// Cancels the subscription and the running task, and releases everything.
  public func cancel() {
    lock.lock()
    let old = machine
    machine.cancelled()
    let (subscription, task) = (subscription.take(), task.take())
    let closures = (handler.take(), complete.take())
    lock.unlock()
    subscription?.cancel()
    task?.cancel()
    withExtendedLifetime((old, closures)) {}
  }

  /// `OneByOneSink`.
  public var description: String { "OneByOneSink" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
  /// `OneByOneSink`.
  public var playgroundDescription: Any { description }
}
// `lock` guards every mutable state, and the closures are `Sendable`.
extension OneByOneSink: @unchecked Sendable where Input: Sendable {}

// MARK: - Upstream

extension OneByOneSink {
  /// Requests one value. A second subscription is cancelled.
  public func receive(subscription: any Subscription) {
    lock.lock()
    let order = machine.linked()
    if order != nil { self.subscription = subscription }
    lock.unlock()
    guard let order else { return subscription.cancel() }
    ask(perform(order))
  }

  /// Handles a value, and requests the next if that is done already.
  public func receive(_ input: Input) -> Subscribers.Demand {
    lock.lock()
    let order = machine.received(input)
    lock.unlock()
    return perform(order)
  }

  /// Passes the completion on.
  public func receive(completion: Subscribers.Completion<Failure>) {
    lock.lock()
    let subscription = subscription.take()
    let order = machine.received(completion)
    lock.unlock()
    withExtendedLifetime(subscription) {}
    ask(perform(order))
  }

  private func ask(_ demand: Subscribers.Demand) {
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
      case .handle(let input, let number): order = handle(input, number)
      case .complete(let completion):
        finish(completion)
        return .none
      }
    }
  }

  private func handle(_ input: Input, _ number: Int) -> OneByOneStateMachine<Input, Failure>.Order {
    lock.lock()
    let handler = handler
    lock.unlock()
    switch handler {
    case .closure(let receiveValue):
      receiveValue(input)
      lock.lock()
      let order = machine.returned()
      lock.unlock()
      return order
    case .task(let priority, let receiveValue):
      let task = startTask(priority: priority) {
        await receiveValue(input)
        self.finishWork()
      }
      keep(task, number)
      return .nothing
    case nil:
      return .nothing
    }
  }

  /// Keeps a task to be cancelled, unless its work is done already, and that on the next value may have begun.
  private func keep(_ task: Task<Void, Never>, _ number: Int) {
    lock.lock()
    let isWanted = !machine.hasEnded
    if isWanted, machine.number == number { self.task = task }
    lock.unlock()
    if !isWanted { task.cancel() }
  }

  private func finishWork() {
    lock.lock()
    let order = machine.finished()
    lock.unlock()
    ask(perform(order))
  }

  private func finish(_ completion: Subscribers.Completion<Failure>) {
    lock.lock()
    let (handler, complete, task, subscription) = (
      handler.take(), complete.take(), task.take(), subscription.take()
    )
    lock.unlock()
    withExtendedLifetime((handler, task, subscription)) {}
    complete?(completion)
  }
}
