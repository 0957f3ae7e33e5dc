import Foundation
import Glibc

/// A port of this machine for a server of a test, which remains its own while the server is down.
///
/// It is below those that the system chooses for other sockets, and other tests see that it is taken: of two ports next to
/// each other, the first is the server's, and the second is bound for as long as this object exists.
final class ReservedPort {
  struct NoneFree: Error, CustomStringConvertible {
    var description: String { "no port for a server between \(ReservedPort.range) is free" }
  }

  private static let range = 10_000..<30_000

  let number: UInt16
  private let reservation: Int32

  init() throws {
    let first = Self.range.lowerBound / 2 + Int.random(in: 0..<Self.range.count / 2)
    for attempt in 0..<Self.range.count / 2 {
      let pair = first + attempt
      let port = UInt16(2 * (pair < Self.range.upperBound / 2 ? pair : pair - Self.range.count / 2))
      guard let reservation = Self.bound(to: port + 1) else { continue }
      if let own = Self.bound(to: port) {
        close(own)
        (number, self.reservation) = (port, reservation)
        return
      }
      close(reservation)
    }
    throw NoneFree()
  }

  deinit {
    close(reservation)
  }

  /// A socket that nothing else can be bound to; `nil` where something is.
  private static func bound(to port: UInt16) -> Int32? {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if isBound { return file }
    close(file)
    return nil
  }
}
