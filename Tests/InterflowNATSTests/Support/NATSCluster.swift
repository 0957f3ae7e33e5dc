import Foundation
@testable import InterflowNATS

/// Three servers that hold each value together.
final class NATSCluster {
  private(set) var servers: [NATSServer] = []
  var urls: [String] { servers.map(\.url) }
  private let routes: [ReservedPort]

  /// - Parameter program: The servers' file; that of ``NATSServer/findProgram()`` if it is `nil`.
  init(program: String? = nil) throws {
    routes = try (0..<3).map { _ in try ReservedPort() }
    for index in 0..<3 {
      let others = routes.map { "nats://127.0.0.1:\($0.number)" }.joined(separator: ", ")
      servers.append(
        try NATSServer(
          program: program,
          configuration: """
            server_name: server\(index)
            cluster { name: tests, listen: "127.0.0.1:\(routes[index].number)", routes: [\(others)] }
            """))
    }
  }

  /// The server of a name, which a stream's information has for its leader.
  func server(named name: String) -> NATSServer? {
    name.last.flatMap(\.wholeNumberValue).map { servers[$0] }
  }
}
