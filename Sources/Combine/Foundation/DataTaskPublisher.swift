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

  /// A publisher of the answer to a request, which is made for each subscriber, when it first asks for a value.
  ///
  /// An answer with a status that stands for an error is an answer like any other; what fails is what brings none.
  ///
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
      let subscription = DataTaskSubscription(request, session, Receiver.of(subscriber))
      subscriber.receive(subscription: subscription)
      subscription.introduced()
    }
  }
}

/// One request, made when a value is first asked for.
private final class DataTaskSubscription: EngineSubscription, @unchecked Sendable {  // `lock` guards what changes.
  typealias Output = (data: Data, response: URLResponse)

  private let request: URLRequest
  private let session: URLSession

  // Guarded by `lock`: everything below it. Without a receiver it is all over.
  private let lock = Lock()
  private var receiver: Receiver<Output, URLError>?
  private var isRequested = false
  private var isIntroduced = false
  private var early: (Data?, URLResponse?, (any Error)?)?
  private var task: URLSessionDataTask?

  init(_ request: URLRequest, _ session: URLSession, _ receiver: Receiver<Output, URLError>) {
    self.request = request
    self.session = session
    self.receiver = receiver
  }

  override func request(_ demand: Subscribers.Demand) {
    demand.requireSome()
    lock.lock()
    let isFirst = receiver != nil && !isRequested
    isRequested = true
    lock.unlock()
    guard isFirst else { return }
    let task = session.dataTask(with: request) { data, response, error in
      self.completed(data, response, error)
    }
    lock.lock()
    // A cancellation may have come meanwhile.
    let isWanted = receiver != nil
    if isWanted { self.task = task }
    lock.unlock()
    if isWanted { task.resume() } else { task.cancel() }
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

  /// Lets go of everything.
  ///
  /// - Returns: The subscriber, unless the subscription had ended before, and the task.
  private func end() -> (Receiver<Output, URLError>, URLSessionDataTask?)? {
    lock.lock()
    let (receiver, task, early) = (self.receiver, self.task, self.early)
    self.receiver = nil
    self.task = nil
    self.early = nil
    lock.unlock()
    return withExtendedLifetime(early) { receiver.map { ($0, task) } }
  }

  override func cancel() {
    end()?.1?.cancel()
  }

  override var description: String { "DataTaskPublisher" }
  override var customMirror: Mirror { Mirror(self, children: ["request": request]) }
}
