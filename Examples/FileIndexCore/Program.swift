import Combine
import Foundation
import Interflow
import InterflowTracing

/// The program without the process: arguments and outputs are passed in, and the exit status is returned.
package struct Program: Sendable {
  let output: TextOutput
  let errors: TextOutput
  /// Is on where a trace is wanted.
  let recorder = TraceRecorder()

  /// A program that writes its report to `output`, and progress and errors to `errors`.
  package init(output: TextOutput, errors: TextOutput) {
    self.output = output
    self.errors = errors
  }

  /// Runs until the folder is indexed or the task is cancelled.
  package func run(_ arguments: some Sequence<String>) async -> ExitCode {
    do {
      let options = try Options(arguments)
      if options.showsHelp { return write(Options.help + "\n", then: .success) }
      if options.trace != nil { recorder.start() }
      let code = await run(options)
      return writeTrace(options) ? code : .failure
    } catch {
      errors.say("file-index: \(error)\nTry 'file-index --help'.")
      return .usage
    }
  }

  private func run(_ options: Options) async -> ExitCode {
    do {
      if let database = options.database {
        #if INTERFLOW_SQLITE
          return try await run(options, database: database)
        #else
          throw UsageError.withoutSQLite
        #endif
      }
      return try conclude(try await index(options), options)
    } catch let error as UsageError {
      errors.say("file-index: \(error)\nTry 'file-index --help'.")
      return .usage
    } catch let problem as FolderProblem {
      errors.say("file-index: \(problem)")
      return .folder
    } catch let problem as StoreProblem {
      errors.say("file-index: \(problem)")
      return .database
    } catch {
      errors.say("file-index: \(error)")
      return .failure
    }
  }

  /// Writes the page, whatever the run has come to.
  private func writeTrace(_ options: Options) -> Bool {
    guard let file = options.trace else { return true }
    recorder.stop()
    do {
      try Data(recorder.recording().html(title: "file-index \(options.folder)").utf8).write(
        to: URL(fileURLWithPath: file), options: .atomic)
      return true
    } catch {
      errors.say("file-index: cannot write the trace: \(error.localizedDescription)")
      return false
    }
  }

  private func index(_ options: Options) async throws(FolderProblem) -> IndexReport {
    let clock = ContinuousClock()
    let start = clock.now
    let tally = WalkTally()
    let walk = try FolderWalk(
      root: options.folder, includesToolFolders: options.includesToolFolders, tally: tally)
    let pipeline = IndexPipeline(walk: walk, jobs: options.jobs, recorder: recorder)
    var report = IndexReport(folder: options.folder)
    var progress = makeProgress()

    try? errors.write(progress.begin(folder: options.folder, jobs: options.jobs))
    let work = pipeline.start()
    for await outcome in pipeline.results {
      report.add(outcome)
      report.walked = tally.walked
      if let text = progress.update(Progress.Counts(report), at: clock.now) { try? errors.write(text) }
    }
    work.cancel()

    report.walked = tally.walked
    report.ending = Task.isCancelled ? .interrupted : .complete
    report.elapsed = clock.now - start
    try? errors.write(progress.end(Progress.Counts(report)))
    return report
  }

  func makeProgress() -> Progress {
    // Overwriting a line needs both to be terminals: if the report goes into a pipe or a file, the errors may, too.
    Progress(style: output.isTerminal && errors.isTerminal ? .terminal : .log)
  }

  func text(_ report: IndexReport, _ options: Options) throws -> String {
    options.writesJSON ? try ReportJSON(report).text() : ReportTable(report).text
  }

  func conclude(_ report: IndexReport, _ options: Options) throws -> ExitCode {
    let text = try text(report, options)
    switch report.ending {
    case .interrupted, .unfinished:
      errors.say("file-index: interrupted; the report covers what was read until then")
      return write(text, then: .interrupted)
    case .complete where report.isConsistent:
      return write(text, then: .success)
    case .complete:
      errors.say("file-index: the check failed: a file that was walked is neither indexed nor failed")
      return write(text, then: .failure)
    }
  }

  /// Writes to the output. It is no failure if the reader has closed the pipe.
  private func write(_ text: String, then code: ExitCode) -> ExitCode {
    do {
      try output.write(text)
      return code
    } catch {
      if error.number == EPIPE { return code }
      errors.say("file-index: cannot write the report: \(error)")
      return .failure
    }
  }
}
