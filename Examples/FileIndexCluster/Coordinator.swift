import Combine
import FileIndexCore
import Foundation
import InterflowNATS
import Synchronization

/// Walks the folder, hands out the files, and collects the results.
final class Coordinator: Sendable {
  private let options: ClusterOptions
  private let report: Mutex<IndexReport>
  private let readBy = Mutex<[Int32: Int]>([:])

  init(_ options: ClusterOptions) {
    self.options = options
    report = Mutex(IndexReport(folder: EntryPath(options.folder)))
  }

  func run() async throws -> IndexReport {
    let start = ContinuousClock.now
    let tally = WalkTally()
    let root = EntryPath(options.folder)
    let walk = try FolderWalk(root: root, includesToolFolders: options.includesToolFolders, tally: tally)
    let total = await countFiles()
    let connection = try await NATSConnection(urls: options.urls, options: .cluster(name: "file-index coordinator"))
    let work = try await options.work(over: connection)
    let workers = try (0..<options.workers).map { _ in try WorkerProcess(options.workerArguments) }
    defer { for worker in workers { worker.end() } }
    say("Indexing \(root): \(total) files, \(options.workers) workers over \(options.urls.joined(separator: ", "))")

    var results = 0
    let outcomes = walk.publisher
      .compactMap { [self] entry in job(of: entry) }
      .setFailureType(to: (any Error).self)
      .distribute(over: work, maxJobs: max(16, 4 * options.workers * options.jobs))
    for try await result in outcomes.asyncValues {
      report.withLock { $0.add(result.outcome) }
      readBy.withLock { $0[result.worker, default: 0] += 1 }
      results += 1
      if results == (total + 1) / 2, let half = options.half { await runCommand(half, workers) }
      if results % 500 == 0 { say("\(results) of \(total) files indexed") }
    }
    await connection.close()
    for (worker, count) in readBy.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      say("worker \(worker) has read \(count) files")
    }
    return report.withLock {
      $0.walked = tally.walked
      $0.elapsed = start.duration(to: .now)
      return $0
    }
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

  private func runCommand(_ command: String, _ workers: [WorkerProcess]) async {
    say("Half of the files are indexed: \(command)")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    let counts = readBy.withLock { $0 }
    let identifiers = workers.map(\.identifier).sorted { counts[$0, default: 0] > counts[$1, default: 0] }
    process.environment = ProcessInfo.processInfo.environment
      .merging(["WORKERS": identifiers.map { "\($0)" }.joined(separator: " ")]) { $1 }
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
