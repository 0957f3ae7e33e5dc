public import Foundation
import InterflowPrimitives

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension URLSession {
  /// Makes a publisher of what a URL holds.
  ///
  /// ```swift
  /// let cancellable = URLSession.shared.dataTaskPublisher(for: URL(string: "https://www.swift.org")!)
  ///   .map(\.data.count)
  ///   .sink { print($0) } receiveValue: { print($0, "bytes") }
  /// ```
  public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
    dataTaskPublisher(for: URLRequest(url: url))
  }

  /// Makes a publisher of the answer to a request.
  public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
    DataTaskPublisher(request: request, session: self)
  }

  /// A publisher of the response to a URL request, which is made for each subscriber, when it first requests a value.
  ///
  /// A response whose status stands for an error is a value like any other; only a request without a response fails.
  ///
  /// - Demand: One value is all there is; a further request resumes a task that somebody has suspended.
  /// - Thread: Delivers on the session's own queue.
  /// - Cancellation: Cancels the request.
  public struct DataTaskPublisher: Publisher, Sendable {
    /// The body, and the response that came with it.
    public typealias Output = (data: Data, response: URLResponse)
    /// Why there was no answer.
    public typealias Failure = URLError

    /// The request.
    public let request: URLRequest
    /// The session that makes it.
    public let session: URLSession

    /// Makes a publisher of the answer to a request.
    public init(request: URLRequest, session: URLSession) {
      self.request = request
      self.session = session
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == URLError {
      let subscription = DataTaskSubscription(self, Receiver.of(subscriber))
      subscriber.receive(subscription: subscription)
      subscription.introduced()
    }
  }
}

/// One request, made when a value is first asked for.
private final class DataTaskSubscription: EngineSubscription, @unchecked Sendable {  // `lock` guards what changes.
  typealias Output = (data: Data, response: URLResponse)

  // Guarded by `lock`: everything below it. Without a publisher and a receiver it is all over.
  private let lock = Lock()
  private var publisher: URLSession.DataTaskPublisher?
  private var receiver: Receiver<Output, URLError>?
  private var demand = Subscribers.Demand.none
  private var hasResumed = false
  private var isIntroduced = false
  private var early: (Data?, URLResponse?, (any Error)?)?
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
      // Only then: resuming a task that runs starts its protocol once more.
      started.resume()
    }
  }

  private func start(_ publisher: URLSession.DataTaskPublisher) {
    let task = publisher.session.dataTask(with: publisher.request) { data, response, error in
      self.completed(data, response, error)
    }
    lock.lock()
    // A cancellation may have come meanwhile.
    let isWanted = receiver != nil
    if isWanted { self.task = task }
    lock.unlock()
    guard isWanted else { return task.cancel() }
    task.resume()
    lock.lock()
    hasResumed = true
    lock.unlock()
  }

  /// The subscriber has its subscription: delivers an answer that has come on the session's queue meanwhile.
  func introduced() {
    lock.lock()
    isIntroduced = true
    let early = self.early.take()
    lock.unlock()
    if let (data, response, error) = early { completed(data, response, error) }
  }

  private func completed(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
    lock.lock()
    let receiver = self.receiver
    let isEarly = receiver != nil && !isIntroduced
    if isEarly { early = (data, response, error) }
    lock.unlock()
    guard let receiver, !isEarly else { return }
    if let response, error == nil {
      _ = receiver.receive((data ?? Data(), response))
      if end() != nil { receiver.receive(completion: .finished) }
    } else if end() != nil {
      receiver.receive(completion: .failure(error as? URLError ?? URLError(.unknown)))
    }
  }

  /// Releases everything.
  ///
  /// - Returns: The subscriber, unless the subscription had ended before, and the task.
  private func end() -> (Receiver<Output, URLError>, URLSessionDataTask?)? {
    lock.lock()
    let (publisher, receiver, task, early) = (self.publisher, self.receiver, self.task, self.early)
    self.publisher = nil
    self.receiver = nil
    self.demand = .none
    self.task = nil
    self.early = nil
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
