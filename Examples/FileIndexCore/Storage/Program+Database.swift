import AsyncOperators
import Foundation
import Interflow
import InterflowSQLite

/// The program with a database.
extension Program {
  func run(_ options: Options, database file: String) async throws -> ExitCode {
    guard let folder = options.folder.resolved else { throw FolderProblem(folder: options.folder, error: .last) }
    switch options.command {
    case .index:
      return try conclude(try await index(options, folder, file), options)
    case .watch:
      return try await withStore(file, createsFile: false) { store in try await watch(options, folder, store) }
    }
  }

  private func withStore<Success>(
    _ file: String, createsFile: Bool, _ body: (IndexStore) async throws -> Success
  ) async throws -> Success {
    let hook = recorder.isOn ? recorder.hook("database") : nil
    // In a task of its own, as everything that has to be done although the program is interrupted.
    let store = try await Task { try await IndexStore(file: file, createsFile: createsFile, trace: hook) }.value
    do {
      let success = try await store.explaining { try await body(store) }
      await store.close()
      return success
    } catch {
      await store.close()
      throw error
    }
  }

  // MARK: Indexing

  /// Indexes the folder into the database, and takes the report from there.
  private func index(_ options: Options, _ folder: EntryPath, _ file: String) async throws -> IndexReport {
    let start = ContinuousClock.now
    let tally = WalkTally()
    let walk = try FolderWalk(
      root: options.folder, includesToolFolders: options.includesToolFolders, ownFiles: ownFiles(file, in: folder),
      tally: tally)
    return try await withStore(file, createsFile: true) { store in
      let run = try await Task { try await store.beginRun(over: folder) }.value
      let pipeline = IndexPipeline(walk: walk, jobs: options.jobs, known: run.known, recorder: recorder)
      try? errors.write(makeProgress().begin(folder: options.folder, jobs: options.jobs))
      let progress = Task { await show(run) }
      let storing = Task { try await keep(pipeline, in: run, tally, since: start) }
      let stored = await withTaskCancellationHandler {
        await storing.result
      } onCancel: {
        pipeline.outcomes.send(completion: .finished)
      }
      progress.cancel()
      await progress.value
      try stored.get()
      let ending = Task.isCancelled ? IndexReport.Ending.interrupted : .complete
      let report = try await Task {
        try await run.end(ending, walked: tally.walked, elapsed: .now - start)
        return try await self.report(options, folder, store)
      }.value
      try? errors.write(makeProgress().end(Progress.Counts(report)))
      return report
    }
  }

  /// Stores what the pipeline delivers. While a transaction is written, the pipeline waits.
  private func keep(
    _ pipeline: IndexPipeline, in run: StoredRun, _ tally: WalkTally, since start: ContinuousClock.Instant
  ) async throws {
    let work = pipeline.start()
    defer { work.cancel() }
    let pause = AsyncTimerSequence(interval: .milliseconds(100), clock: .continuous)
    for await outcomes in pipeline.results.chunks(ofCount: StoredRun.batchSize, or: pause) {
      try await run.store(outcomes, walked: tally.walked, elapsed: .now - start)
    }
  }

  /// Shows the numbers of the run whenever a transaction has changed them.
  private func show(_ run: StoredRun) async {
    var progress = makeProgress()
    do {
      for try await counts in run.counts.values {
        if let counts, let text = progress.update(counts, at: .now) { try? errors.write(text) }
      }
    } catch {
      // What stores the results runs into the same error.
    }
  }

  private func report(_ options: Options, _ folder: EntryPath, _ store: IndexStore) async throws -> IndexReport {
    let query = store.report(of: folder, name: options.folder)
    for try await report in store.database.observe(query).values {
      if let report { return report }
    }
    throw StoreProblem(file: options.database ?? "", reason: "what was stored is gone")
  }

  /// The files of the database that are in the folder, relative to it.
  private func ownFiles(_ file: String, in folder: EntryPath) -> Set<EntryPath> {
    let url = URL(fileURLWithPath: file)
    // The file itself need not be there yet.
    guard
      let place = EntryPath(url.deletingLastPathComponent().path).resolved,
      let path = (EntryPath(file).resolved ?? place.appending(EntryPath(url.lastPathComponent))).relative(to: folder)
    else { return [] }
    return Set(["", "-wal", "-shm", "-journal"].map { EntryPath(bytes: path.bytes + Array($0.utf8)) })
  }

  // MARK: Watching

  /// Writes the report again whenever a run stores something, until the task is cancelled or the reader is gone.
  private func watch(_ options: Options, _ folder: EntryPath, _ store: IndexStore) async throws -> ExitCode {
    let query = store.report(of: folder, name: options.folder)
    let reports = store.database.observe(includingOtherProcesses: true, query).removeDuplicates()
    for try await report in reports.values {
      guard let report else {
        errors.say("file-index: nothing is stored yet about '\(options.folder)'")
        continue
      }
      do {
        try output.write(try text(report, options) + (options.writesJSON ? "" : "\n"))
      } catch let error as SystemError {
        if error.number == EPIPE { return .success }
        errors.say("file-index: cannot write the report: \(error)")
        return .failure
      }
    }
    return .success
  }
}
