import CNATS
import Combine
import Foundation

/// Watches keys of a bucket, for as long as the connection lasts: when the server's consumer is lost, it makes another.
///
/// Everything happens on its queue, and what it reports, it reports there.
///
/// `@unchecked Sendable`: only the queue uses the variables.
final class BucketWatch: @unchecked Sendable {
  enum Event {
    /// The last revision of each key follows.
    case begins
    /// The bucket has been deleted and created again since the last time: its revisions begin with one.
    case replaced
    case entry(BucketEntry)
    /// Each key has been reported.
    case complete
    /// Nothing follows.
    case ended(NATSError)
  }

  static let heartbeat = Duration.seconds(2)
  /// How long to wait before a server is asked again.
  static let pause = Duration.milliseconds(250)

  let queue = SerialQueue(.deliveries)
  private let bucket: Bucket
  private let keys: String
  private let report: @Sendable (Event, BucketWatch) -> Void
  private let first = CancellableWait<Void>()

  private var state = WatchState()
  /// When the bucket was created.
  private var created: Int64?
  private var wasInterrupted = false
  private var subscription: MessageSubscription?
  private var status: AnyCancellable?

  /// - Parameter keys: A key, or `prefix.>`.
  init(_ bucket: Bucket, _ keys: String, _ report: @escaping @Sendable (Event, BucketWatch) -> Void) {
    self.bucket = bucket
    self.keys = keys
    self.report = report
  }

  deinit {
    status?.cancel()
    guard let subscription else { return }
    bucket.connection.background.start { subscription.end() }
  }

  /// Begins, and waits until each key has been reported, no longer than the connection's time limit.
  func start() async throws {
    queue.async {
      self.status = self.bucket.connection.events.status.sink { [weak self] status in
        guard let self else { return }
        queue.async { self.changed(to: status) }
      }
      self.begin()
      self.schedule()
    }
    let operation = "watching “\(keys)” of the bucket “\(bucket.name)”"
    let deadline = Deadlines.shared.add(after: bucket.connection.requestTimeout) { [first] in
      first.end(.failure(NATSError.timeout(while: operation)))
    }
    defer { Deadlines.shared.remove(deadline) }
    try await withTaskCancellationHandler {
      try await first.value()
    } onCancel: {
      first.end(.failure(CancellationError()))
    }
  }

  /// Runs a closure on the queue, and waits for it, no longer than a time and not when the task is cancelled: a subscriber
  /// that is called there may block.
  func run(within limit: Duration, _ body: @escaping @Sendable () -> Void) async {
    _ = try? await waitForCall(within: limit, while: "calling subscribers") { (wait: CallWait<Void>) in
      queue.async {
        body()
        wait.end(.success(.success(())))
      }
    }
  }

  /// Ends with an error of the user of the reports, on the queue.
  func end(_ error: NATSError) {
    guard state.end() else { return }
    status?.cancel()
    status = nil
    endSubscription()
    report(.ended(error), self)
    first.end(.failure(error))
  }

  private func changed(to status: NATSConnection.Status) {
    switch status {
    case .connected:
      if wasInterrupted { begin() }
      wasInterrupted = false
    case .reconnecting: wasInterrupted = true
    case .closed(let error):
      end(.closed(error, while: "watching “\(keys)” of the bucket “\(bucket.name)”"))
    }
  }

  private func begin() {
    if state.isOver { return }
    endSubscription()
    let number = state.begin()
    report(.begins, self)
    let (bucket, keys) = (bucket, keys)
    // A caller waits for the first one.
    let calls = number == 1 ? bucket.connection.queue : bucket.connection.background
    calls.start { [weak self] in
      let channel = WatchChannel(bucket) { [weak self] in self?.received($0, number) }
      let result = Result { () throws(NATSError) in
        try channel.open(keys) { [weak self] date in
          guard let self else { return }
          self.queue.async { self.found(date, number) }
        }
      }
      guard let self else { return (try? result.get())?.subscription.end() ?? () }
      self.queue.async { self.opened(result, number) }
    }
  }

  private func found(_ date: Int64, _ number: Int) {
    if state.isOver || number != state.number { return }
    if let created, created != date { report(.replaced, self) }
    created = date
  }

  private func opened(_ result: Result<WatchChannel.Opened, NATSError>, _ number: Int) {
    switch result {
    case .success(let opened):
      if state.isOver || number != state.number {
        bucket.connection.background.start { opened.subscription.end() }
        return
      }
      subscription = opened.subscription
      if state.created(number, pending: opened.pending, delivered: opened.delivered) { complete() }
    case .failure(let error):
      switch state.failed(number, isMissing: error.kind == .notFound) {
      case .ignore: break
      case .end: end(error)
      case .retry:
        queue.async(after: Self.pause) { [weak self] in
          // When the connection is restored, another begins.
          if let self, self.state.number == number, !self.wasInterrupted { self.begin() }
        }
      }
    }
  }

  /// Called on a thread of the library.
  private func received(_ message: WatchChannel.Message, _ number: Int) {
    queue.async { self.handle(message, number) }
  }

  private func handle(_ message: WatchChannel.Message, _ number: Int) {
    switch message {
    case .heartbeat(let last):
      switch state.reported(number, last: last) {
      case .nothing: break
      case .restart: begin()
      case .complete: complete()
      }
    case .entry(let entry, let sequence, let pending):
      switch state.arrived(number, sequence: sequence, pending: pending) {
      case .ignore: break
      case .restart: begin()
      case .deliver(let completes):
        report(.entry(entry), self)
        if completes { complete() }
      }
    }
  }

  private func complete() {
    report(.complete, self)
    first.end(.success(()))
  }

  private func schedule() {
    queue.async(after: .seconds(6)) { [weak self] in
      guard let self, !self.state.isOver else { return }
      // Without a connection, nothing can arrive.
      if !self.wasInterrupted, self.state.timePassed() { self.begin() }
      self.schedule()
    }
  }

  private func endSubscription() {
    guard let subscription else { return }
    self.subscription = nil
    bucket.connection.background.start { subscription.end() }
  }
}
