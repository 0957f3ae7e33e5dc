#if INTERFLOW_FOUNDATION_NETWORKING && !canImport(Darwin) && !os(Windows)
  import Dispatch
  import Foundation
  import InterflowPrimitives

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// A transfer whose response is read while it arrives. It is cancelled when it is deallocated.
  final class Transfer: Sendable {
    /// The task that the user sees.
    let task: URLSessionDataTask
    private let control: TransferControl
    private let delegate: TransferDelegate

    /// Makes a transfer, which starts when its response is first awaited.
    ///
    /// It has its own session, with the configuration of the given one, since this Foundation reports data as it
    /// arrives only to a session's delegate.
    ///
    /// Data is buffered without limit. There is no way to make the server wait: a suspended task starts again from the
    /// beginning when it is resumed, and a delegate that blocks would block every session of the process, as they share
    /// a queue.
    init(_ request: URLRequest, of session: URLSession, delegate observer: (any URLSessionTaskDelegate)?) {
      let configuration = session.configuration
      delegate = TransferDelegate(session: session, delegate: observer)
      let own = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      let task = own.dataTask(with: request)
      // Releases the delegate when the task has ended.
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
          delegate.head.resolve(.failure(error))
          control.stop()
        },
        isolation: isolation)
    }

    /// Waits for the next piece of the body.
    ///
    /// - Returns: `nil` at the end.
    func next(isolation: isolated (any Actor)?) async throws -> Data? {
      // Cancels the transfer, too, if the task has been cancelled before.
      if let data = try await delegate.inbox.next(isolation: isolation) { return data }
      try Task.checkCancellation()
      // The inbox throws the failure to one consumer only. For the others the body must not look complete either.
      if let failure = control.failure { throw failure }
      // The transfer had ended when a consumer was cancelled, and dropped what had arrived.
      if delegate.inbox.isCutOff { throw URLError(.cancelled) }
      return nil
    }
  }

  /// Starts and cancels a transfer, and records how it has ended.
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

    /// Why the body is incomplete; `nil` if it is complete.
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

    /// Records that the body is complete, before the inbox is notified.
    func finish() {
      lock.lock()
      if ending == nil { ending = .finished }
      lock.unlock()
    }

    /// Records why the transfer has failed, before the inbox is notified. The first reason counts.
    func fail(_ error: any Error) {
      lock.lock()
      if ending == nil { ending = .failed(error) }
      lock.unlock()
    }

    func request(_: Int) {}

    /// A consumer was cancelled, and the inbox has dropped the buffered data.
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
      // `cancel` blocks until Foundation has read what the connection has to read.
      DispatchQueue.global().async { [task] in task.cancel() }
    }
  }
#endif
