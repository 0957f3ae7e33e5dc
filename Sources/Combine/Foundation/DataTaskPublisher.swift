#if INTERFLOW_FOUNDATION_NETWORKING
  public import Foundation
  import InterflowPrimitives

  #if canImport(FoundationNetworking)
    public import FoundationNetworking
  #endif

  extension URLSession {
    /// Makes a publisher of the contents of a URL.
    ///
    /// ```swift
    /// let cancellable = URLSession.shared.dataTaskPublisher(for: URL(string: "https://www.swift.org")!)
    ///   .map(\.data.count)
    ///   .sink { print($0) } receiveValue: { print($0, "bytes") }
    /// ```
    public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
      dataTaskPublisher(for: URLRequest(url: url))
    }

    /// Makes a publisher of the response to a request.
    public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
      DataTaskPublisher(request: request, session: self)
    }

    /// A publisher of the response to a URL request.
    ///
    /// Each subscriber gets its own data task, which is started when it first requests a value. Delivers one value and
    /// finishes. A response with an error status is a value like any other; the publisher fails only without a response.
    ///
    /// - Demand: The first request starts the task. A later one resumes the task if somebody has suspended it.
    /// - Thread: Delivers on the session's delegate queue. A response that arrives while the subscriber is receiving its
    ///   subscription is delivered by that thread.
    /// - Cancellation: Cancels the task.
    public struct DataTaskPublisher: Publisher, Sendable {
      /// The body, and the response that came with it.
      public typealias Output = (data: Data, response: URLResponse)
      /// Why there was no response.
      public typealias Failure = URLError

      /// The request.
      public let request: URLRequest
      /// The session that makes the request.
      public let session: URLSession

      /// Makes a publisher of the response to a request.
      public init(request: URLRequest, session: URLSession) {
        self.request = request
        self.session = session
      }

      /// Attaches a subscriber.
      public func receive<S: Subscriber>(subscriber: S)
      where S.Input == Output, S.Failure == URLError {
        DataTaskSubscription(self, Receiver.of(subscriber)).sendSubscription()
      }
    }
  }

  /// The subscription to one data task: a ``SerialSubscription`` that starts the task with the first request, and
  /// buffers a response that arrives before the subscriber has received this.
  private final class DataTaskSubscription: SerialSubscription<
    Void, Receiver<(data: Data, response: URLResponse), URLError>
  >,
  @unchecked Sendable  // The core's lock guards all variables.
  {
    // Guarded by the core's lock: everything below it. `publisher` is `nil` after the end.
    private var publisher: URLSession.DataTaskPublisher?
    private var task: URLSessionDataTask?
    private var hasStarted = false
    private var hasResumed = false

    init(_ publisher: URLSession.DataTaskPublisher, _ receiver: Receiver<Output, URLError>) {
      self.publisher = publisher
      super.init(receiver, "DataTaskPublisher", .awaitingSubscription)
    }

    override func forward(_ more: Subscribers.Demand) {
      core.lock.lock()
      let publisher = hasStarted ? nil : publisher
      hasStarted = true
      let resumed = hasResumed ? task : nil
      core.lock.unlock()
      if let publisher {
        start(publisher)
      } else if let resumed, resumed.state == .suspended {
        // Only a suspended task: resuming one that runs starts its protocol once more.
        resumed.resume()
      }
    }

    private func start(_ publisher: URLSession.DataTaskPublisher) {
      let task = publisher.session.dataTask(with: publisher.request) { data, response, error in
        self.completed(data, response, error)
      }
      core.lock.lock()
      let isCancelled = core.demand.isOver
      if !isCancelled { self.task = task }
      core.lock.unlock()
      guard !isCancelled else { return task.cancel() }
      task.resume()
      core.lock.lock()
      hasResumed = true
      core.lock.unlock()
    }

    private func completed(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
      core.lock.lock()
      // It has completed, so there is nothing to cancel.
      let completedTask = task.take()
      core.lock.unlock()
      releaseOutsideLock(completedTask)
      if let response, error == nil {
        deliver((data ?? Data(), response), .finished)
      } else {
        deliver(nil, .failure(error as? URLError ?? URLError(.unknown)))
      }
    }

    /// Delivers on the session's queue, unless the subscriber is receiving its subscription on another thread, which
    /// delivers then.
    private func deliver(_ response: Output?, _ completion: Completion) {
      core.lock.lock()
      let isEarly = !core.hasSentSubscription
      core.lock.unlock()
      if isEarly {
        if let response { enqueue(response, ()) }
        return finishAfterBuffered(completion)
      }
      if let response {
        let me = currentThreadIdentity()
        let previous = core.turn.enter(me)
        if deliverAtOnce(response) == nil { buffer(response, ()) }
        leaveTurn(me, previous)
      }
      finish(completion)
    }

    override func cancelInputs() {
      core.lock.lock()
      let (publisher, task) = (self.publisher.take(), self.task.take())
      core.lock.unlock()
      task?.cancel()
      releaseOutsideLock(publisher)
    }

    override var customMirror: Mirror {
      core.lock.lock()
      let (task, receiver, publisher, demand) = (self.task, downstream, self.publisher, core.demand.count)
      core.lock.unlock()
      return Mirror(
        self,
        children: [
          "task": task as Any, "downstream": receiver?.wrapped as Any, "parent": publisher as Any,
          "demand": Subscribers.Demand(packed: demand),
        ])
    }
  }
#endif
