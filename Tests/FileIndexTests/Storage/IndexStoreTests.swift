import CSQLite
import Foundation
import InterflowSQLite
import Testing

@testable import FileIndexCore

@Suite("Index store")
struct IndexStoreTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("A file that is no database is named as such, and stays as it is")
  func notADatabase() async throws {
    let text = String(repeating: "no database ", count: 100)
    try folder.addFile("file", text)
    #expect(await reason("file") == "it is not a database of SQLite, or it is damaged (file is not a database)")
    #expect(try String(contentsOfFile: folder.location("file"), encoding: .utf8) == text)
  }

  @Test("A folder is named as such")
  func folderInPlace() async throws {
    try folder.addFolder("sub")
    #expect(await reason("sub") == "it is a folder")
  }

  @Test("A file that is missing or cannot be made is named as such")
  func missing() async {
    #expect(await reason("gone/file") == "there is no such file, or no folder that it can be made in")
    #expect(
      await reason("file", createsFile: false) == "there is no such file, or no folder that it can be made in")
    #expect(EntryPath(folder.location("file")).resolved == nil)
  }

  @Test("A file that cannot be written to is named as such", .enabled(if: getuid() != 0, "root may write to all"))
  func readOnly() async throws {
    try await IndexStore(file: folder.location("file"), createsFile: true).close()
    chmod(folder.location("file"), 0o400)
    #expect(await reason("file")?.hasPrefix("it cannot be written to") == true)
  }

  @Test("A database of a newer version is named as such")
  func newer() async throws {
    try await IndexStore(file: folder.location("file"), createsFile: true).close()
    try await change("file", "PRAGMA user_version = 99")
    #expect(await reason("file")?.hasPrefix("a newer version of this program has written it") == true)
  }

  @Test("A database of another program is named as such, and gets no tables")
  func foreign() async throws {
    try await change("file", "CREATE TABLE other (x)")
    #expect(await reason("file") == "it is the database of another program")
    try await change("file", "CREATE TABLE folder (x)")
  }

  @Test("Nothing of a database of another program is changed, not even how it keeps its log")
  func foreignIsUntouched() async throws {
    var handle: OpaquePointer?
    #expect(sqlite3_open(folder.location("file"), &handle) == SQLITE_OK)
    #expect(sqlite3_exec(handle, "CREATE TABLE other (x)", nil, nil, nil) == SQLITE_OK)
    sqlite3_close(handle)
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.location("file")))
    #expect(await reason("file") == "it is the database of another program")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.location("file"))) == before)
  }

  @Test("A problem keeps to one line, with the file")
  func description() {
    #expect(
      StoreProblem(file: "a\nb", reason: "r\nr").description == "cannot use the database 'a\\nb': r\\nr")
  }

  private func reason(_ name: String, createsFile: Bool = true) async -> String? {
    do {
      try await IndexStore(file: folder.location(name), createsFile: createsFile).close()
    } catch let problem as StoreProblem {
      #expect(problem.file == folder.location(name))
      return problem.reason
    } catch {
      Issue.record(error)
    }
    return nil
  }

  private func change(_ name: String, _ sql: String) async throws {
    let database = try await Database(path: folder.location(name))
    try await database.write { try $0.execute(sql: SQL(verbatim: sql)) }
    await database.close()
  }
}
