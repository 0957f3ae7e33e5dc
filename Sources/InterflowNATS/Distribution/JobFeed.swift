import Combine
import Foundation
import InterflowPrimitives

/// The jobs of one worker: fetches them from all shards, no more than it has places for, and passes on as many at a time as
/// may run. Sends in-progress acknowledgements for each until it has been answered.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class JobFeed: @unchecked Sendable {
  struct Job: Sendable {
    let message: NATSMessage<Data>
    let shard: Int
    fileprivate let number: UInt64
  }

  private enum Phase {
    case open
    case stopped
    case failed(NATSError)
  }

  /// How long a place waits for a job of a shard while another shard may have one. Servers end such requests in time.
  private static let shortWait = Duration.milliseconds(10)
  /// How long it waits where all shards had none. However many places a worker has, all may be waiting at other shards than
  /// those that get jobs.
  private static let mediumWait = Duration.milliseconds(500)

  private let connection: NATSConnection
  private let concurrency: Int
  /// How long a place waits where no shard has jobs.
  private let longestWait: Duration
  /// The time between two in-progress acknowledgements of a job.
  private let interval: Duration
  private let lock = Lock()
  private var phase = Phase.open
  private var places: JobPlaces
  private var subscriptions: [PullSubscription] = []
  /// Those that have not begun.
  private var waiting = RingBuffer<Job>()
  /// Those that have not been answered, which is all that are here.
  private var held: [UInt64: NATSMessage<Data>] = [:]
  private var last: UInt64 = 0
  private var running = 0
  private var waiter: CheckedContinuation<Void, Never>?

  /// - Parameter prefetch: How many more jobs it fetches than run.
  init(_ connection: NATSConnection, shards: Int, concurrency: Int, prefetch: Int, acknowledgementWait: Duration) {
    self.connection = connection
    self.concurrency = concurrency
    let (count, overflows) = concurrency.addingReportingOverflow(prefetch)
    places = JobPlaces(overflows ? .max : count, shards: shards, first: .random(in: 0..<shards))
    longestWait = shards == 1 ? PullState.expiration : Self.mediumWait
    interval = max(acknowledgementWait / 3, .milliseconds(1))
  }

  // MARK: Beginning and end

  /// Begins to fetch. To be called once.
  func start(_ shards: [WorkShard], durable: String, settings: NATSConsumerSettings) throws(NATSError) {
    var created: [PullSubscription] = []
    for (index, shard) in shards.enumerated() {
      let consumer = try PullConsumer(connection, stream: shard.jobs.name, durable: durable, settings: settings)
      let receiver = PullSubscription.Receiver(
        receive: { [self] message throws(NATSError) in
          received(message, from: index)
          return .none
        },
        complete: { [self] completion in
          if case .failure(let error) = completion { end(.failed(error)) }
        })
      let subscription = PullSubscription(consumer, receiver, .byHandOrReturned)
      // The end of the feed would cancel what runs.
      subscription.makesMissingAgain = true
      if shards.count > 1 {
        subscription.whenUnused = { [self] count, reason in
          update {
            switch reason {
            case .noMessages(let time): $0.ended(count, from: index, hasWaited: time > Self.shortWait)
            case .refused: $0.refused(count, from: index)
            }
          }
        }
      }
      created.append(subscription)
    }
    lock.lock()
    let isOpen = isOpen
    if isOpen { subscriptions = created }
    lock.unlock()
    guard isOpen else {
      // Without having begun.
      for subscription in created { subscription.cancel() }
      return
    }
    for subscription in created { subscription.start() }
    update { _ in }
    setTimer()
  }

  /// Fetches no more jobs. What has not begun goes back.
  func stop() {
    end(.stopped)
  }

  /// Why it has ended, if not because it was stopped.
  var failure: NATSError? {
    lock.lock()
    defer { lock.unlock() }
    if case .failed(let error) = phase { return error }
    return nil
  }

  private func end(_ phase: Phase) {
    lock.lock()
    let isFirst = isOpen
    if isFirst { self.phase = phase }
    // They are not here any more.
    var unbegun: [NATSMessage<Data>] = []
    while let job = waiting.popFirst() {
      held.removeValue(forKey: job.number)
      unbegun.append(job.message)
    }
    let subscriptions = subscriptions
    self.subscriptions = []
    let waiter = waiter.take()
    lock.unlock()
    for subscription in subscriptions { subscription.cancel() }
    for message in unbegun { message.nak() }
    waiter?.resume()
  }

  private var isOpen: Bool {
    lock.assertHeld()
    if case .open = phase { return true }
    return false
  }

  // MARK: Jobs

  /// The next job, when it may run; `nil` at the end. One task waits at a time.
  func next() async -> Job? {
    while true {
      await withCheckedContinuation { continuation in
        lock.lock()
        let isReady = isReady
        if !isReady { waiter = continuation }
        lock.unlock()
        if isReady { continuation.resume() }
      }
      lock.lock()
      let isOver = !isOpen
      let job = !isOver && running < concurrency ? waiting.popFirst() : nil
      if job != nil { running += 1 }
      lock.unlock()
      if isOver || job != nil { return job }
    }
  }

  private var isReady: Bool {
    lock.assertHeld()
    return !isOpen || running < concurrency && !waiting.isEmpty
  }

  /// A job has been answered, or has gone back.
  ///
  /// - Parameter error: Why the worker cannot go on.
  func finished(_ job: Job, _ error: NATSError?) {
    lock.lock()
    running -= 1
    // It is to stop, and one of the results that it was to store is not.
    if let error, case .stopped = phase { phase = .failed(error) }
    let message = held.removeValue(forKey: job.number)
    lock.unlock()
    releaseOutsideLock(message)
    if let error { return end(.failed(error)) }
    update { $0.finished() }
  }

  private func received(_ message: ReceivedMessage, from shard: Int) {
    let message = NATSMessage(value: message.bytes, received: message, connection: connection)
    lock.lock()
    let isOpen = isOpen
    if isOpen {
      last += 1
      waiting.append(Job(message: message, shard: shard, number: last))
      held[last] = message
    }
    lock.unlock()
    if isOpen { update { $0.received(from: shard) } } else { message.nak() }
  }

  /// Changes the places, requests jobs for those that are free, and goes on with what may run.
  private func update(_ body: (inout JobPlaces) -> Void) {
    lock.lock()
    body(&places)
    let requests = isOpen && !subscriptions.isEmpty ? places.takeRequests() : []
    let subscriptions = subscriptions
    let waiter = isReady ? waiter.take() : nil
    lock.unlock()
    for request in requests {
      subscriptions[request.shard].request(request.count, within: request.waits ? longestWait : Self.shortWait)
    }
    waiter?.resume()
  }

  // MARK: Signs of life

  private func setTimer() {
    Deadlines.shared.add(after: interval) { [weak self] in self?.giveSigns() }
  }

  /// Does not block.
  private func giveSigns() {
    lock.lock()
    let messages = Array(held.values)
    let isOver = !isOpen && messages.isEmpty
    lock.unlock()
    for message in messages { message.inProgress() }
    if !isOver { setTimer() }
  }
}
