#if INTERFLOW_FOUNDATION_NETWORKING && !canImport(Darwin) && !os(Windows)
  import Foundation

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// The task of a transfer that the user sees. Cancelling it takes effect at once; suspending and resuming do nothing.
  final class TransferTask: URLSessionDataTask, @unchecked Sendable {  // All properties are constant.
    private let task: URLSessionDataTask
    private let control: TransferControl
    private let head: TransferHead
    private let inbox: TransferDelegate.Inbox

    init(_ task: URLSessionDataTask, _ control: TransferControl, _ delegate: TransferDelegate) {
      self.task = task
      self.control = control
      head = delegate.head
      inbox = delegate.inbox
      super.init()
    }

    override func cancel() {
      // Consumers that wait fail at once, however long Foundation takes to cancel.
      let error = URLError(.cancelled)
      control.fail(error)
      head.resolve(.failure(error))
      inbox.complete(error)
      control.stop()
    }

    // Resuming would make the request again, and append the new response to the bytes received so far.
    override func suspend() {}
    override func resume() {}

    override var state: URLSessionTask.State {
      get { task.state }
      set {}
    }
    override var taskIdentifier: Int { task.taskIdentifier }
    override var originalRequest: URLRequest? { task.originalRequest }
    override var currentRequest: URLRequest? {
      get { task.currentRequest }
      set {}
    }
    override var response: URLResponse? {
      get { task.response }
      set {}
    }
    override var error: (any Error)? { task.error }
    override var progress: Progress { task.progress }
    override var countOfBytesReceived: Int64 {
      get { task.countOfBytesReceived }
      set {}
    }
    override var countOfBytesSent: Int64 {
      get { task.countOfBytesSent }
      set {}
    }
    override var countOfBytesExpectedToSend: Int64 {
      get { task.countOfBytesExpectedToSend }
      set {}
    }
    override var countOfBytesExpectedToReceive: Int64 {
      get { task.countOfBytesExpectedToReceive }
      set {}
    }
    override var countOfBytesClientExpectsToSend: Int64 {
      get { task.countOfBytesClientExpectsToSend }
      set { task.countOfBytesClientExpectsToSend = newValue }
    }
    override var countOfBytesClientExpectsToReceive: Int64 {
      get { task.countOfBytesClientExpectsToReceive }
      set { task.countOfBytesClientExpectsToReceive = newValue }
    }
    override var taskDescription: String? {
      get { task.taskDescription }
      set { task.taskDescription = newValue }
    }
    override var priority: Float {
      get { task.priority }
      set { task.priority = newValue }
    }
    override var delegate: (any URLSessionTaskDelegate)? {
      get { task.delegate }
      set { task.delegate = newValue }
    }
  }
#endif
