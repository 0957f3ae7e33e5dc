import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// No file makes the program crash: the database opens, or an error says why not.
@Suite struct DamagedFileStressTests {
  /// Does with a file what programs do.
  private func use(_ path: String) async throws {
    var options = DatabaseOptions()
    options.readerCount = 1
    let database = try await Database(path: path, options: options)
    let result: Result<Void, any Error>
    do {
      _ = try await database.read { db in
        let names = try db.fetchAll(String.self, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
        for name in names.prefix(20) {
          let rows = try? db.fetchCursor(sql: "SELECT * FROM \(SQLIdentifier(name)) LIMIT 1000")
          while let row = try rows?.next() { for column in 0..<row.count { _ = row.value(column) } }
        }
        return try? db.fetchOne(String.self, sql: "PRAGMA integrity_check")
      }
      try? await database.migrate([Migration(1) { try $0.execute(sql: "CREATE TABLE added (x)") }])
      try await database.write { try $0.insert(Picture(1_000_000, "a")) }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await database.close()
    try result.get()
  }

  private func expectNoCrash(_ bytes: [UInt8], in folder: String, name: String) async throws {
    let path = folder + "/" + name
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    do { try await use(path) } catch { #expect(error is DatabaseError, "\(name): \(error)") }
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }

  @Test func randomBytes() async throws {
    try await withFolder { folder in
      for seed in 0..<max(100, stressRuns) {
        var random = Random(UInt64(seed))
        var bytes = (0..<Int.random(in: 0..<8_192, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
        }
        // Half of them look like a database at first.
        if seed % 2 == 0 { bytes.replaceSubrange(0..<min(16, bytes.count), with: Array("SQLite format 3\0".utf8)) }
        try await expectNoCrash(bytes, in: folder, name: "\(seed).sqlite")
      }
    }
  }

  @Test func damagedDatabases() async throws {
    try await withFolder { folder in
      let path = folder + "/whole.sqlite"
      let whole = try await Database(path: path)
      try await whole.write { db in
        try db.execute(
          sql: Picture.schema + "; CREATE INDEX i ON picture(title); CREATE VIEW v AS SELECT * FROM picture")
        for id in 0..<300 { try db.insert(Picture(id, "picture \(id)", rating: Double(id))) }
      }
      await whole.close()
      let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      for seed in 0..<max(100, stressRuns / 4) {
        var random = Random(UInt64(seed))
        var bytes = original
        // In the first page, which has the schema, or anywhere.
        let range = seed % 2 == 0 ? 0..<4_096 : 0..<bytes.count
        for _ in 0..<Int.random(in: 1...40, using: &random) {
          bytes[Int.random(in: range, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        if seed % 5 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
        try await expectNoCrash(bytes, in: folder, name: "\(seed).sqlite")
      }
    }
  }
}
