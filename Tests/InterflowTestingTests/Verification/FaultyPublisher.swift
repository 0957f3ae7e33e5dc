import Foundation
import InterflowTesting

typealias Rule = PublisherVerification.Rule

/// The failure of publishers that fail.
struct Broken: Error, CustomStringConvertible {
  var description: String { "broken" }
}

/// A publisher of numbers from zero that keeps every rule, but for the one that it is told to break.
final class FaultyPublisher: Publisher, @unchecked Sendable {  // `lock` guards everything mutable.
  typealias Output = Int
  typealias Failure = Broken

  let count: Int
  let fails: Bool
  let fault: Rule?

  let lock = NSRecursiveLock()
  /// Shared by its subscribers, as it should not be: where the next begins, and whether one has cancelled.
  var sharedPosition = 0
  var isCancelledForAll = false

  init(count: Int, fails: Bool = false, fault: Rule? = nil) {
    self.count = count
    self.fails = fails
    self.fault = fault
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Broken {
    let feed = Feed(self, subscriber)
    if fault == .subscriptionComesFirst { _ = subscriber.receive(-1) }
    feed.callOut { subscriber.receive(subscription: feed) }
    if fault == .subscriptionComesOnce { subscriber.receive(subscription: feed) }
    feed.begin()
  }
}

/// Runs a closure on a thread of its own, and waits for it.
func onAnotherThread(_ body: @escaping () -> Void) {
  struct Box: @unchecked Sendable {  // Whoever made the closure waits while it runs.
    let body: () -> Void
  }
  let box = Box(body: body)
  let done = DispatchSemaphore(value: 0)
  Thread {
    box.body()
    done.signal()
  }.start()
  done.wait()
}

/// A subscription to a ``FaultyPublisher``.
private final class Feed<Downstream: Subscriber>: Subscription, CustomStringConvertible,
  @unchecked Sendable  // `lock` guards what changes.
where Downstream.Input == Int, Downstream.Failure == Broken {
  let description = "Feed"

  private let publisher: FaultyPublisher
  private let fault: Rule?
  /// Recursive, so that a call-out that holds it only stops other threads.
  private let lock = NSRecursiveLock()
  private let cancelLock = NSRecursiveLock()
  private let maker = ObjectIdentifier(Thread.current)
  private let end: Int

  private var downstream: Downstream?
  /// What should have been released.
  private var kept: Downstream?
  private var position = 0
  private var demand = 0
  private var isReady = false
  private var wasAsked = false
  private var hasEnded = false
  private var isCancelled = false
  private var cancelsAt = Int.max
  private var server: ObjectIdentifier?

  init(_ publisher: FaultyPublisher, _ downstream: Downstream) {
    self.publisher = publisher
    self.downstream = downstream
    fault = publisher.fault
    publisher.lock.lock()
    if fault == .eachSubscriberIsServed { position = publisher.sharedPosition }
    let isOver = publisher.isCancelledForAll
    publisher.lock.unlock()
    end = isOver ? 0 : publisher.count - (fault == .everythingIsDelivered ? 1 : 0)
    let keeps: Set<Rule?> = [
      .requestAfterCancel, .requestAfterEnd, .releasedAfterCancel, .releasedAfterCompletion, .releasedAfterFailure,
    ]
    if keeps.contains(fault) { kept = downstream }
  }

  func callOut<Result>(_ body: () -> Result) -> Result {
    switch fault {
    case .requestDuringASignal: lock.withLock(body)
    case .cancelDuringASignal: cancelLock.withLock(body)
    case .subscribeDuringASignal: publisher.lock.withLock(body)
    default: body()
    }
  }

  /// The subscriber has its subscription. A publisher with nothing to deliver ends at once.
  func begin() {
    lock.lock()
    isReady = true
    let waits = fault == (publisher.fails ? .failureNeedsNoDemand : .completionNeedsNoDemand)
    let isDue = position >= end && server == nil && !waits
    if isDue { server = ObjectIdentifier(Thread.current) }
    lock.unlock()
    if isDue { serve() }
  }

  func request(_ demand: Subscribers.Demand) {
    let me = ObjectIdentifier(Thread.current)
    lock.lock()
    wasAsked = true
    if fault == .requestAfterCancel, isCancelled {
      isCancelled = false
      downstream = kept
    }
    if fault == .requestAfterEnd, hasEnded {
      lock.unlock()
      kept?.receive(completion: .finished)
      return
    }
    let isLost =
      switch fault {
      case .requestInsideSubscription: !isReady
      case .requestInsideValue: server != nil
      case .requestsFromAnyThread: me != maker
      default: false
      }
    if !isLost { add(demand, isFirst: server == nil) }
    let servesItself = fault == .signalsAreSerial && server != me || fault == .requestsDoNotRecurse && server == me
    guard server == nil || servesItself, downstream != nil else {
      lock.unlock()
      return
    }
    server = me
    let isElsewhere = fault == .signalsWaitForTheSubscription && !isReady
    lock.unlock()
    guard isElsewhere else { return serve() }
    onAnotherThread { self.serve() }
  }

  private func add(_ more: Subscribers.Demand, isFirst: Bool) {
    switch fault {
    case .valuesNeverExceedDemand: demand = .max
    case .requestsAddUp where !isFirst: demand = more.max ?? .max
    case .demandDoesNotOverflow: demand &+= more.max ?? .max
    default: demand = more.max.map { $0 > .max - demand ? .max : demand + $0 } ?? .max
    }
  }

  private func serve() {
    while true {
      lock.lock()
      if position >= cancelsAt { isCancelled = true }
      guard let downstream, !isCancelled, position >= end || demand > 0 else {
        server = nil
        lock.unlock()
        return
      }
      if position >= end { return endUnlocking(downstream) }
      if demand != .max { demand -= 1 }
      let value = position
      position += 1
      lock.unlock()
      publisher.lock.withLock { publisher.sharedPosition = value + 1 }
      let more = callOut { downstream.receive(value) }
      lock.lock()
      if more != .none, fault != .returnedDemandCounts { add(more, isFirst: true) }
      lock.unlock()
    }
  }

  private func endUnlocking(_ downstream: Downstream) {
    hasEnded = true
    self.downstream = nil
    server = nil
    lock.unlock()
    let completion: Subscribers.Completion<Broken> =
      publisher.fails && fault != .failureEndsTheStream ? .failure(Broken()) : .finished
    callOut { downstream.receive(completion: completion) }
    if fault == .endComesOnce { downstream.receive(completion: completion) }
    if fault == .nothingFollowsTheEnd { _ = downstream.receive(-1) }
  }

  func cancel() {
    let me = ObjectIdentifier(Thread.current)
    if fault == .cancelDuringASignal { cancelLock.withLock {} }
    publisher.lock.withLock { if fault == .cancelLeavesOthersAlone { publisher.isCancelledForAll = true } }
    lock.lock()
    let isIgnored =
      switch fault {
      case .nothingFollowsCancel: server == me
      case .cancelFromAnotherThread: server != nil && server != me
      case .cancelBeforeRequest: !wasAsked
      case .cancelDuringDelivery: server != nil && server != me
      default: false
      }
    if fault == .cancelTwice {
      isCancelled.toggle()
    } else if fault == .callsDuringRelease {
      downstream = nil
    } else if isIgnored {
      if fault == .cancelDuringDelivery { cancelsAt = position + 10 }
    } else {
      isCancelled = true
      let released = downstream
      downstream = nil
      lock.unlock()
      withExtendedLifetime(released) {}
      return
    }
    lock.unlock()
  }
}
