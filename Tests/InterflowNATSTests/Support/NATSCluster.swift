import Foundation
@testable import InterflowNATS

/// Three servers that hold each value together.
final class NATSCluster {
  private(set) var servers: [NATSServer] = []
  var urls: [String] { servers.map(\.url) }

  init() throws {
    let routes = try Self.freePorts(3)
    for index in 0..<3 {
      let others = routes.map { "nats://127.0.0.1:\($0)" }.joined(separator: ", ")
      servers.append(
        try NATSServer(
          configuration: """
            server_name: server\(index)
            cluster { name: tests, listen: "127.0.0.1:\(routes[index])", routes: [\(others)] }
            """))
    }
  }

  /// The server that leads a stream; asked by its name in the stream's information.
  func server(named name: String) -> NATSServer? {
    name.last.flatMap(\.wholeNumberValue).map { servers[$0] }
  }

  /// Ports that nobody listens on: they are taken all at once, and given back.
  private static func freePorts(_ count: Int) throws -> [UInt16] {
    let proxies = try (0..<count).map { _ in try TCPProxy(to: 1) }
    defer { for proxy in proxies { proxy.close() } }
    return proxies.map(\.port)
  }
}
