import Foundation
import Synchronization

/// A NATS server on this machine, which all scenarios share, with a store that is removed at the end.
final class BenchmarkServer: Sendable {
  /// The server whose program `NATS_SERVER` names, or the one that is installed; `nil` where there is none.
  static let shared = program.map(BenchmarkServer.init)

  static var program: String? {
    [ProcessInfo.processInfo.environment["NATS_SERVER"], "/usr/sbin/nats-server", "/usr/local/bin/nats-server"]
      .compactMap { $0 }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  let url: String

  private struct Ports: Decodable { var nats: [String] }

  private init(_ program: String) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("nats-\(UUID().uuidString)")
    let ports = folder.appendingPathComponent("ports")
    try! FileManager.default.createDirectory(at: ports, withIntermediateDirectories: true)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [
      "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", ports.path, "-js", "-sd", folder.path,
      "-l", folder.appendingPathComponent("log").path,
    ]
    try! process.run()
    Self.running.withLock { $0 = (process.processIdentifier, folder.path) }
    // A server that were left behind would go on for ever.
    atexit {
      BenchmarkServer.running.withLock {
        guard let (identifier, folder) = $0 else { return }
        kill(identifier, SIGKILL)
        try? FileManager.default.removeItem(atPath: folder)
      }
    }
    url = Self.address(in: ports, of: process)
  }

  private static let running = Mutex<(Int32, String)?>(nil)

  private static func address(in folder: URL, of process: Process) -> String {
    while process.isRunning {
      for file in (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? [] {
        if let ports = try? JSONDecoder().decode(Ports.self, from: Data(contentsOf: file)),
          let address = ports.nats.first
        {
          return address
        }
      }
      usleep(1_000)
    }
    fatalError("nats-server has ended")
  }
}
