import Dispatch
import Foundation
import Glibc
import InterflowPrimitives

/// Carries the bytes of connections to a port of this machine, until a test cuts them.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class TCPProxy: @unchecked Sendable {
  let port: UInt16
  var url: String { "nats://127.0.0.1:\(port)" }

  private let listener: Int32
  private let target: UInt16
  /// How long bytes are on their way, in each direction, in microseconds.
  private let delay: UInt32
  /// After how many bytes of a client the proxy ends.
  private let limit: Int?
  private let lock = Lock()
  private var pairs: [(Int32, Int32)] = []
  private var accepts = true
  private var count = 0
  /// The connections up to this number carry nothing any more, and are not closed.
  private var lastSilent = 0

  init(to target: UInt16, delay: UInt32 = 0, endsAfter limit: Int? = nil) throws {
    self.target = target
    self.delay = delay
    self.limit = limit
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = Self.address(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard bound else { throw POSIXError(.EADDRINUSE) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in acceptAll() }
  }

  /// Ends the proxy with all its connections.
  func close() {
    cut(accepting: false)
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// Cuts all connections, and refuses new ones until ``restore()``.
  func cut() { cut(accepting: false) }

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

  private func cut(accepting: Bool) {
    lock.lock()
    accepts = accepting
    let cut = pairs
    pairs = []
    lock.unlock()
    for (one, other) in cut {
      shutdown(one, Int32(SHUT_RDWR))
      shutdown(other, Int32(SHUT_RDWR))
    }
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    return address
  }

  private func acceptAll() {
    while true {
      let client = accept(listener, nil, nil)
      if client < 0 { break }
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = Self.address(target)
      let isConnected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      // Small messages would wait for each other's acknowledgements.
      for end in [client, server] {
        var one: Int32 = 1
        setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
      }
      lock.lock()
      let isAccepted = accepts && isConnected
      if isAccepted {
        pairs.append((client, server))
        count += 1
      }
      let number = count
      lock.unlock()
      if isAccepted {
        // Each direction ends when the other end does; the descriptors are closed by the second.
        let directions = DispatchGroup()
        carry(from: client, to: server, number, directions, limit: limit)
        carry(from: server, to: client, number, directions)
        directions.notify(queue: .global()) { [self] in
          lock.lock()
          pairs.removeAll { $0.0 == client }
          lock.unlock()
          Glibc.close(client)
          Glibc.close(server)
        }
      } else {
        Glibc.close(client)
        Glibc.close(server)
      }
    }
    Glibc.close(listener)
  }

  private func isSilent(_ number: Int) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return number <= lastSilent
  }

  private func carry(
    from source: Int32, to destination: Int32, _ number: Int, _ directions: DispatchGroup, limit: Int? = nil
  ) {
    directions.enter()
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var total = 0
      carrying: while true {
        let count = recv(source, &buffer, buffer.count, 0)
        if count <= 0 { break }
        total += count
        if let limit, total > limit { close() }
        if isSilent(number) { continue }
        if delay > 0 { usleep(delay) }
        var sent = 0
        while sent < count {
          let written = buffer[sent..<count].withUnsafeBytes {
            send(destination, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          if written <= 0 { break carrying }
          sent += written
        }
      }
      shutdown(source, Int32(SHUT_RDWR))
      shutdown(destination, Int32(SHUT_RDWR))
      directions.leave()
    }
  }
}
