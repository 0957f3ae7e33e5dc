import FileIndexCore
import Foundation
import Testing

@Suite("Executable")
struct ExecutableTests {
  @Test("Indexes this package")
  func package() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let result = try Command(executable, "--json", root.path).run()
    #expect(result.status == ExitCode.success.rawValue)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(report["check"] as? Bool == true)
    #expect(report["failed"] as? Int == 0)
  }

  @Test("A wrong command line and a missing folder have their exit codes")
  func exitCodes() throws {
    #expect(try Command(executable, "--bogus").run().status == ExitCode.usage.rawValue)
    #expect(try Command(executable, "/nonexistent").run().status == ExitCode.folder.rawValue)
    #expect(try Command(executable, "--help").run().status == ExitCode.success.rawValue)
  }

  @Test("Ctrl-C ends in good order, with what was read until then")
  func interrupt() throws {
    let folder = try TemporaryFolder()
    try folder.addSparseFile("endless", size: 1 << 40)
    let result = try Command(executable, folder.url.path).run { $0.interrupt() }
    #expect(result.status == ExitCode.interrupted.rawValue)
    #expect(result.output.hasPrefix("Part of \(folder.url.path): interrupted"))
    #expect(result.errors.contains("file-index: interrupted; "))
  }

  @Test("A pipe that nobody reads is no crash")
  func closedPipe() throws {
    let folder = try TemporaryFolder()
    try folder.addFile("file")
    #expect(try Command(executable, folder.url.path).run(closingOutput: true).status == ExitCode.success.rawValue)
  }

  #if INTERFLOW_SQLITE
    @Test("Ctrl-C ends watching with success")
    func interruptOfWatching() throws {
      let folder = try TemporaryFolder()
      try folder.addFolder("sub")
      let database = folder.location("database")
      #expect(try Command(executable, "--database", database, folder.url.path).run().status == 0)
      // Nothing is stored about the folder in it, which standard error says first.
      let result = try Command(executable, "watch", "--database", database, folder.location("sub")).run {
        $0.interrupt()
      }
      #expect(result.status == ExitCode.success.rawValue)
      #expect(result.output.isEmpty)
    }
  #endif

  /// The program, which the build puts beside the tests.
  private var executable: String {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("file-index").path
  }
}
