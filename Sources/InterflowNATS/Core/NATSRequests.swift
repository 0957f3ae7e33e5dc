import Combine
import Interflow

/// The requests that are sent to a subject, to be answered.
///
/// ```swift
/// let cancellable = names.requests.sink(
///   receiveCompletion: { print($0) },
///   receiveValue: { request in try? request.respond(request.value.count) })
/// ```
///
/// Each request that arrives is answered, if only with an error, unless the connection or the process ends:
///
/// | what happens | the sender gets ``NATSError/Kind/rejected(code:)`` with |
/// | --- | --- |
/// | ``NATSSubject/capacity`` requests wait already for demand, or with this one, more than ``NATSSubject/byteCapacity`` bytes; counted in ``NATSSubject/dropped`` | 429 |
/// | the request is no value of the type; the publisher goes on, also with ``NATSUndecodable/fail`` | 400 |
/// | the subscription is cancelled while the request waits | 503 |
/// | the request is released without an answer | 503 |
///
/// A request that is on its way when the subscription is cancelled may be lost: then its sender waits until its time is
/// over.
///
/// Demand, failure, cancellation and thread are those of the ``NATSSubject``, apart from that. Values that were just sent are
/// delivered, too; see ``NATSRequest/isAnswerExpected``.
public struct NATSRequests<Value: Sendable>: Publisher, Sendable {
  /// A value to which another program waits for an answer.
  public typealias Output = NATSRequest<Value>
  /// An error of the connection.
  public typealias Failure = NATSError

  let subject: NATSSubject<Value>

  /// Subscribes.
  public func receive<Downstream: Subscriber>(
    subscriber: Downstream
  ) where Downstream.Input == NATSRequest<Value>, Downstream.Failure == NATSError {
    let connection = subject.connection
    subject.subscribe(subscriber, answersAll: true) {
      NATSRequest(value: $1, message: $0, answering: RequestAnswering(connection, to: $0.answerSubject))
    }
  }
}

extension NATSSubject {
  /// The requests that are sent to the subject, to be answered one by one; see ``reply(concurrency:_:)``.
  public var requests: NATSRequests<Output> { NATSRequests(subject: self) }

  /// Answers the requests that are sent to the subject with what a closure returns, in JSON, as long as the publisher has a
  /// subscriber.
  ///
  /// ```swift
  /// let names = try NATSSubject<String>(connection, "names", queue: "sizes")
  /// let cancellable = names.reply(concurrency: 4) { request in
  ///   request.value.count
  /// }
  /// .sink(receiveCompletion: { print($0) }, receiveValue: { print("answered: \($0.value)") })
  /// ```
  ///
  /// The closure runs in a task, outside any actor. Programs with the same ``queue`` share the requests; without one, each
  /// answers all of them, and the sender gets the first answer.
  ///
  /// - Demand: A request is taken for each that is requested from the publisher, and no more than `concurrency` run. Others
  ///   wait; see ``NATSRequests`` for those that wait too long in line.
  /// - Errors: The description of an error that the closure throws is the sender's
  ///   ``NATSError/Kind/rejected(code:)``, with 500, and so is an answer that cannot be encoded or is too large. The publisher
  ///   goes on. It fails where the connection is closed.
  /// - Cancellation: Cancels the closures that run. Requests that they do not answer, and those that wait, are refused with 503.
  /// - Parameters:
  ///   - concurrency: How many closures run at a time. Fewer than one is a programming error and traps.
  ///   - answer: The closure.
  /// - Returns: Each request, when it has been answered.
  public func reply<Answer: Codable & Sendable>(
    concurrency: Int = 1, _ answer: @escaping @Sendable (NATSRequest<Output>) async throws -> Answer
  ) -> AnyPublisher<NATSRequest<Output>, NATSError> {
    precondition(concurrency > 0, "at least one request must be answered at a time, but concurrency was \(concurrency)")
    return requests.task(maxPublishers: .max(concurrency)) { request in
      do {
        try request.respond(try await answer(request))
      } catch {
        // Whatever error that has led to in the closure.
        if Task.isCancelled {
          request.refuse("the program has stopped answering", code: Refusal.notAnswered)
        } else {
          request.refuse((error as? NATSError)?.message ?? "\(error)", code: Refusal.failed)
        }
      }
      return request
    }
    .eraseToAnyPublisher()
  }
}
