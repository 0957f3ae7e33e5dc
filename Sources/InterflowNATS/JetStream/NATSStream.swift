import CNATS
import Combine
import Interflow

/// A stream of values that JetStream stores: what is sent to it arrives at every consumer at least once.
///
/// ```swift
/// struct Order: Codable, Sendable { var number: Int }
///
/// let orders = try await NATSStream<Order>(connection, "ORDERS", subjects: ["orders"])
/// try await orders.send(Order(number: 1))
/// for try await order in orders.values(durable: "billing") { print(order.number) }
/// ```
///
/// Sending waits until a server has stored the value. Consumers fetch no more than they have demanded, and a value that
/// they have not acknowledged comes again.
public final class NATSStream<Output: Sendable>: Sendable {
  /// The stream's name.
  public let name: String
  /// The subject to which values are sent.
  public let subject: String

  let connection: NATSConnection
  let coding: NATSCoding<Output>
  /// How many servers held each value when the stream was opened.
  let replicas: Int

  /// Creates a stream, or uses the one of that name with the same settings.
  ///
  /// - Parameters:
  ///   - connection: The connection, which the stream retains.
  ///   - name: The stream's name, without dots and spaces, of at most 255 bytes.
  ///   - subjects: The subjects whose messages are stored, perhaps with wildcards; the name if there are none. Values are
  ///     sent to the first one.
  ///   - settings: What is stored, where, and for how long.
  ///   - coding: How values become bytes.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/conflict`` where a stream of the name exists with other settings.
  public init(
    _ connection: NATSConnection, _ name: String, subjects: [String] = [],
    settings: NATSStreamSettings = NATSStreamSettings(), coding: NATSCoding<Output>
  ) async throws(NATSError) {
    let operation = "creating the stream “\(name)”"
    let subjects = subjects.isEmpty ? [name] : subjects
    try SubjectName.checkPart(name, of: "stream", while: operation)
    for subject in subjects { try SubjectName.check(subject, wildcards: true, while: operation) }
    try await connection.createStream(while: operation) {
      settings.withConfiguration(name: name, subjects: subjects, $0)
    }
    self.name = name
    self.subject = subjects[0]
    replicas = settings.replicas
    self.connection = connection
    self.coding = coding
  }

  /// Uses a stream that exists, whatever its settings.
  ///
  /// - Parameters:
  ///   - connection: The connection, which the stream retains.
  ///   - name: The stream's name.
  ///   - subject: The subject to which values are sent; the stream's first one if it is `nil`.
  ///   - coding: How values become bytes.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/notFound`` where there is no stream of the name.
  public init(
    _ connection: NATSConnection, existing name: String, subject: String? = nil, coding: NATSCoding<Output>
  ) async throws(NATSError) {
    let operation = "looking for the stream “\(name)”"
    try SubjectName.checkPart(name, of: "stream", while: operation)
    let context = connection.context
    let found: (subject: String, replicas: Int) = try await connection.call(operation) {
      context.stream(name, while: operation) { _, configuration in
        let first = configuration.SubjectsLen > 0 ? configuration.Subjects?[0].map { String(cString: $0) } : nil
        return (first ?? name, Int(clamping: configuration.Replicas))
      }
    }
    self.name = name
    self.subject = subject ?? found.subject
    replicas = found.replicas
    self.connection = connection
    self.coding = coding
  }
}

extension NATSStream where Output: Codable {
  /// Creates a stream of values in JSON, or uses the one of that name with the same settings.
  ///
  /// - Parameters:
  ///   - connection: The connection, which the stream retains.
  ///   - name: The stream's name, without dots and spaces, of at most 255 bytes.
  ///   - subjects: The subjects whose messages are stored, perhaps with wildcards; the name if there are none. Values are
  ///     sent to the first one.
  ///   - settings: What is stored, where, and for how long.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/conflict`` where a stream of the name exists with other settings.
  public convenience init(
    _ connection: NATSConnection, _ name: String, subjects: [String] = [],
    settings: NATSStreamSettings = NATSStreamSettings()
  ) async throws(NATSError) {
    try await self.init(connection, name, subjects: subjects, settings: settings, coding: .json)
  }

  /// Uses a stream of values in JSON that exists, whatever its settings.
  ///
  /// - Parameters:
  ///   - connection: The connection, which the stream retains.
  ///   - name: The stream's name.
  ///   - subject: The subject to which values are sent; the stream's first one if it is `nil`.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/notFound`` where there is no stream of the name.
  public convenience init(
    _ connection: NATSConnection, existing name: String, subject: String? = nil
  ) async throws(NATSError) {
    try await self.init(connection, existing: name, subject: subject, coding: .json)
  }
}
