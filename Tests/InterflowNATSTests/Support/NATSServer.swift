import Foundation
import InterflowTestSupport

/// A server of a test's own, on a port of this machine, with a store that is removed with it.
final class NATSServer {
  enum Failure: Error, CustomStringConvertible {
    case missing
    case doesNotAnswer(String)

    var description: String {
      switch self {
      case .missing:
        "nats-server was not found: tools/need-nats-server unpacks Debian's, and NATS_SERVER names any other"
      case .doesNotAnswer(let what): "nats-server: \(what)"
      }
    }
  }

  var port: UInt16 { reserved.number }
  var url: String { "nats://127.0.0.1:\(port)" }

  private var process: ChildProcess?
  private let reserved: ReservedPort
  private let program: String
  private let jetStream: Bool
  private let folder: URL
  private var ports: URL { folder.appendingPathComponent("ports") }

  /// - Parameters:
  ///   - program: The server's file; that of ``findProgram()`` if it is `nil`.
  ///   - configuration: Lines of a configuration file.
  init(program: String? = nil, jetStream: Bool = true, configuration: String = "") throws {
    self.program = try program ?? Self.findProgram()
    reserved = try ReservedPort()
    self.jetStream = jetStream
    let files = FileManager.default
    folder = files.temporaryDirectory.appendingPathComponent("nats-\(UUID().uuidString)")
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    try configure(configuration)
    try run()
  }

  deinit {
    process = nil
    try? FileManager.default.removeItem(at: folder)
  }

  /// A server of a current version, if `tools/need-nats-server` could get one.
  static let currentProgram: String? = {
    let path = ".build/tools/current/nats-server"
    if FileManager.default.isExecutableFile(atPath: path) { return path }
    print("Tests with a current NATS server are left out: there is none at \(path)")
    return nil
  }()

  /// The servers with which a test runs that both versions have to pass: the old one, and the current one where there is one.
  static var programs: [String?] { [nil] + (currentProgram.map { [$0] } ?? []) }

  static func findProgram() throws -> String {
    let environment = ProcessInfo.processInfo.environment
    let files = FileManager.default
    let folders = [".build/tools/usr/sbin"] + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    let candidates =
      [environment["NATS_SERVER"]].compactMap { $0 } + folders.map { "\($0)/nats-server" } + ["/usr/sbin/nats-server"]
    guard let program = candidates.first(where: files.isExecutableFile(atPath:)) else { throw Failure.missing }
    return program
  }

  /// Ends the server at once.
  func kill() {
    process?.kill()
    process?.wait()
  }

  /// Ends the server when it has stored what it knows, how far consumers are among it.
  func shutDown() {
    process?.kill(SIGTERM)
    process?.wait()
  }

  /// Changes what a server that is started again finds in its configuration file.
  func configure(_ configuration: String) throws {
    try configuration.write(to: folder.appendingPathComponent("server.conf"), atomically: true, encoding: .utf8)
  }

  /// How often the server has refused a log-in.
  var refusals: Int {
    let log = (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? ""
    return log.ranges(of: "authentication error").count
  }

  /// Starts a server that was killed again, with its store, on its port.
  func restart() throws { try run() }

  /// Removes what a server that has ended has stored of a stream, but not how far consumers are: version 2.9 may come to
  /// that by itself.
  func forgetMessages(of stream: String) throws {
    let files = FileManager.default
    let store = folder.appendingPathComponent("store")
    let paths = try files.subpathsOfDirectory(atPath: store.path).filter { $0.hasSuffix("/\(stream)/msgs") }
    for path in paths { try files.removeItem(at: store.appendingPathComponent(path)) }
  }

  /// Stops the server's process where it is, or lets it go on. It has stopped when this returns.
  func pause(_ pauses: Bool) {
    process?.kill(pauses ? SIGSTOP : SIGCONT)
    if pauses { while process?.isRunning == true, !isPaused { usleep(1_000) } }
  }

  /// Whether all threads of the process are stopped, which takes a moment after the signal.
  private var isPaused: Bool {
    let tasks = "/proc/\(process?.identifier ?? 0)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return threads.allSatisfy { thread in
      guard let file = FileHandle(forReadingAtPath: "\(tasks)/\(thread)/stat"), let data = try? file.readToEnd() else {
        return true
      }
      // The state follows the name, which is in parentheses.
      return String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ").first == "T"
    }
  }

  private func run() throws {
    try? FileManager.default.removeItem(at: ports)
    try FileManager.default.createDirectory(at: ports, withIntermediateDirectories: true)
    // The server writes down its port when it listens.
    var arguments = [
      "-a", "127.0.0.1", "-p", "\(port)", "-c", folder.appendingPathComponent("server.conf").path,
      "--ports_file_dir", ports.path, "-l", folder.appendingPathComponent("log").path,
    ]
    if jetStream { arguments += ["-js", "-sd", folder.appendingPathComponent("store").path] }
    let process = try ChildProcess(program, arguments)
    self.process = process
    try waitForPort(of: process)
  }

  private struct Ports: Decodable { var nats: [String] }

  /// Watches the folder instead of waiting for a time.
  private func waitForPort(of process: ChildProcess) throws {
    let deadline = ContinuousClock.now + .seconds(600)
    while ContinuousClock.now < deadline, process.isRunning {
      for name in try FileManager.default.contentsOfDirectory(atPath: ports.path) {
        if let data = try? Data(contentsOf: ports.appendingPathComponent(name)),
          let ports = try? JSONDecoder().decode(Ports.self, from: data),
          ports.nats.first.flatMap({ URL(string: $0)?.port }) == Int(port)
        {
          return
        }
      }
      usleep(2_000)
    }
    let log = (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? ""
    throw Failure.doesNotAnswer(process.isRunning ? "it has written no port" : "it has ended: \(log.suffix(400))")
  }
}
