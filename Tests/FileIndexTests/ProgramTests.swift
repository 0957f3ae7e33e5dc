import Foundation
import Testing

@testable import FileIndexCore

@Suite("Program")
struct ProgramTests {
  @Test("Indexes a folder and exits with success, also where files fail")
  func indexes() async throws {
    let folder = try TemporaryFolder()
    try folder.addFile("one.txt", "1\n")
    try folder.addLink("broken", to: "nowhere")
    let run = try await ProgramRun([folder.url.path, "--jobs", "1"])
    #expect(run.code == .success)
    #expect(run.output.contains("Check: 2 walked, 1 indexed + 1 failed: equal"))
    #expect(run.output.contains("broken: broken link to nowhere"))
    #expect(run.errors.hasPrefix("Indexing \(folder.url.path), up to 1 files at a time\n"))
  }

  @Test("A trace has every file that was walked")
  func trace() async throws {
    let folder = try TemporaryFolder()
    for number in 0..<20 { try folder.addFile("\(number).txt", "") }
    let page = try TemporaryFolder()
    let run = try await ProgramRun([folder.url.path, "--trace", page.location("trace.html")])
    #expect(run.code == .success)
    let text = try String(contentsOfFile: page.location("trace.html"), encoding: .utf8)
    for number in 0..<20 { #expect(text.components(separatedBy: "\"\(number).txt\"").count == 3) }
  }

  @Test("A trace that cannot be written is named, after the report")
  func traceThatCannotBeWritten() async throws {
    let folder = try TemporaryFolder()
    let run = try await ProgramRun([folder.url.path, "--trace", folder.location("no/such/trace.html")])
    #expect(run.code == .failure)
    #expect(run.output.hasPrefix("Nothing to index in "))
    #expect(run.errors.contains("cannot write the trace: "))
  }

  @Test("An empty folder is no error")
  func empty() async throws {
    let folder = try TemporaryFolder()
    let run = try await ProgramRun([folder.url.path])
    #expect(run.code == .success)
    #expect(run.output.hasPrefix("Nothing to index in "))
  }

  @Test("JSON is all that goes to standard output")
  func json() async throws {
    let folder = try TemporaryFolder()
    for number in 0..<100 { try folder.addFile("\(number).txt", String(repeating: "line\n", count: number)) }
    let run = try await ProgramRun([folder.url.path, "--json", "--jobs", "8"])
    #expect(run.code == .success)
    let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
    #expect(report == Report(walked: 100, indexed: 100, failed: 0, bytes: 24_750, lines: 4_950, check: true))
  }

  @Test("Help goes to standard output")
  func help() async throws {
    let run = try await ProgramRun(["--help"])
    #expect(run.code == .success)
    #expect(run.output == Options.help + "\n")
    #expect(run.errors.isEmpty)
  }

  @Test("A wrong command line is explained on standard error")
  func usage() async throws {
    let run = try await ProgramRun(["--bogus"])
    #expect(run.code == .usage)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("file-index: unknown option '--bogus'"))
  }

  @Test("A folder that is not one is explained on standard error")
  func folder() async throws {
    let folder = try TemporaryFolder()
    try folder.addFile("file")
    let missing = try await ProgramRun([folder.location("missing")])
    #expect(missing.code == .folder)
    #expect(missing.errors == "file-index: there is no folder '\(folder.location("missing"))'\n")
    let file = try await ProgramRun([folder.location("file")])
    #expect(file.code == .folder)
    #expect(file.errors == "file-index: '\(folder.location("file"))' is not a folder\n")
  }

  #if !INTERFLOW_SQLITE
    @Test("Without SQLite, a database is a wrong command line")
    func database() async throws {
      let run = try await ProgramRun(["--database", "file", "."])
      #expect(run.code == .usage)
      #expect(run.errors.hasPrefix("file-index: --database needs SQLite, without which this program was built"))
    }
  #endif

  @Test("A report that cannot be written is a failure")
  func unwritable() async throws {
    let errors = try OutputFile()
    let program = Program(output: TextOutput(descriptor: -1), errors: errors.output)
    #expect(await program.run(["--help"]) == .failure)
    #expect(try errors.text == "file-index: cannot write the report: \(SystemError(number: EBADF))\n")
  }

  @Test("A cancelled run reports what it has")
  func cancelled() async throws {
    let folder = try TemporaryFolder()
    try folder.addSparseFile("endless", size: 1 << 40)
    let output = try OutputFile()
    let errors = try OutputFile()
    let program = Program(output: output.output, errors: errors.output)
    let task = Task { await program.run([folder.url.path]) }
    task.cancel()
    #expect(await task.value == .interrupted)
    #expect(try output.text.hasPrefix("Part of \(folder.url.path): interrupted"))
    #expect(try errors.text.contains("file-index: interrupted; "))
  }

  /// What a reader of the JSON relies on.
  private struct Report: Decodable, Equatable {
    var walked, indexed, failed, bytes, lines: Int
    var check: Bool
  }
}
