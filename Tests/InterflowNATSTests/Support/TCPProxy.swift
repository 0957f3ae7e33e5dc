import Dispatch
import Foundation
import InterflowPrimitives
import InterflowTestSupport

/// Carries the bytes of connections to a port of this machine, until a test cuts them.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class TCPProxy: @unchecked Sendable {
  let port: UInt16
  var url: String { "nats://127.0.0.1:\(port)" }

  private let listener: Socket
  private let target: UInt16
  /// How long bytes are on their way, in each direction, in microseconds.
  private let delay: UInt32
  /// After how many bytes of a client the proxy ends.
  private let limit: Int?
  private let lock = Lock()
  private var pairs: [(client: Socket, server: Socket)] = []
  private var accepts = true
  private var count = 0
  /// The connections up to this number carry nothing any more, and are not closed.
  private var lastSilent = 0

  init(to target: UInt16, delay: UInt32 = 0, endsAfter limit: Int? = nil) throws {
    self.target = target
    self.delay = delay
    self.limit = limit
    (listener, port) = try Socket.listening()
    Thread.detachNewThread { [self] in acceptAll() }
  }

  /// Ends the proxy with all its connections.
  func close() {
    // First, so that who is cut off cannot connect again.
    listener.end()
    cut()
  }

  /// Cuts all connections, and refuses new ones until ``restore()``.
  func cut() {
    lock.lock()
    accepts = false
    let cut = pairs
    pairs = []
    lock.unlock()
    for (client, server) in cut {
      client.end()
      server.end()
    }
  }

  /// How many connections have been accepted.
  var connectionCount: Int {
    lock.lock()
    defer { lock.unlock() }
    return count
  }

  /// Takes what the connections send, and passes none of it on. New ones are as usual.
  func silence() {
    lock.lock()
    lastSilent = count
    lock.unlock()
  }

  /// Accepts connections again.
  func restore() {
    lock.lock()
    accepts = true
    lock.unlock()
  }

  private func acceptAll() {
    while let client = listener.accept() {
      guard let server = try? Socket.connected(to: target), let number = carriesNext(client, server) else {
        client.end()
        continue
      }
      // Each direction ends when the other end does.
      let directions = DispatchGroup()
      carry(from: client, to: server, number, directions, limit: limit)
      carry(from: server, to: client, number, directions)
      directions.notify(queue: .global()) { [self] in
        lock.lock()
        pairs.removeAll { $0.client === client }
        lock.unlock()
      }
    }
  }

  /// - Returns: The connection's number; `nil` where none is accepted.
  private func carriesNext(_ client: Socket, _ server: Socket) -> Int? {
    lock.lock()
    defer { lock.unlock() }
    guard accepts else { return nil }
    pairs.append((client, server))
    count += 1
    return count
  }

  private func isSilent(_ number: Int) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return number <= lastSilent
  }

  private func carry(
    from source: Socket, to destination: Socket, _ number: Int, _ directions: DispatchGroup, limit: Int? = nil
  ) {
    directions.enter()
    Thread.detachNewThread { [self] in
      var total = 0
      while let data = source.receive() {
        total += data.count
        if let limit, total > limit { close() }
        if isSilent(number) { continue }
        if delay > 0 { usleep(delay) }
        if !destination.send(data) { break }
      }
      source.end()
      destination.end()
      directions.leave()
    }
  }
}
