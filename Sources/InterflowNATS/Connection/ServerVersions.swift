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
  /// Servers that do not answer keep no other call waiting, nor most of the other servers.
  private let queue = ConnectionQueue(maxThreadCount: 5)
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
    let addresses = await onThread { $0.addresses }
    let servers = await withTaskGroup(of: (Int, Reading.Server).self) { group in
      for (index, address) in addresses.enumerated() {
        group.addTask { (index, await self.onThread { $0.server(address) }) }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
    lock.lock()
    last = Reading(eventCounts: eventCounts, servers: servers)
    isReading = false
    let waits = waiting
    waiting = []
    lock.unlock()
    for wait in waits { wait.end(.success(.success(()))) }
  }

  private func onThread<Value: Sendable>(_ body: @escaping @Sendable (ServerVersions) -> Value) async -> Value {
    await waitForResult { report in queue.start { report(body(self)) } }
  }

  /// What a server says, or has said before. Blocks.
  private func server(_ address: String) -> Reading.Server {
    let read = ServerIntroduction.read(from: address, within: timeout)
      .flatMap { ServerVersion(introduction: $0, requiresTLS: requiresTLS) }
    lock.lock()
    defer { lock.unlock() }
    if let read { versions[address] = read }
    return Reading.Server(address: address, version: versions[address], isNew: read != nil)
  }

  /// The addresses of the program, and those that servers have said. The library leaves out what is secret. Blocks.
  private var addresses: [String] {
    var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    var count: Int32 = 0
    guard natsConnection_GetServers(handle.pointer, &list, &count) == NATS_OK, let list else { return [] }
    defer {
      for index in 0..<Int(count) { free(list[index]) }
      free(list)
    }
    return (0..<Int(count)).compactMap { list[$0].map { String(cString: $0) } }
  }
}
