import Combine
import InterflowPrimitives

/// The subscriber upstream and the subscription downstream of one subscription to a ``TaskPublisher``.
final class TaskStorage<Input: Sendable, UpstreamFailure: Error, Downstream: Subscriber>: Subscriber, Subscription,
  CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible, @unchecked Sendable
where Downstream.Input: Sendable {
  typealias Failure = UpstreamFailure
  typealias Machine = TaskStateMachine<Input, Downstream.Input, Downstream.Failure, Task<Void, Never>>
  typealias Transform = @Sendable (Input) async throws(Downstream.Failure) -> Downstream.Input

  // Guarded by `lock`: `machine`, `downstream`, `upstream`, `transform`.
  private let lock = Lock()
  private var machine: Machine
  private var downstream: Downstream?
  private var upstream: (any Subscription)?
  private var transform: Transform?
  private let mapFailure: @Sendable (UpstreamFailure) -> Downstream.Failure
  private let priority: TaskPriority?
  private let name: String

  init(
    _ downstream: Downstream, _ machine: Machine, name: String, priority: TaskPriority?,
    transform: @escaping Transform, mapFailure: @escaping @Sendable (UpstreamFailure) -> Downstream.Failure
  ) {
    self.downstream = downstream
    self.machine = machine
    self.name = name
    self.priority = priority
    self.transform = transform
    self.mapFailure = mapFailure
  }

  var description: String { name }
  var playgroundDescription: Any { description }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

// MARK: - Upstream

extension TaskStorage {
  func receive(subscription: any Subscription) {
    lock.lock()
    guard !machine.isLinked, !machine.hasEnded else {
      lock.unlock()
      subscription.cancel()
      return
    }
    upstream = subscription
    let effects = machine.linked()
    let downstream = downstream
    lock.unlock()
    perform(effects)
    downstream?.receive(subscription: self)
    transition { $0.opened() }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    transition { $0.received(input) }
    return .none
  }

  func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    switch completion {
    case .finished: transition { $0.upstreamCompleted(.finished) }
    case .failure(let error):
      let error = mapFailure(error)
      transition { $0.upstreamCompleted(.failure(error)) }
    }
  }
}

// MARK: - Downstream

extension TaskStorage {
  func request(_ demand: Subscribers.Demand) {
    precondition(demand != .none, "a request must ask for at least one value")
    transition { $0.requested(demand) }
  }

  func cancel() {
    lock.lock()
    let effects = machine.cancelled()
    let (upstream, released) = (upstream.take(), (downstream.take(), transform.take()))
    lock.unlock()
    upstream?.cancel()
    perform(effects)
    withExtendedLifetime(released) {}
  }

  private func deliver() {
    var more = Subscribers.Demand.none
    while true {
      var effects = Machine.Effects()
      lock.lock()
      let delivery = machine.nextDelivery(adding: more, &effects)
      lock.unlock()
      perform(effects)
      // Only now, because a cancellation may have come since.
      let downstream = currentDownstream
      switch delivery {
      case .rest:
        return
      case .value(let output):
        more = downstream?.receive(output) ?? .none
      case .completion(let completion):
        // Lets go of everything first, so that nothing is kept if the subscriber keeps the subscription.
        cancel()
        downstream?.receive(completion: completion)
        return
      }
    }
  }

  private var currentDownstream: Downstream? {
    lock.lock()
    let downstream = downstream
    lock.unlock()
    return downstream
  }
}

// MARK: - Effects

extension TaskStorage {
  private func transition(_ change: (inout Machine) -> Machine.Effects) {
    lock.lock()
    let effects = change(&machine)
    let upstream = effects.upstream == .stays ? nil : upstream.take()
    lock.unlock()
    if effects.upstream == .isCancelled { upstream?.cancel() }
    withExtendedLifetime(upstream) {}
    perform(effects)
  }

  private func perform(_ effects: Machine.Effects) {
    for task in effects.cancels { task.cancel() }
    for (id, input) in effects.starts { start(id, input) }
    if effects.request != .none {
      lock.lock()
      let upstream = upstream
      lock.unlock()
      upstream?.request(effects.request)
    }
    if effects.delivers { deliver() }
  }

  private func start(_ id: Int, _ input: Input) {
    lock.lock()
    let transform = transform
    lock.unlock()
    guard let transform else { return }
    let task = startTask(priority: priority) {
      do throws(Downstream.Failure) {
        let output = try await transform(input)
        self.transition { $0.taskReturned(id, output) }
      } catch {
        self.transition { $0.taskFailed(id, error) }
      }
    }
    lock.lock()
    let isWanted = machine.taskStarted(id, task)
    lock.unlock()
    if !isWanted { task.cancel() }
  }
}
