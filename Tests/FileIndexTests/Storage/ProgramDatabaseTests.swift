import Foundation
import Testing

@testable import FileIndexCore

@Suite("Program with a database")
struct ProgramDatabaseTests {
  private let folder: TemporaryFolder
  private let place: TemporaryFolder
  private var database: String { place.location("database") }

  init() throws {
    folder = try TemporaryFolder()
    place = try TemporaryFolder()
    for number in 0..<600 { try folder.addFile("\(number).x\(number % 20)", "\(number)\n", age: 1) }
    try folder.addLink("broken", to: "nowhere")
    try folder.addFolder(".git")
  }

  private func run(_ arguments: String...) async throws -> ProgramRun {
    try await ProgramRun(arguments + ["--database", database, folder.url.path])
  }

  /// The report without what depends on the time and on the run before.
  private func tables(_ run: ProgramRun) -> String {
    run.output.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("Database: ") && !$0.contains(" files a second") }.joined(separator: "\n")
  }

  @Test("The tables are those of a run without a database, in the first run and in the second")
  func sameTables() async throws {
    let without = try await ProgramRun([folder.url.path])
    let first = try await run()
    let second = try await run()
    #expect(tables(first) == tables(without))
    #expect(tables(second) == tables(without))
    #expect([first.code, second.code] == [.success, .success])
    #expect(first.output.contains("\nDatabase: 600 files read, 0 skipped because they have not changed, 0 removed"))
    #expect(second.output.contains("\nDatabase: 0 files read, 600 skipped because they have not changed, 0 removed"))
    #expect(second.errors.hasSuffix("601 files walked, 600 indexed, 1 failed\n"))
  }

  @Test("Only what has changed is read again, and what is gone is removed")
  func changes() async throws {
    _ = try await run()
    try folder.addFile("0.x0", "9\n", age: 2)
    try folder.addFile("new", "new\n", age: 1)
    try folder.remove("1.x1")
    try folder.remove("broken")
    try folder.addFile("broken", "whole\n", age: 1)
    let second = try await run()
    #expect(second.output.contains("\nDatabase: 3 files read, 598 skipped because they have not changed, 1 removed"))
    #expect(tables(second) == tables(try await ProgramRun([folder.url.path])))
    let json = try await run("--json")
    #expect(json.output.contains(#""unchanged" : 601"#) && json.output.contains(#""removed" : 0"#))
  }

  @Test("The database itself is not indexed where it is in the folder", arguments: [false, true])
  func inside(isRelative: Bool) async throws {
    let file = folder.location(isRelative ? "../\(folder.url.lastPathComponent)/own" : "own")
    let first = try await ProgramRun(["--database", file, folder.url.path])
    let second = try await ProgramRun(["--database", file, folder.url.path])
    #expect(first.code == .success && second.code == .success)
    #expect(second.output.contains("  own: the database of the index\n"))
    #expect(second.output.contains("\nDatabase: 0 files read, 600 skipped because they have not changed"))
  }

  @Test("A database that cannot be used has an exit code and a reason of its own", arguments: ["index", "watch"])
  func unusable(command: String) async throws {
    let arguments = (command == "watch" ? ["watch"] : []) + ["--database", folder.url.path, folder.url.path]
    let run = try await ProgramRun(arguments)
    #expect(run.code == .database)
    #expect(run.errors == "file-index: cannot use the database '\(folder.url.path)': it is a folder\n")
    #expect(run.output.isEmpty)
  }

  @Test("A folder that is not there makes no database")
  func missingFolder() async throws {
    let run = try await ProgramRun(["--database", database, folder.location("gone")])
    #expect(run.code == .folder)
    #expect(run.errors == "file-index: there is no folder '\(folder.location("gone"))'\n")
    #expect(EntryPath(database).resolved == nil)
  }

  @Test("A cancelled run stores and reports what it has, and the next one goes on from there")
  func cancelled() async throws {
    try folder.addSparseFile("endless", size: 1 << 40)
    let output = try OutputFile()
    let errors = try OutputFile()
    let program = Program(output: output.output, errors: errors.output)
    let arguments = ["--database", database, "--jobs", "4", folder.url.path]
    let task = Task { await program.run(arguments) }
    // Everything but the file without an end.
    let other = try await IndexStore(file: database, createsFile: true)
    let query = other.report(of: try #require(folder.path.resolved), name: "x")
    for try await report in other.database.observe(includingOtherProcesses: .milliseconds(10), query).values
    where report?.totals.files == 600 { break }
    task.cancel()
    await other.close()
    #expect(await task.value == .interrupted)
    #expect(try output.text.hasPrefix("Part of \(folder.url.path): interrupted"))
    #expect(try output.text.contains("\nDatabase: 600 files read, 0 skipped"))
    try folder.remove("endless")
    let second = try await run()
    #expect(second.output.contains("\nDatabase: 0 files read, 600 skipped"))
    #expect(tables(second) == tables(try await ProgramRun([folder.url.path])))
  }

  @Test("Watching shows the report again whenever another process has stored something, until it is cancelled")
  func watch() async throws {
    try await IndexStore(file: database, createsFile: true).close()
    let output = try OutputFile()
    let errors = try OutputFile()
    let program = Program(output: output.output, errors: errors.output)
    let arguments = ["watch", "--database", database, folder.url.path]
    let task = Task { await program.run(arguments) }
    try await waitUntil { try errors.text == "file-index: nothing is stored yet about '\(folder.url.path)'\n" }
    _ = try await run()
    try await waitUntil { try output.text.hasSuffix("Check: 601 walked, 600 indexed + 1 failed: equal\n\n") }
    try folder.addFile("new", "new\n", age: 1)
    let second = try await run()
    try await waitUntil { try output.text.hasSuffix(second.output + "\n") }
    task.cancel()
    #expect(await task.value == .success)
  }

  @Test("Watching ends when nobody reads")
  func watchedByNobody() async throws {
    _ = try await run()
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let errors = try OutputFile()
    let program = Program(
      output: TextOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor), errors: errors.output)
    signal(SIGPIPE, SIG_IGN)
    #expect(await program.run(["watch", "--database", database, folder.url.path]) == .success)
  }

  /// Lets other tasks run until something is so, which is the test.
  private func waitUntil(_ condition: () throws -> Bool) async throws {
    while try !condition() {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
