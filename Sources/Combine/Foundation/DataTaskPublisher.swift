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
    /// - Thread: Delivers on the session's delegate queue.
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
        let subscription = DataTaskSubscription(self, Receiver.of(subscriber))
        subscriber.receive(subscription: subscription)
        subscription.didSendSubscription()
      }
    }
  }

  /// The subscription to one data task: an ``EngineSubscription`` that starts the task with the first request.
  private final class DataTaskSubscription: EngineSubscription, @unchecked Sendable {  // `lock` guards all variables.
    typealias Output = (data: Data, response: URLResponse)

    // Guarded by `lock`: everything below it. `publisher` and `receiver` are `nil` after the end.
    private let lock = Lock()
    private var publisher: URLSession.DataTaskPublisher?
    private var receiver: Receiver<Output, URLError>?
    private var demand = Subscribers.Demand.none
    private var hasResumed = false
    private var hasSentSubscription = false
    private var earlyResponse: (Data?, URLResponse?, (any Error)?)?
    private var task: URLSessionDataTask?

    init(_ publisher: URLSession.DataTaskPublisher, _ receiver: Receiver<Output, URLError>) {
      self.publisher = publisher
      self.receiver = receiver
    }

    override func request(_ demand: Subscribers.Demand) {
      demand.requireSome()
      lock.lock()
      guard let publisher else {
        lock.unlock()
        return
      }
      let isFirst = self.demand == .none
      self.demand += demand
      let started = hasResumed ? task : nil
      lock.unlock()
      if isFirst {
        start(publisher)
      } else if let started, started.state == .suspended {
        // Only a suspended task: resuming one that runs starts its protocol once more.
        started.resume()
      }
    }

    private func start(_ publisher: URLSession.DataTaskPublisher) {
      let task = publisher.session.dataTask(with: publisher.request) { data, response, error in
        self.completed(data, response, error)
      }
      lock.lock()
      let isCancelled = receiver == nil
      if !isCancelled { self.task = task }
      lock.unlock()
      guard !isCancelled else { return task.cancel() }
      task.resume()
      lock.lock()
      hasResumed = true
      lock.unlock()
    }

    /// The subscriber has received its subscription: delivers a response that has arrived on the session's queue
    /// meanwhile.
    func didSendSubscription() {
      lock.lock()
      hasSentSubscription = true
      let early = earlyResponse.take()
      lock.unlock()
      if let (data, response, error) = early { completed(data, response, error) }
    }

    private func completed(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
      lock.lock()
      let receiver = self.receiver
      let isEarly = receiver != nil && !hasSentSubscription
      if isEarly { earlyResponse = (data, response, error) }
      lock.unlock()
      guard let receiver, !isEarly else { return }
      if let response, error == nil {
        _ = receiver.receive((data ?? Data(), response))
        if end() != nil { receiver.receive(completion: .finished) }
      } else if end() != nil {
        receiver.receive(completion: .failure(error as? URLError ?? URLError(.unknown)))
      }
    }

    /// Ends the subscription and releases what it holds.
    ///
    /// - Returns: The receiver and the task; `nil` if the subscription had ended before.
    private func end() -> (Receiver<Output, URLError>, URLSessionDataTask?)? {
      lock.lock()
      let (publisher, receiver, task, early) = (self.publisher, self.receiver, self.task, earlyResponse)
      self.publisher = nil
      self.receiver = nil
      self.demand = .none
      self.task = nil
      earlyResponse = nil
      lock.unlock()
      return withExtendedLifetime((publisher, early)) { receiver.map { ($0, task) } }
    }

    override func cancel() {
      end()?.1?.cancel()
    }

    override var description: String { "DataTaskPublisher" }
    override var customMirror: Mirror {
      lock.lock()
      let (task, receiver, publisher, demand) = (self.task, self.receiver, self.publisher, self.demand)
      lock.unlock()
      return Mirror(
        self,
        children: [
          "task": task as Any, "downstream": receiver?.wrapped as Any, "parent": publisher as Any, "demand": demand,
        ])
    }
  }
#endif
