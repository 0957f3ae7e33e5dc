import Combine
import InterflowPrimitives

/// The subscriber of a publisher whose values are divided among publishers, which are themselves delivered.
///
/// The downstream may cancel and still use the windows that it has received, so upstream is cancelled when the downstream
/// and all subscribers of windows have ended. All that changes with a value is changed with the delivery's turn.
final class WindowInput<Value, Downstream: Subscriber, State>: InputLink, Subscriber {
  typealias Failure = Downstream.Failure
  typealias Window = ReplaySubject<Value, Failure>

  let delivery: Delivery<NoValues, Downstream>
  private let initialState: State

  // Guarded by the delivery's turn: these four. They are released at the end.
  var state: State
  private var accept: ((WindowInput, Value) -> Void)?
  private var beforeEnd: ((WindowInput) -> Void)?
  /// This input, from the downstream's cancellation until the call of the downstream in which that was made has returned.
  private var departure: WindowInput?

  // Guarded by `windowsLock`: these five.
  private let windowsLock = Lock()
  /// The windows that have not finished, with their numbers in the order of their opening.
  private var windows: [ObjectIdentifier: (number: UInt, window: Window)] = [:]
  private var nextNumber: UInt = 0
  private var isOver = false
  /// The downstream, and each subscriber of a window.
  private var users = 1
  private var timer: (any Cancellable)?

  /// - Parameters:
  ///   - state: The state at first, and again at the end.
  ///   - accept: Called with each value, with the delivery's turn.
  ///   - beforeEnd: Called with the turn before upstream's completion finishes the windows.
  init(
    _ downstream: Downstream, _ name: String, _ state: State, accept: @escaping (WindowInput, Value) -> Void,
    beforeEnd: ((WindowInput) -> Void)? = nil
  ) {
    delivery = Delivery(downstream, name, NoValues())
    initialState = state
    self.state = state
    self.accept = accept
    self.beforeEnd = beforeEnd
    super.init(.unlimited)
    delivery.onRelease = { [weak self] in self?.didEndDelivery() }
  }

  /// Subscribes to upstream, and sends the downstream its subscription.
  func join<P: Publisher>(_ upstream: P) where P.Output == Value, P.Failure == Failure {
    delivery.cancelAtEnd(AnyCancellable { self.removeDownstream() })
    delivery.sendSubscription()
    if !hasEnded { upstream.subscribe(self) }
  }

  // MARK: Windows

  /// Makes a new window, unless the downstream has ended. The caller stores it in the state before it delivers it, since
  /// a value may be sent during the delivery.
  func open() -> Window? {
    guard delivery.isAccepting else { return nil }
    let window = Window.untilSubscribed()
    windowsLock.lock()
    defer { windowsLock.unlock() }
    if isOver { return nil }
    windows[ObjectIdentifier(window)] = (nextNumber, window)
    nextNumber += 1
    return window
  }

  /// - Parameter make: Makes what is delivered from the window's publisher.
  func deliver(_ window: Window, _ make: (AnyPublisher<Value, Failure>) -> Downstream.Input) {
    delivery.send(make(WindowPublisher(window: WindowReference(window), input: self).eraseToAnyPublisher()))
  }

  func close(_ window: Window) {
    windowsLock.lock()
    windows[ObjectIdentifier(window)] = nil
    windowsLock.unlock()
    window.send(completion: .finished)
  }

  /// Cancels a timer when no more values are needed.
  func cancelAtEnd(_ timer: any Cancellable) {
    windowsLock.lock()
    let isNeeded = !isOver && !hasEnded
    if isNeeded { self.timer = timer }
    windowsLock.unlock()
    if !isNeeded { timer.cancel() }
  }

  // MARK: Users

  fileprivate func addUser() {
    windowsLock.lock()
    users += 1
    windowsLock.unlock()
  }

  fileprivate func removeUser() {
    windowsLock.lock()
    users -= 1
    let isLast = users == 0
    if isLast { isOver = true }
    let timer = isLast ? self.timer.take() : nil
    windowsLock.unlock()
    timer?.cancel()
    if isLast {
      cancel()
      releaseState()
    }
  }

  /// An operator such as `first(where:)` cancels before it delivers the window that it has received. So the downstream
  /// remains a user until that call of it has returned.
  private func removeDownstream() {
    let me = currentThreadIdentity()
    guard !hasEnded, delivery.core.turn.isOwned(by: me), delivery.core.isCallingSubscriber else { return removeUser() }
    departure = self
    delivery.core.turn.markWork()
  }

  /// With the turn, once or more often after the end of the delivery.
  private func didEndDelivery() {
    if !delivery.core.isCallingSubscriber, let departed = departure.take() { departed.removeUser() }
    if hasEnded { releaseStateWithTurn() }
  }

  /// With the turn, with which values are sent to the windows, so that a window's completion does not wait for a value.
  private func finishWindows(_ completion: Subscribers.Completion<Failure>) {
    windowsLock.lock()
    let (windows, timer) = (self.windows, self.timer)
    self.windows = [:]
    self.timer = nil
    isOver = true
    windowsLock.unlock()
    timer?.cancel()
    for (_, window) in windows.values.sorted(by: { $0.number < $1.number }) { window.send(completion: completion) }
  }

  /// Enters the turn, for which it may wait, and calls a closure that uses the state.
  func withTurn(_ body: () -> Void) {
    delivery.withTurn { _ in body() }
    if hasEnded { releaseState() }
  }

  /// Finishes the windows if nobody is left who needs values, and releases what only values need. If another thread has
  /// the turn, it does so before it leaves the turn: see ``Delivery/onRelease``.
  private func releaseState() {
    let me = currentThreadIdentity()
    guard let previous = delivery.core.turn.enterOrRequestWork(me) else { return }
    releaseStateWithTurn()
    delivery.leaveTurn(me, previous)
  }

  private func releaseStateWithTurn() {
    windowsLock.lock()
    let isOver = self.isOver
    windowsLock.unlock()
    if isOver { finishWindows(.finished) }
    let released = (state, accept, beforeEnd)
    state = initialState
    accept = nil
    beforeEnd = nil
    releaseOutsideLock(released)
  }

  // MARK: Subscriber

  func receive(subscription: any Subscription) {
    attach(subscription)
  }

  func receive(_ value: Value) -> Subscribers.Demand {
    if isLinked { withTurn { if isLinked { accept?(self, value) } } }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard finish() else { return }
    delivery.withTurn {
      beforeEnd?(self)
      finishWindows(completion)
      releaseState()
      $0.finish(completion, unrequested: completion.isFailure ? .dropped : .kept)
    }
  }
}

/// The values of a window. The first subscriber receives all, and others those from then on.
private struct WindowPublisher<Value, Downstream: Subscriber, State>: Publisher {
  typealias Output = Value
  typealias Failure = Downstream.Failure

  let window: WindowReference<Value, Failure>
  let input: WindowInput<Value, Downstream, State>

  func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Failure {
    withExtendedLifetime(window) {
      input.addUser()
      window.subject.add(ReplayMemberOf(subscriber)) { [input] in input.removeUser() }
    }
  }
}

/// What all copies of a window's publisher refer to. When the last one has been released, nobody can subscribe any more,
/// so no values are stored for a first subscriber.
private final class WindowReference<Value, Failure: Error> {
  let subject: ReplaySubject<Value, Failure>

  init(_ subject: ReplaySubject<Value, Failure>) {
    self.subject = subject
  }

  deinit {
    subject.stopStoring()
  }
}

extension Subscribers.Completion {
  fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}
