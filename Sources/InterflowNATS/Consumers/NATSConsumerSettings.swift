import CNATS
import Foundation

/// Where a consumer begins, and what happens with values that it does not acknowledge.
///
/// Settings that make no sense, such as an ``acknowledgementWait`` of zero, fail the consumer with
/// ``NATSError/Kind/misuse``: for a server, zero is its own default.
///
/// Consumers of one durable name share the work: a value is delivered to one of them. All have to say the same settings,
/// apart from ``maxPull``, ``maxPullBytes`` and ``undecodable``: one with others fails with ``NATSError/Kind/conflict``, and the durable
/// remains what it was. ``NATSStream/updateConsumer(_:settings:)`` changes it. On servers before version 2.10, of two that
/// create a durable at the same moment, the second one's settings replace the first one's.
public struct NATSConsumerSettings: Sendable, Hashable {
  /// Where a consumer that is new to the server begins. One that exists goes on where it was.
  public enum Start: Sendable, Hashable {
    /// With the first value that the stream holds.
    case all
    /// With the first value that is sent after the consumer was created.
    case new
    /// With the last value that the stream holds.
    case last
    /// With the value of this number.
    case sequence(UInt64)
    /// With the first value that was stored then or later.
    case date(Date)
  }

  /// Where a consumer that is new to the server begins.
  public var start: Start = .all
  /// Only values sent to this subject, perhaps with wildcards; `nil` for all.
  public var filter: String?
  /// How long the server waits for an acknowledgement before it delivers a value again.
  public var acknowledgementWait: Duration = .seconds(30)
  /// How often a value is delivered at most; `nil` for no limit. A value that reaches it stays in the stream.
  ///
  /// The server counts what it sends, whether the program has seen it or not. So with a limit, values are fetched one at a
  /// time, whatever ``maxPull`` and the `prefetch` of a loop say: none waits here that goes back unseen and has used a
  /// delivery, apart from one that was on its way when its consumer ended. Without a limit, consumers are faster.
  public var maxDeliveries: Int?
  /// How many values of the durable may be delivered and not acknowledged, of all its consumers together.
  public var maxUnacknowledged = 1_000
  /// How long the server keeps a durable from which no values are requested; `nil` for ever.
  ///
  /// A consumer requests none while its connection is interrupted, and while its subscriber has no demand or its loop
  /// is busy. When that takes longer, the consumer fails with ``NATSError/Kind/notFound``, and the durable, made again,
  /// begins where ``start`` says.
  public var inactiveThreshold: Duration?
  /// How many values are on their way to one subscriber that has requested more.
  public var maxPull = 512
  /// How many bytes are on their way to one subscriber, approximately, and at least two of the largest messages that the
  /// server permits. A server ends a connection that does not take what it sends.
  public var maxPullBytes = 16 << 20
  /// What happens with a message that is no value of the stream's type.
  public var undecodable: NATSUndecodable = .fail

  /// Makes settings with the defaults.
  public init() {}
}

extension NATSConsumerSettings {
  /// What a durable has that a server would change for the next consumer: the names of those settings that differ.
  func differences(from existing: jsConsumerConfig) -> [String] {
    var different: [String] = []
    func compare(_ isSame: Bool, _ name: String) { if !isSame { different.append(name) } }
    compare(existing.AckWait == acknowledgementWait.nanoseconds, "acknowledgementWait")
    compare(max(existing.MaxDeliver, -1) == Int64(maxDeliveries ?? -1), "maxDeliveries")
    compare(existing.MaxAckPending == Int64(maxUnacknowledged), "maxUnacknowledged")
    compare(existing.InactiveThreshold == inactiveThreshold?.nanoseconds ?? 0, "inactiveThreshold")
    compare(existing.FilterSubject.map { String(cString: $0) } ?? "" == filter ?? "", "filter")
    return different
  }

  /// Whether a durable begins where these settings say, and is one from which values are requested and acknowledged.
  func beginsAndSettles(as existing: jsConsumerConfig) -> Bool {
    withConfiguration(durable: "") {
      existing.DeliverPolicy == $0.DeliverPolicy && existing.OptStartSeq == $0.OptStartSeq
        && existing.OptStartTime == $0.OptStartTime && existing.AckPolicy == $0.AckPolicy
        && existing.DeliverSubject == nil
    }
  }

  /// The request to create a durable where none exists, as the library would send it, with what it does not send.
  func creation(of durable: String, inStream stream: String) -> Data {
    struct Configuration: Encodable {
      let durable_name: String
      var deliver_policy = "all"
      var opt_start_seq: UInt64?
      var opt_start_time: String?
      let ack_policy = "explicit"
      let ack_wait: Int64
      let max_deliver: Int
      let filter_subject: String?
      let replay_policy = "instant"
      let max_ack_pending: Int
      let inactive_threshold: Int64?
    }
    struct Request: Encodable {
      let stream_name: String
      let action = "create"
      let config: Configuration
    }
    var configuration = Configuration(
      durable_name: durable, ack_wait: acknowledgementWait.nanoseconds, max_deliver: maxDeliveries ?? -1,
      filter_subject: filter, max_ack_pending: maxUnacknowledged, inactive_threshold: inactiveThreshold?.nanoseconds)
    switch start {
    case .all: break
    case .new: configuration.deliver_policy = "new"
    case .last: configuration.deliver_policy = "last"
    case .sequence(let sequence):
      configuration.deliver_policy = "by_start_sequence"
      configuration.opt_start_seq = sequence
    case .date(let date):
      configuration.deliver_policy = "by_start_time"
      configuration.opt_start_time = ReplayConsumer.text(ofTime: Self.nanoseconds(of: date))
    }
    return JetStreamAnswer.bytes(of: Request(stream_name: stream, config: configuration))
  }

  /// How many values may be on their way.
  var window: Int { maxDeliveries == nil ? maxPull : 1 }

  /// Throws where a server would take a value for another one: zero, for many, is its default.
  func check(while operation: String) throws(NATSError) {
    func expect(_ isValid: Bool, _ text: String) throws(NATSError) {
      if !isValid { throw NATSError(kind: .misuse, operation: operation, message: "\(text) was expected") }
    }
    try expect(acknowledgementWait.nanoseconds > 0, "a wait for acknowledgements of more than zero")
    try expect(maxDeliveries.map { $0 > 0 } ?? true, "at least one delivery of each value")
    try expect(maxUnacknowledged > 0, "at least one value that is not acknowledged")
    try expect(maxPull > 0, "at least one value on its way")
    try expect(maxPullBytes > 0, "at least one byte on its way")
    try expect(inactiveThreshold.map { $0.nanoseconds > 0 } ?? true, "an inactive threshold of more than zero")
    try start.check(while: operation)
  }

  /// A date as servers count. Zero is none for them, and what is far away does not fit.
  static func nanoseconds(of date: Date) -> Int64 {
    Int64(min(max(date.timeIntervalSince1970, 1), 9_000_000_000) * 1_000_000_000)
  }

  /// Calls a closure with the library's form, for as long as the closure runs.
  func withConfiguration<Success>(durable: String, _ body: (inout jsConsumerConfig) -> Success) -> Success {
    var configuration = jsConsumerConfig()
    jsConsumerConfig_Init(&configuration)
    configuration.AckPolicy = js_AckExplicit
    configuration.AckWait = acknowledgementWait.nanoseconds
    configuration.MaxDeliver = Int64(maxDeliveries ?? -1)
    configuration.MaxAckPending = Int64(maxUnacknowledged)
    configuration.InactiveThreshold = inactiveThreshold?.nanoseconds ?? 0
    switch start {
    case .all: configuration.DeliverPolicy = js_DeliverAll
    case .new: configuration.DeliverPolicy = js_DeliverNew
    case .last: configuration.DeliverPolicy = js_DeliverLast
    case .sequence(let sequence):
      configuration.DeliverPolicy = js_DeliverByStartSequence
      configuration.OptStartSeq = sequence
    case .date(let date):
      configuration.DeliverPolicy = js_DeliverByStartTime
      configuration.OptStartTime = Self.nanoseconds(of: date)
    }
    return durable.withCString { durable in
      configuration.Durable = durable
      guard let filter else { return body(&configuration) }
      return filter.withCString { filter in
        configuration.FilterSubject = filter
        return body(&configuration)
      }
    }
  }
}

extension NATSConsumerSettings.Start {
  /// Throws where a server would take a value for another one, or for none.
  func check(while operation: String) throws(NATSError) {
    let expected: String
    switch self {
    case .date(let date) where date.timeIntervalSince1970.isNaN: expected = "a date that is a number"
    case .sequence(0): expected = "a number of a value, which begin with one,"
    default: return
    }
    throw NATSError(kind: .misuse, operation: operation, message: "\(expected) was expected")
  }
}
