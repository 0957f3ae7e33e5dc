import Combine
import FileIndexCore
import Foundation
import InterflowNATS
import InterflowTracing
import Synchronization

/// Walks the folder, hands out the files, and collects the results.
final class Coordinator: Sendable {
  private let options: ClusterOptions
  private let report: Mutex<IndexReport>
  private let tally: Mutex<WorkTally>
  private let recorder = TraceRecorder()

  init(_ options: ClusterOptions) {
    self.options = options
    report = Mutex(IndexReport(folder: EntryPath(options.folder)))
    tally = Mutex(WorkTally())
  }

  func run() async throws -> IndexReport {
    let start = ContinuousClock.now
    if options.trace != nil { recorder.start() }
    let walked = WalkTally()
    let root = EntryPath(options.folder)
    let walk = try FolderWalk(root: root, includesToolFolders: options.includesToolFolders, tally: walked)
    let total = await countFiles()
    let connection = try await NATSConnection(
      urls: options.urls, options: .cluster(name: "file-index coordinator", recorder))
    let work = try await options.work(over: connection)
    let beginnings = try options.beginnings(over: connection)
      .sink(receiveCompletion: { _ in }, receiveValue: { [self] job in tally.withLock { $0.begun(job) } })
    defer { beginnings.cancel() }
    let recordings = try WorkerRecordings(options)
    defer { recordings?.remove() }
    let workers = try (0..<options.workers).map {
      try WorkerProcess(options.workerArguments(recording: recordings?.files[$0]))
    }
    defer { end(workers) }
    say("Indexing \(root): \(total) files, \(options.workers) workers over \(options.urls.joined(separator: ", "))")

    var results = 0
    var command: Task<Void, Never>?
    let outcomes = walk.publisher
      .traced("walk", recorder: recorder) { $0.title }
      .compactMap { [self] entry in job(of: entry) }
      .setFailureType(to: (any Error).self)
      .distribute(over: work, maxJobs: max(16, 4 * options.workers * options.jobs))
    for try await result in outcomes.asyncValues.traced("results", recorder: recorder, render: { $0.name }) {
      report.withLock { $0.add(result.outcome) }
      tally.withLock { $0.received(from: result.worker, at: .now) }
      results += 1
      if results == (total + 1) / 2, let half = options.half {
        let counted = tally.withLock { $0 }
        let identifiers = workers.map(\.identifier).sorted { counted.count(of: $0) > counted.count(of: $1) }
        // Beside the results, whose longest pause is to be that of the servers.
        command = Task {
          let leader = await StreamLeader.name(ofStream: options.name, connection)
          await runCommand(half, workers: identifiers, leader: leader)
        }
      }
      if results % 500 == 0 { say("\(results) of \(total) files indexed") }
    }
    await command?.value
    await connection.close()
    let lives = workers.map { (identifier: $0.identifier, isAlive: $0.isRunning) }
    end(workers)
    try recordings?.write(with: recorder, identifiers: workers.map(\.identifier))
    for line in tally.withLock({ $0.lines(lives) }) { say(line) }
    return report.withLock {
      $0.walked = walked.walked
      $0.elapsed = start.duration(to: .now)
      return $0
    }
  }

  /// All at once, since each writes its recording first.
  private func end(_ workers: [WorkerProcess]) {
    for worker in workers { worker.close() }
    for worker in workers { worker.end() }
  }

  /// What can be said without reading is added to the report at once.
  private func job(of entry: WalkedEntry) -> FileJob? {
    switch entry {
    case .file(let path): return FileJob(path)
    case .unreadable(let failure): report.withLock { $0.add(.failed(failure)) }
    case .skipped(let skipped): report.withLock { $0.add(.skipped(skipped)) }
    }
    return nil
  }

  private func countFiles() async -> Int {
    guard
      let walk = try? FolderWalk(
        root: EntryPath(options.folder), includesToolFolders: options.includesToolFolders, tally: WalkTally())
    else { return 0 }
    var count = 0
    for await case .file in walk { count += 1 }
    return count
  }

  /// - Parameter workers: The worker that has done most first.
  private func runCommand(_ command: String, workers: [Int32], leader: String?) async {
    say("Half of the files are indexed: \(command)")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.environment = ProcessInfo.processInfo.environment
      .merging(["WORKERS": workers.map { "\($0)" }.joined(separator: " "), "LEADER": leader ?? ""]) { $1 }
    process.standardOutput = FileHandle.standardError
    await withCheckedContinuation { continuation in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume() }
    }
  }

  private func say(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
