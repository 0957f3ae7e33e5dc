import Combine
import InterflowPrimitives

/// Sends what a publisher delivers to a stream, with so many values on their way at a time.
///
/// `@unchecked Sendable`: `lock` guards `state`.
final class StreamSubscriber<Value: Sendable>: @unchecked Sendable {
  typealias Report = (Subscribers.Completion<any Error>) -> Void

  private let stream: NATSStream<Value>
  private let inFlight: Int
  private let id: ((Value) -> String)?
  private let headers: ((Value) -> NATSHeaders)?
  private let lock = Lock()
  private var state: SendingState<any Subscription>
  private var report: Report?

  init(
    _ stream: NATSStream<Value>, inFlight: Int, id: ((Value) -> String)?, headers: ((Value) -> NATSHeaders)?,
    report: @escaping Report
  ) {
    precondition(inFlight > 0, "at least one value must be in flight, but inFlight was \(inFlight)")
    self.stream = stream
    self.inFlight = inFlight
    self.id = id
    self.headers = headers
    self.report = report
    state = SendingState(inFlight: inFlight)
  }

  func subscribe<Values: Publisher>(to values: Values) where Values.Output == Value {
    // One for all values.
    let report: Acknowledgements.Report = { self.stored($0) }
    values.subscribe(
      AnySubscriber(
        receiveSubscription: { self.receive($0) },
        receiveValue: {
          self.receive($0, report)
          return .none
        },
        receiveCompletion: { completion in
          switch completion {
          case .finished: self.receive(.finished)
          case .failure(let error): self.receive(.failure(error))
          }
        }))
  }

  private func receive(_ subscription: any Subscription) {
    lock.lock()
    let isAccepted = state.began(subscription)
    lock.unlock()
    guard isAccepted else { return subscription.cancel() }
    do throws(NATSError) {
      try SubjectName.check(stream.subject, wildcards: false, while: "sending to the stream “\(stream.name)”")
      subscription.request(.max(inFlight))
    } catch {
      perform { $0.failed(error) }
    }
  }

  private func receive(_ value: Value, _ report: @escaping Acknowledgements.Report) {
    lock.lock()
    let isAccepted = state.received()
    lock.unlock()
    guard isAccepted else { return }
    do throws(NATSError) {
      let bytes = try stream.coding.bytes(of: value, while: "sending to the stream “\(stream.name)”")
      let id = id.map { $0(value) }
      if let id { try ValueIdentifier.check(id, while: "sending to the stream “\(stream.name)”") }
      let headers = headers?(value) ?? [:]
      try headers.check(while: "sending to the stream “\(stream.name)”")
      stream.connection.sender.publish(bytes, to: stream.subject, id: id, headers: headers, report)
    } catch {
      stored(.failure(error))
    }
  }

  private func receive(_ completion: Subscribers.Completion<any Error>) {
    perform { $0.completed(completion) }
  }

  func cancel() {
    lock.lock()
    let report = report
    self.report = nil
    lock.unlock()
    releaseOutsideLock(report)
    perform { $0.cancelled() }
  }

  private func stored(_ result: Result<NATSReceipt, NATSError>) {
    switch result {
    case .success: perform { $0.valueStored() }
    case .failure(let error): perform { $0.failed(error) }
    }
  }

  private func perform(_ event: (inout SendingState<any Subscription>) -> SendingState<any Subscription>.Action) {
    lock.lock()
    let action = event(&state)
    let report = report
    if case .end = action { self.report = nil }
    lock.unlock()
    switch action {
    case .none: break
    case .request(let subscription, let count): subscription.request(.max(count))
    case .end(let subscription, let completion):
      subscription?.cancel()
      report?(completion)
    case .cancel(let subscription): subscription.cancel()
    }
  }
}
