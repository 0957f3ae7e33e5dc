import FileIndexCore
import Foundation
import InterflowNATS
import InterflowTracing

/// Reads the files that a coordinator hands out.
struct Worker: Sendable {
  let options: ClusterOptions

  func run() async throws {
    let recorder = TraceRecorder()
    let recording = options.recording.map { WorkerRecording(recorder, file: $0) }
    if case .worker(attached: true) = options.role { endWithStandardInput(recording) }
    let keeping = recording.map { recording in Task { await recording.keep() } }
    defer { keeping?.cancel() }
    let connection = try await NATSConnection(
      urls: options.urls, options: .cluster(name: "file-index worker", recorder))
    let work = try await options.work(over: connection)
    let reader = FileReader(root: EntryPath(options.folder))
    let hook = recorder.hook("jobs")
    let beginnings = try options.beginnings(over: connection)
    try await work.work(concurrency: options.jobs) { job in
      let start = ContinuousClock.now
      // Nothing depends on it, so that it may be lost.
      try? beginnings.send(job)
      let result = FileResult(job, await reader.outcome(of: job.entry))
      hook(
        TraceEvent(
          kind: .init(rawValue: "job"), source: "worker", message: job.name, start: start, duration: .now - start))
      return result
    }
  }

  /// The coordinator has the other end: a worker does not outlive it, however it ends.
  private func endWithStandardInput(_ recording: WorkerRecording?) {
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 {}
      recording?.end()
      exit(ExitCode.success.rawValue)
    }
  }
}

extension ClusterOptions {
  /// The subject to which workers send the jobs that they begin.
  func beginnings(over connection: NATSConnection) throws -> NATSSubject<FileJob> {
    try NATSSubject(connection, "\(name).begun")
  }

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
  static func cluster(name: String, _ recorder: TraceRecorder) -> NATSOptions {
    var options = NATSOptions()
    options.name = name
    options.reconnection = .always(pause: .milliseconds(100))
    options.trace = recorder.hook("messages")
    return options
  }
}
