import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// What a path leads to, when the database is opened and afterwards.
@Suite struct OpenedFileTests {
  @Test func thePathOfMemoryMakesNoFile() async throws {
    let database = try await Database(path: ":memory:")
    try await database.write { try $0.execute(sql: Picture.schema) }
    #expect(try await database.read { try $0.pictures() } == [])
    #expect(!FileManager.default.fileExists(atPath: ":memory:"))
    await database.close()
  }

  @Test(arguments: ["", "file:a.sqlite", "file:///tmp/a.sqlite?mode=ro"])
  func whatIsNoPathIsRefused(path: String) async {
    #expect(await databaseError { try await Database(path: path) }?.kind == .misuse)
  }

  private func withTwoStates(_ body: (Database, String) async throws -> Void) async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let database = try await Database(path: path)
      try await database.write { try $0.execute(sql: Picture.schema) }
      try await body(database, path)
      await database.close()
    }
  }

  @Test func aFileThatWasReplacedIsNotWritten() async throws {
    try await withTwoStates { database, path in
      try await database.read { _ in }
      let other = try await Database(path: path + "-other")
      try await other.write { try $0.execute(sql: Picture.schema) }
      await other.close()
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: path + "-other", toPath: path)
      let insert = await databaseError { try await database.write { try $0.insert(Picture(1, "a")) } }
      #expect(insert?.kind == .replaced)
      #expect(insert?.message.contains(path) == true)
      let single = await databaseError { try await database.writeWithoutTransaction { try $0.insert(Picture(1, "a")) } }
      #expect(single?.kind == .replaced)
      // The readers that are open have the state that they had.
      #expect(try await database.read { try $0.pictures() } == [])
      #expect(await databaseError { try await Self.readTwice(database) }?.kind == .replaced, "one more is opened")
    }
  }

  @Test func aFileThatWasRemovedIsNotWritten() async throws {
    try await withTwoStates { database, path in
      try FileManager.default.removeItem(atPath: path)
      #expect(await databaseError { try await database.write { _ in } }?.kind == .replaced)
      #expect(await databaseError { try await database.read { _ in } }?.kind == .replaced)
    }
  }

  @Test func aFileThatHasAnotherNameToo() async throws {
    try await withTwoStates { database, path in
      try FileManager.default.moveItem(atPath: path, toPath: path + "-moved")
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + "-moved")
      try await database.write { try $0.insert(Picture(1, "a")) }
    }
  }

  /// Both reads have a connection at one time.
  private static func readTwice(_ database: Database) async throws {
    let hasBegun = Signal()
    let proceed = Latch()
    let first = Task {
      try await database.read { _ in
        hasBegun.fire()
        proceed.wait()
      }
    }
    await hasBegun.wait()
    let second = await Task { try await database.read { _ in } }.result
    proceed.open()
    try await first.value
    try second.get()
  }
}
