import CNATS
import Foundation
import InterflowPrimitives

/// The versions of the servers that a connection knows, each read from the server itself.
///
/// A server that does not answer has the version that it had when it last did. It is asked again after an interruption, and
/// when the connection has learnt of another server.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class ServerVersions: @unchecked Sendable {
  /// What versions are read for.
  private struct Occasion: Equatable {
    let interruptions: Int
    let discoveries: Int
  }

  private let handle: ConnectionHandle
  private let events: ConnectionEvents
  private let requiresTLS: Bool
  private let timeout: Duration
  private let lock = Lock()
  private var versions: [String: ServerVersion] = [:]
  /// When all servers last had the version that was wanted.
  private var sufficient: (version: ServerVersion, occasion: Occasion)?

  /// - Parameter timeout: How long to wait for a server.
  init(_ handle: ConnectionHandle, _ events: ConnectionEvents, requiresTLS: Bool, timeout: Duration) {
    (self.handle, self.events, self.requiresTLS, self.timeout) = (handle, events, requiresTLS, timeout)
  }

  private var occasion: Occasion {
    Occasion(interruptions: events.interruptions, discoveries: events.discoveries)
  }

  /// Whether all servers are known to have a version or a later one, since nothing has changed. Does not block.
  func areKnown(toHave version: ServerVersion) -> Bool {
    let occasion = occasion
    lock.lock()
    defer { lock.unlock() }
    return sufficient.map { $0.version >= version && $0.occasion == occasion } ?? false
  }

  /// Why not all servers have a version or a later one; `nil` where they have. Blocks.
  func reason(againstHaving version: ServerVersion) -> String? {
    let occasion = occasion
    let servers = servers
    guard !servers.isEmpty else { return "no server is known" }
    for server in servers {
      guard let known = self.version(of: server) else { return "the server \(server) has not said its version" }
      if known < version { return "the server \(server) has version \(known)" }
    }
    lock.lock()
    sufficient = (version, occasion)
    lock.unlock()
    return nil
  }

  /// The version of a server, from itself or from before. Blocks.
  private func version(of server: String) -> ServerVersion? {
    let read = ServerIntroduction.read(from: server, within: timeout)
      .flatMap { ServerVersion(introduction: $0, requiresTLS: requiresTLS) }
    lock.lock()
    defer { lock.unlock() }
    if let read { versions[server] = read }
    return versions[server]
  }

  /// The addresses of the program, and those that servers have said. The library leaves out what is secret.
  private var servers: [String] {
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
