import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// Closures that are called after a commit.
@Suite struct CommitActionsTests {
  private let calls = Shared<[String]>([])

  @Test func closuresAreCalledInOrderAfterTheCommit() async throws {
    try await withFile { database in
      let calls = calls
      try await database.write { db in
        try db.insert(Picture(1, "a"))
        for name in ["first", "second"] {
          try db.afterCommit { calls.update { $0.append(name) } }
        }
        #expect(calls.value.isEmpty)
      }
      #expect(calls.value == ["first", "second"])
      // Once.
      try await database.write { try $0.insert(Picture(2, "b")) }
      #expect(calls.value.count == 2)
    }
  }

  @Test func aTransactionThatIsRolledBackCallsNothing() async throws {
    let database = try await memory()
    let calls = calls
    await #expect(throws: CancellationError.self) {
      try await database.write { db in
        try db.afterCommit { calls.update { $0.append("never") } }
        throw CancellationError()
      }
    }
    // Deferred constraints fail at the commit.
    let error = await databaseError {
      try await database.write { db in
        try db.execute(
          sql: "CREATE TABLE child (id REFERENCES picture DEFERRABLE INITIALLY DEFERRED); INSERT INTO child VALUES (5)")
        try db.afterCommit { calls.update { $0.append("never") } }
      }
    }
    #expect(error?.kind == .constraint)
    try await database.write { try $0.insert(Picture(1, "a")) }
    #expect(calls.value.isEmpty)
  }

  @Test func aSavepointThatIsRolledBackDiscardsItsOwn() async throws {
    let database = try await memory()
    let calls = calls
    @Sendable func call(_ name: String, _ db: DatabaseConnection) throws {
      try db.afterCommit { calls.update { $0.append(name) } }
    }
    try await database.write { db in
      try call("a", db)
      try db.savepoint {
        try call("b", db)
        try? db.savepoint {
          try call("never", db)
          try db.savepoint { try call("never", db) }
          throw CancellationError()
        }
        try call("c", db)
      }
      try call("d", db)
      #expect(calls.value.isEmpty)
    }
    #expect(calls.value == ["a", "b", "c", "d"])
  }

  @Test func savepointsWithoutATransactionAreTransactions() async throws {
    let calls = calls
    @Sendable func call(_ name: String, _ db: DatabaseConnection) throws {
      try db.afterCommit { calls.update { $0.append(name) } }
    }
    @Sendable func use(_ db: DatabaseConnection) throws {
      do { try call("outside", db) } catch { calls.update { $0.append("refused") } }
      try db.savepoint {
        try db.insert(Picture(1, "a"))
        try call("committed", db)
        try db.savepoint { try call("inner", db) }
      }
      #expect(calls.value == ["refused"])
      try? db.savepoint {
        try call("never", db)
        throw CancellationError()
      }
      // What has been committed stays.
      throw CancellationError()
    }
    try await withFile { database in
      await #expect(throws: CancellationError.self) { try await database.writeWithoutTransaction { try use($0) } }
      #expect(calls.value == ["refused", "committed", "inner"])
    }
  }

  @Test(arguments: [true, false]) func aReadSeesTheCommitAndAWriteIsRefused(isInMemory: Bool) async throws {
    @Sendable func check(_ database: Database) async throws {
      let calls = calls
      try await database.write { db in
        try db.insert(Picture(1, "a"))
        try db.afterCommit {
          let count = try? database.read { try $0.pictures().count }
          calls.update { $0.append("\(count ?? -1)") }
          do {
            try database.write { try $0.insert(Picture(2, "b")) }
          } catch {
            calls.update { $0.append("\((error as? DatabaseError)?.kind == .misuse)") }
          }
          // Its own connection has no access any more.
          do {
            try db.insert(Picture(3, "c"))
          } catch {
            calls.update { $0.append("\((error as? DatabaseError)?.kind == .misuse)") }
          }
          Task { try await database.write { try $0.insert(Picture(4, "d")) } }
        }
      }
      #expect(calls.value == ["1", "true", "true"])
      await until { ((try? database.read { try $0.pictures().map(\.id) }) ?? []) == [1, 4] }
    }
    if isInMemory { try await check(memory()) } else { try await withFile { try await check($0) } }
  }

  @Test func closuresRunOnTheThreadOfTheTransactionInTheOrderOfCommits() async throws {
    try await withFile { database in
      let numbers = Shared<[Int]>([])
      await withTaskGroup { group in
        for _ in 0..<40 {
          group.addTask {
            try? await database.write { db in
              let id = try db.pictures().count
              try db.insert(Picture(id, "a"))
              let thread = pthread_self()
              try db.afterCommit {
                #expect(pthread_equal(pthread_self(), thread) != 0)
                numbers.update { $0.append(id) }
              }
            }
          }
        }
      }
      #expect(numbers.value == Array(0..<40))
    }
  }

  @Test func aStepThatIsOnlyTriedOutHasNoCommit() async throws {
    let database = Database.inMemory()
    let calls = calls
    let step = Migration("a") { db in
      try db.execute(sql: "CREATE TABLE a (x)")
      try db.afterCommit { calls.update { $0.append("committed") } }
      try db.savepoint { try db.afterCommit { calls.update { $0.append("inner") } } }
    }
    for _ in 0..<3 { try await database.migrate([step], erasesOnChange: true) }
    #expect(calls.value == ["committed", "inner"])
  }

  @Test func aReadHasNoCommit() async throws {
    let database = try await memory()
    let error = await databaseError { try await database.read { try $0.afterCommit {} } }
    #expect(error?.kind == .misuse)
    let nested = await databaseError {
      try await database.write { _ in try database.read { try $0.afterCommit {} } }
    }
    #expect(nested?.kind == .misuse)
  }
}
