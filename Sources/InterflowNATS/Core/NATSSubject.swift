import CNATS
import Combine
import Interflow
import Synchronization

/// A subject of NATS: what is sent to it reaches those subscribed at that moment, in any process, **at most once**.
///
/// ```swift
/// let prices = try NATSSubject<Double>(connection, "prices.apple")
/// let cancellable = prices.sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
/// try prices.send(1.5)
/// ```
///
/// Nothing is stored. Values are lost without a subscriber, while a connection is interrupted, and where a subscriber does not
/// keep up: see ``dropped``. Where none may be lost, use ``NATSStream``.
///
/// As a publisher:
///
/// - Demand: What arrives without demand, or faster than it is taken, waits in a buffer of each subscriber, which holds
///   ``capacity`` values of ``byteCapacity`` bytes; what arrives when it is full is dropped and counted in ``dropped``.
/// - Failure: A ``NATSError``, where the connection is closed, or a message is no value of the type and
///   ``NATSUndecodable/fail`` was chosen. Interruptions of the connection are none.
/// - Cancellation: Cancelling drops the buffer, and releases the subscriber.
/// - Thread: Values are delivered on a queue of the subscription. What the same connection sends after subscribing
///   arrives; others' values do when the subscription has reached the server, which ``flush()`` waits for.
public final class NATSSubject<Output: Sendable>: Publisher, Sendable {
  /// An error of the connection or of a message.
  public typealias Failure = NATSError

  /// The subject, with wildcards if it has some.
  public let subject: String
  /// The subscribers of one queue group share what arrives: each value reaches one of them. `nil` for none.
  public let queue: String?
  /// How many values wait at most for one subscriber.
  public let capacity: Int
  /// How many bytes they have together at most.
  public let byteCapacity: Int

  let connection: NATSConnection
  let coding: NATSCoding<Output>
  private let undecodable: NATSUndecodable
  private let losses = SubjectLosses()

  /// Names a subject. Contacts no server.
  ///
  /// - Parameters:
  ///   - connection: The connection, which the subject retains.
  ///   - subject: The subject, of parts between dots. For receiving, `*` may stand for any part, and `>` at the end for
  ///     any number of parts.
  ///   - queue: A group of subscribers, in any process, that share what arrives; `nil` where each gets everything.
  ///   - capacity: How many values wait at most for one subscriber. Fewer than one is a programming error and traps.
  ///   - byteCapacity: How many bytes they have together at most, with their headers. A single value may have more. Fewer
  ///     than one is a programming error and traps.
  ///   - undecodable: What happens with a message that is no value of the type.
  ///   - coding: How values become bytes.
  /// - Throws: A ``NATSError``: ``NATSError/Kind/misuse`` where the subject or the group is none.
  public init(
    _ connection: NATSConnection, _ subject: String, queue: String? = nil, capacity: Int = 8_192,
    byteCapacity: Int = 64 << 20, undecodable: NATSUndecodable = .fail, coding: NATSCoding<Output>
  ) throws(NATSError) {
    precondition(capacity > 0, "a capacity of at least one value was expected, not of \(capacity)")
    precondition(byteCapacity > 0, "a capacity of at least one byte was expected, not of \(byteCapacity)")
    let operation = "preparing a subject"
    try SubjectName.check(subject, wildcards: true, while: operation)
    if let queue {
      let rest = SubjectName.maxLength - subject.utf8.count
      try SubjectName.check(queue, wildcards: false, maxLength: rest, while: operation)
    }
    try undecodable.check(while: operation)
    self.connection = connection
    self.subject = subject
    self.queue = queue
    self.capacity = capacity
    self.byteCapacity = byteCapacity
    self.undecodable = undecodable
    self.coding = coding
  }

  /// Subscribes.
  public func receive<Downstream: Subscriber>(
    subscriber: Downstream
  ) where Downstream.Input == Output, Downstream.Failure == NATSError {
    subscribe(subscriber) { $1 }
  }

  /// - Parameter answersAll: Whether requests that are not delivered are answered with an error.
  func subscribe<Downstream: Subscriber>(
    _ downstream: Downstream, answersAll: Bool = false, _ opening: @escaping (SubjectBytes, Output) -> Downstream.Input
  ) where Downstream.Failure == NATSError {
    let (coding, operation) = (coding, "receiving “\(subject)”")
    let subscription = SubjectSubscription(
      connection,
      SubjectSubscription.Settings(
        subject: subject, group: queue, capacity: capacity, byteCapacity: byteCapacity, undecodable: undecodable,
        answersAll: answersAll),
      losses,
      SubjectSubscription.Receiver(
        receive: { message throws(NATSError) in
          downstream.receive(opening(message, try coding.value(of: message.bytes, while: operation)))
        }, complete: { downstream.receive(completion: $0) }))
    downstream.receive(subscription: subscription)
    subscription.start()
  }
}

extension NATSSubject where Output: Codable {
  /// Names a subject of values in JSON. Contacts no server.
  ///
  /// - Parameters:
  ///   - connection: The connection, which the subject retains.
  ///   - subject: The subject, of parts between dots. For receiving, `*` may stand for any part, and `>` at the end for
  ///     any number of parts.
  ///   - queue: A group of subscribers, in any process, that share what arrives; `nil` where each gets everything.
  ///   - capacity: How many values wait at most for one subscriber. Fewer than one is a programming error and traps.
  ///   - byteCapacity: How many bytes they have together at most, with their headers. A single value may have more. Fewer
  ///     than one is a programming error and traps.
  ///   - undecodable: What happens with a message that is no value of the type.
  /// - Throws: A ``NATSError``: ``NATSError/Kind/misuse`` where the subject or the group is none.
  public convenience init(
    _ connection: NATSConnection, _ subject: String, queue: String? = nil, capacity: Int = 8_192,
    byteCapacity: Int = 64 << 20, undecodable: NATSUndecodable = .fail
  ) throws(NATSError) {
    try self.init(
      connection, subject, queue: queue, capacity: capacity, byteCapacity: byteCapacity, undecodable: undecodable,
      coding: .json)
  }
}

extension NATSSubject {
  /// How many values have arrived for a subscriber of this object whose buffer was full, and were dropped.
  public var dropped: Int { losses.dropped.load(ordering: .relaxed) }

  /// How many values the connection did not take: it was closed, they were larger than the server permits, or
  /// it was interrupted for so long that its buffer was full.
  public var unsent: Int { losses.unsent.load(ordering: .relaxed) }

  /// Sends a value, and waits for nothing: not for the server, not for subscribers.
  ///
  /// Values of one connection arrive in the order in which they were sent. They wait in memory until the connection has
  /// taken them: a program that sends much calls ``flush()`` from time to time.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - headers: What the message has beside the value; see ``messages``.
  ///   - subject: A subject without wildcards, such as the ``NATSSubjectMessage/reply`` of a message; ``subject`` if it is
  ///     `nil`.
  /// - Throws: A ``NATSError``: ``NATSError/Kind/notEncodable``, ``NATSError/Kind/closed``, or ``NATSError/Kind/misuse``
  ///   where the subject has wildcards, or headers are none. What fails later is counted in ``unsent``.
  public func send(
    _ value: Output, headers: NATSHeaders = [:], to subject: String? = nil
  ) throws(NATSError) {
    let subject = subject ?? self.subject
    let operation = "sending to “\(subject)”"
    try SubjectName.check(subject, wildcards: false, while: operation)
    try headers.check(while: operation)
    if case .closed = connection.events.status.value {
      throw NATSError(kind: .closed, operation: operation, message: "the connection was closed")
    }
    let bytes = try coding.bytes(of: value, while: operation)
    connection.outbox.post { [losses] in
      if $0.publish(bytes, to: subject, headers: headers) != NATS_OK { losses.unsent.add(1, ordering: .relaxed) }
    }
  }

  /// Waits until a server has got all that the connection has sent, subscriptions among it. It does not wait for
  /// subscribers.
  ///
  /// - Throws: A ``NATSError``: ``NATSError/Kind/timeout``, ``NATSError/Kind/closed`` or
  ///   ``NATSError/Kind/disconnected``, among others.
  public func flush() async throws(NATSError) {
    try await connection.flush(while: "sending to “\(subject)”")
  }

  /// The values with their headers and the subjects to which they were sent, which with wildcards differ; otherwise like
  /// the subject itself.
  public var messages: NATSSubjectMessages<Output> { NATSSubjectMessages(subject: self) }

  /// The values for a loop that takes them one by one; what it does not take in time waits in the subscription's buffer,
  /// or is dropped and counted: see ``dropped``.
  ///
  /// ```swift
  /// for try await price in prices.values { print(price) }
  /// ```
  ///
  /// It subscribes when the loop begins. The bridge's `asyncStream(bufferingPolicy:)` begins at once, and
  /// chooses what to drop.
  public var values: AsyncValues<NATSSubject<Output>> { AsyncValues(self) }
}
