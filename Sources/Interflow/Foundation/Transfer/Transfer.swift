#if !canImport(Darwin) && !os(Windows)
  import Dispatch
  import Foundation
  import InterflowPrimitives

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// A transfer whose answer is read while it comes. It ends with the last reference to it.
  final class Transfer: Sendable {
    /// The task as the owner sees it.
    let task: URLSessionDataTask
    private let control: TransferControl
    private let delegate: TransferDelegate

    /// Makes a transfer, which starts when its response is asked for.
    ///
    /// It has a session of its own with the configuration of the one it is asked of, since this Foundation tells only a
    /// session's delegate of data as it comes.
    ///
    /// What comes waits here without limit. There is no way to make the server wait: a suspended task starts anew when it
    /// is resumed, and a delegate that takes its time keeps every session of the process waiting, as they share a queue.
    init(_ request: URLRequest, of session: URLSession, delegate observer: (any URLSessionTaskDelegate)?) {
      let configuration = session.configuration
      delegate = TransferDelegate(session: session, delegate: observer)
      let own = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      let task = own.dataTask(with: request)
      // Lets go of the delegate when the task has ended.
      own.finishTasksAndInvalidate()
      control = TransferControl(task)
      self.task = TransferTask(task, control, delegate)
      delegate.task = self.task
      delegate.inbox.link(control)
    }

    deinit {
      control.cancel()
    }

    /// Starts the transfer, and waits for the response. May be called once.
    func response(isolation: isolated (any Actor)?) async throws -> URLResponse {
      try await withTaskCancellationHandler(
        operation: {
          control.start()
          return try await delegate.head.value(isolation: isolation)
        },
        onCancel: {
          delegate.head.announce(.failure(URLError(.cancelled)))
          control.cancel()
        },
        isolation: isolation)
    }

    /// Waits for the next piece of the body.
    ///
    /// - Returns: `nil` at the end.
    func next(isolation: isolated (any Actor)?) async throws -> Data? {
      try Task.checkCancellation()
      if let data = try await delegate.inbox.next(isolation: isolation) { return data }
      try Task.checkCancellation()
      // Another iterator's task may have been.
      if control.isCancelled { throw URLError(.cancelled) }
      return nil
    }
  }

  /// What ends a transfer.
  final class TransferControl: AsyncInboxUpstream, @unchecked Sendable {  // `lock` guards `phase`.
    private enum Phase {
      case idle
      case started
      case cancelled
    }

    private let task: URLSessionDataTask
    private let lock = Lock()
    private var phase = Phase.idle

    init(_ task: URLSessionDataTask) {
      self.task = task
    }

    var isCancelled: Bool {
      lock.lock()
      defer { lock.unlock() }
      return phase == .cancelled
    }

    func request(_: Int) {}

    func start() {
      lock.lock()
      let isIdle = phase == .idle
      if isIdle { phase = .started }
      lock.unlock()
      if isIdle { task.resume() }
    }

    func cancel() {
      lock.lock()
      let isFirst = phase != .cancelled
      phase = .cancelled
      lock.unlock()
      guard isFirst else { return }
      // Foundation does not look up before the connection has nothing to read for a moment, and `cancel` waits for that.
      DispatchQueue.global().async { [task] in task.cancel() }
    }
  }
#endif
