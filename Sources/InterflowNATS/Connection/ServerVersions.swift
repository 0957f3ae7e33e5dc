import CNATS
import Foundation
import InterflowPrimitives

/// The versions of the servers that a connection knows, each read from the server itself.
///
/// A server that does not answer has the version that it had when it last did. All are read again after an interruption has
/// begun or ended, when a server has said that there is another one, and soon where one has not answered or is old.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class ServerVersions: @unchecked Sendable {
  /// What has happened to the connection: a reading is valid until the next of these events.
  fileprivate struct EventCounts: Equatable {
    let interruptions: Int
    let restorations: Int
    let discoveries: Int
  }

  /// What the servers have said, and when.
  struct Reading: Sendable {
    struct Server: Sendable {
      let address: String
      let version: ServerVersion?
      /// Whether it has said so now, and not before.
      let isNew: Bool
    }
    fileprivate let eventCounts: EventCounts
    fileprivate let end = ContinuousClock.now
    let servers: [Server]

    /// Why not all servers have a version or a later one; `nil` where they have.
    func shortcoming(of wanted: ServerVersion) -> String? {
      if servers.isEmpty { return "no server is known" }
      for server in servers {
        guard let version = server.version else { return "the server \(server.address) has not said its version" }
        if version < wanted { return "the server \(server.address) has version \(version)" }
      }
      return nil
    }
  }

  /// How long a reading is valid of which not all is new, or that is not sufficient.
  private static let shortTime = Duration.seconds(2)

  private let handle: ConnectionHandle
  private let events: ConnectionEvents
  private let requiresTLS: Bool
  private let timeout: Duration
  /// Servers that do not answer keep no other call waiting.
  let queue = ConnectionQueue(maxThreadCount: 1)
  private let lock = Lock()
  private var versions: [String: ServerVersion] = [:]
  private var last: Reading?
  private var waiting: [CallWait<Void>] = []
  private var isReading = false

  /// - Parameter timeout: How long to wait for a server.
  init(_ handle: ConnectionHandle, _ events: ConnectionEvents, requiresTLS: Bool, timeout: Duration) {
    (self.handle, self.events, self.requiresTLS, self.timeout) = (handle, events, requiresTLS, timeout)
  }

  private var eventCounts: EventCounts {
    EventCounts(
      interruptions: events.interruptions, restorations: events.restorations, discoveries: events.discoveries)
  }

  /// Why not all servers have a version or a later one; `nil` where they have. No thread of the connection waits, and calls
  /// at the same time share one reading.
  func shortcoming(
    of wanted: ServerVersion, within limit: Duration, while operation: String
  ) async throws(NATSError) -> String? {
    let begin = ContinuousClock.now
    while true {
      if let last = current(for: wanted) { return last.shortcoming(of: wanted) }
      let rest = limit - begin.duration(to: .now)
      try await waitForCall(within: max(.zero, rest), while: operation) { (wait: CallWait<Void>) in join(wait) }
    }
  }

  /// The last reading, if it is still valid.
  private func current(for wanted: ServerVersion) -> Reading? {
    let eventCounts = eventCounts
    lock.lock()
    let last = last
    lock.unlock()
    guard let last, last.eventCounts == eventCounts else { return nil }
    let isLasting = last.servers.allSatisfy(\.isNew) && last.shortcoming(of: wanted) == nil
    return isLasting || last.end.duration(to: .now) < Self.shortTime ? last : nil
  }

  /// Waits for the reading that is running, or begins one.
  private func join(_ wait: CallWait<Void>) {
    lock.lock()
    waiting.append(wait)
    let begins = !isReading
    isReading = true
    lock.unlock()
    if begins { Task { [self] in await read() } }
  }

  private func read() async {
    let eventCounts = eventCounts
    let servers = await waitForResult { report in queue.start { report(self.servers()) } }
    lock.lock()
    last = Reading(eventCounts: eventCounts, servers: servers)
    isReading = false
    let waits = waiting
    waiting = []
    lock.unlock()
    for wait in waits { wait.end(.success(.success(()))) }
  }

  /// What each server says, or has said before. Blocks.
  private func servers() -> [Reading.Server] {
    let addresses = Self.addresses(of: handle.pointer)
    let read = ServerIntroduction.read(from: addresses, within: timeout).map { line in
      line.flatMap { ServerVersion(introduction: $0, requiresTLS: requiresTLS) }
    }
    lock.lock()
    defer { lock.unlock() }
    return zip(addresses, read).map { address, version in
      if let version { versions[address] = version }
      return Reading.Server(address: address, version: versions[address], isNew: version != nil)
    }
  }

  /// The addresses of the program, and those that servers have said, in the order in which the library tries them. It leaves
  /// out what is secret. Blocks.
  static func addresses(of connection: OpaquePointer) -> [String] {
    var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    var count: Int32 = 0
    guard natsConnection_GetServers(connection, &list, &count) == NATS_OK, let list else { return [] }
    defer {
      for index in 0..<Int(count) { free(list[index]) }
      free(list)
    }
    return (0..<Int(count)).compactMap { list[$0].map { String(cString: $0) } }
  }
}

extension NATSConnection {
  /// Throws where a server may let two changes succeed that expect the same revision, of which the second replaces the first.
  ///
  /// Servers that hold a value together compare a revision with the last one that is stored, before the change is. Those
  /// before version 2.10 do not compare it with changes that are on their way. Which servers there are behind a domain or a
  /// prefix is not known.
  ///
  /// - Parameters:
  ///   - replicas: How many servers hold each value.
  ///   - kind: What they hold: a bucket or a stream.
  ///   - limit: How long to wait at most; the connection's time limit if it is `nil`.
  func checkExpectations(
    replicas: Int, of kind: String, within limit: Duration? = nil, while operation: String
  ) async throws(NATSError) {
    if replicas <= 1 || allowsUnsafeUpdates { return }
    let first = ServerVersion(2, 10, 0)
    let shortcoming =
      jetStreamPrefix == JetStreamContext.defaultPrefix
      ? try await versions.shortcoming(of: first, within: limit ?? requestTimeout, while: operation)
      : "those of another domain or prefix do not say theirs"
    guard let shortcoming else { return }
    throw NATSError(
      kind: .unsupported, operation: operation,
      message: """
        servers before version \(first) may lose changes of a \(kind) with \(replicas) replicas, and \(shortcoming); \
        NATSOptions.allowsUnsafeUpdates permits it
        """)
  }
}
