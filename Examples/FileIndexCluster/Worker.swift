import FileIndexCore
import Foundation
import InterflowNATS

/// Reads the files that a coordinator hands out.
struct Worker: Sendable {
  let options: ClusterOptions

  func run() async throws {
    if case .worker(attached: true) = options.role { endWithStandardInput() }
    let connection = try await NATSConnection(urls: options.urls, options: .cluster(name: "file-index worker"))
    let work = try await options.work(over: connection)
    let reader = FileReader(root: EntryPath(options.folder))
    try await work.work(concurrency: options.jobs) { job in
      FileResult(job, await reader.outcome(of: job.entry))
    }
  }

  /// The coordinator has the other end: a worker does not outlive it, however it ends.
  private func endWithStandardInput() {
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 {}
      exit(ExitCode.success.rawValue)
    }
  }
}

extension ClusterOptions {
  /// The work that both sides share, as soon as the servers have it.
  func work(over connection: NATSConnection) async throws -> NATSWork<FileJob, FileResult> {
    var settings = NATSWorkSettings()
    settings.replicas = replicas
    settings.acknowledgementWait = .seconds(5)
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      do {
        return try await NATSWork(connection, name, settings: settings)
      } catch {
        // Servers that have just been started find each other first.
        guard [.timeout, .unavailable, .other].contains(error.kind), ContinuousClock.now < deadline else { throw error }
        try await Task.sleep(for: .milliseconds(250))
      }
    }
  }
}

extension NATSOptions {
  /// Tries the servers of the cluster again soon.
  static func cluster(name: String) -> NATSOptions {
    var options = NATSOptions()
    options.name = name
    options.reconnection = .always(pause: .milliseconds(100))
    return options
  }
}
