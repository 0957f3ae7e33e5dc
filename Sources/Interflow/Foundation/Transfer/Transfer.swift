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

    /// Makes a transfer, which starts when its response is first awaited.
    ///
    /// It has a session of its own with the configuration of the one it is asked of, since this Foundation tells only a
    /// session's delegate of data as it comes.
    ///
    /// What comes waits here without limit. There is no way to make the server wait: a suspended task starts anew when
    /// it is resumed, and a delegate that takes its time keeps every session of the process waiting, as they share a
    /// queue.
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
      delegate.control = control
      delegate.inbox.link(control)
    }

    deinit {
      control.stop()
    }

    /// Starts the transfer, and waits for the response. May be called once.
    func response(isolation: isolated (any Actor)?) async throws -> URLResponse {
      try await withTaskCancellationHandler(
        operation: {
          control.start()
          return try await delegate.head.value(isolation: isolation)
        },
        onCancel: {
          let error = URLError(.cancelled)
          control.fail(error)
          delegate.head.announce(.failure(error))
          control.stop()
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
      // The inbox tells one consumer of a failure. To the others, what came must not look whole either.
      if let failure = control.failure { throw failure }
      return nil
    }
  }

  /// What ends a transfer, and how it has ended.
  final class TransferControl: AsyncInboxUpstream, @unchecked Sendable {  // `lock` guards `phase` and `ending`.
    private enum Phase {
      case idle
      case started
      case stopped
    }

    private enum Ending {
      case finished
      case failed(any Error)
    }

    private let task: URLSessionDataTask
    private let lock = Lock()
    private var phase = Phase.idle
    private var ending: Ending?

    init(_ task: URLSessionDataTask) {
      self.task = task
    }

    /// Why there is no more of the body than has come, if that is not all of it.
    var failure: (any Error)? {
      lock.lock()
      defer { lock.unlock() }
      switch ending {
      case .finished: return nil
      case .failed(let error): return error
      // Only a consumer that is cancelled ends the inbox before the transfer has ended.
      case nil: return URLError(.cancelled)
      }
    }

    /// Notes that the body has come whole, before the inbox is notified.
    func finish() {
      lock.lock()
      if ending == nil { ending = .finished }
      lock.unlock()
    }

    /// Notes why the transfer has failed, before the inbox is notified. The first reason counts.
    func fail(_ error: any Error) {
      lock.lock()
      if ending == nil { ending = .failed(error) }
      lock.unlock()
    }

    func request(_: Int) {}

    /// A consumer was cancelled, and the inbox has dropped what it held.
    func cancel() {
      lock.lock()
      if case .failed = ending {} else { ending = .failed(URLError(.cancelled)) }
      lock.unlock()
      stop()
    }

    func start() {
      lock.lock()
      let isIdle = phase == .idle
      if isIdle { phase = .started }
      lock.unlock()
      if isIdle { task.resume() }
    }

    func stop() {
      lock.lock()
      let isFirst = phase != .stopped
      phase = .stopped
      lock.unlock()
      guard isFirst else { return }
      // Foundation does not look up before the connection has nothing to read for a moment, and `cancel` waits for that.
      DispatchQueue.global().async { [task] in task.cancel() }
    }
  }
#endif
