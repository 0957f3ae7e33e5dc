import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

/// Connections, cursors, rows and decoders that leave the closure of their access.
@Suite struct EscapedUseTests {
  // MARK: Connections

  /// In synchronous code, the compiler permits this.
  private static func leak(_ database: Database) -> UncheckedBox<DatabaseConnection>? {
    (try? database.write { $0 }).map { UncheckedBox($0) }
  }

  private static let uses: [(String, @Sendable (DatabaseConnection) throws -> Void)] = [
    ("execute", { try $0.execute(sql: "SELECT 1") }),
    ("execute several", { try $0.execute(sql: "SELECT 1; SELECT 2") }),
    ("fetchAll", { _ = try $0.fetchAll(Int.self, sql: "SELECT 1") }),
    ("fetchOne", { _ = try $0.fetchOne(Int.self, sql: "SELECT 1") }),
    ("fetchCursor", { _ = try $0.fetchCursor(sql: "SELECT 1") }),
    ("interpolation", { try $0.execute(sql: "SELECT \(1)") }),
    ("insert", { try $0.insert(RecordTests.Photo(title: "a")) }),
    ("update", { try $0.update(RecordTests.Photo(title: "a")) }),
    ("upsert", { try $0.upsert(RecordTests.Photo(title: "a")) }),
    ("save", { try $0.save(RecordTests.Photo(title: "a")) }),
    ("delete", { try $0.delete(RecordTests.Photo.self, key: 1) }),
    ("fetch", { _ = try $0.fetch(RecordTests.Photo.self, key: 1) }),
    ("fetch several", { _ = try $0.fetch(RecordTests.Photo.self, keys: [1]) }),
    ("savepoint", { try $0.savepoint {} }),
    ("full text", { try $0.createFullTextTable("a", synchronizedWith: "b", columns: []) }),
    ("afterCommit", { try $0.afterCommit {} }),
    ("addFunction", { try $0.addFunction("f") { _ in nil } }),
    ("addCollation", { try $0.addCollation("c") { $0 < $1 } }),
  ]

  private static func misuses(_ connection: DatabaseConnection) -> [String] {
    uses.filter { use in
      do {
        try use.1(connection)
        return false
      } catch {
        return (error as? DatabaseError)?.kind == .misuse
      }
    }.map(\.0)
  }

  @Test func aConnectionIsRefusedAfterItsAccess() async throws {
    let leaked = try #require(Self.leak(try await memory()))
    #expect(Self.misuses(leaked.value) == Self.uses.map(\.0))
  }

  @Test func aConnectionIsRefusedOnAnotherThread() async throws {
    let database = try await memory()
    try await database.write { db in
      let kept = UncheckedBox(db)
      let refused = Shared<[String]>([])
      onOtherThread { refused.value = Self.misuses(kept.value) }
      #expect(refused.value == Self.uses.map(\.0))
      try db.insert(Picture(1, "a"))
      #expect(db.changedRowCount == 1)
    }
  }

  @Test func theErrorSaysWhatToDo() async throws {
    let database = try await memory()
    let leaked = try #require(Self.leak(database))
    let late = await databaseError { try leaked.value.execute(sql: "SELECT 1") }
    #expect(late?.message.contains("after its access has ended") == true)
    #expect(late?.sql == "SELECT 1")
    let beside = try await database.write { _ in
      let message = Shared("")
      onOtherThread {
        do { try leaked.value.execute(sql: "SELECT 1") } catch { message.value = "\(error)" }
      }
      return message.value
    }
    #expect(beside.contains("on the thread that runs the closure"))
  }

  @Test func anEscapedConnectionDisturbsNoAccess() async throws {
    try await withFile { database in
      let leaked = try #require(Self.leak(database))
      let isOver = Shared(false)
      let refusals = Shared(0)
      let hammers = (0..<2).map { _ in
        beginOnOtherThread {
          while !isOver.value {
            let count = Self.misuses(leaked.value).count
            refusals.update { $0 += count == Self.uses.count ? 1 : 1_000_000 }
          }
        }
      }
      for id in 0..<200 {
        try await database.write { try $0.insert(Picture(id, "a")) }
      }
      await until { refusals.value > 0 }
      isOver.value = true
      for hammer in hammers { hammer.wait() }
      #expect(refusals.value < 1_000_000, "every use is refused")
      #expect(try await database.read { try $0.pictures().count } == 200)
    }
  }

  @Test func countsOfAnEscapedConnectionTrap() async {
    await #expect(processExitsWith: .failure) {
      _ = Self.leak(Database.inMemory())?.value.changedRowCount
    }
    await #expect(processExitsWith: .failure) {
      _ = Self.leak(Database.inMemory())?.value.lastInsertedRowID
    }
  }

  @Test func closingClosesAConnectionThatHasEscaped() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let database = try await Database(path: path)
      let leaked = try #require(Self.leak(database))
      try await database.write { try $0.execute(sql: Picture.schema) }
      await database.close()
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
      #expect(Self.misuses(leaked.value) == Self.uses.map(\.0))
    }
  }

  @Test func theLastReferenceClosesAConnectionThatHasEscaped() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      func open() async throws -> UncheckedBox<DatabaseConnection>? {
        let database = try await Database(path: path)
        try await database.write { try $0.execute(sql: Picture.schema) }
        return Self.leak(database)
      }
      let leaked = try #require(try await open())
      await until { !FileManager.default.fileExists(atPath: path + "-wal") }
      #expect(Self.misuses(leaked.value) == Self.uses.map(\.0))
    }
  }

  // MARK: Functions and collations

  @Test(arguments: ["SELECT reading(1)", "SELECT 'a' < 'b' COLLATE reading"])
  func aFunctionThatUsesItsConnectionGetsAnError(sql: String) async throws {
    let errors = Shared<[DatabaseError]>([])
    var options = DatabaseOptions()
    options.prepare = { db in
      // Without a reference, which would keep the connection for ever.
      let kept = UncheckedBox(Unmanaged.passUnretained(db))
      @Sendable func use() {
        do throws(DatabaseError) {
          _ = try kept.value.takeUnretainedValue().fetchAll(Int.self, sql: "SELECT 7")
        } catch {
          errors.update { $0.append(error) }
        }
      }
      try db.addFunction("reading", argumentCount: 1, isDeterministic: false) { _ in
        use()
        return nil
      }
      try db.addCollation("reading") {
        use()
        return $0 < $1
      }
    }
    let database = Database.inMemory(options: options)
    try await database.read { try $0.execute(sql: SQL(verbatim: sql)) }
    #expect(errors.value.first?.kind == .misuse)
    #expect(errors.value.first?.message.contains("by a function or a collation") == true)
  }

  /// SQLite forbids that a function ends the statement that calls it.
  @Test(arguments: ["going_on() > 0", "title = 'a' COLLATE going_on"], [0, 1])
  func aFunctionCannotGoOnWithItsCursor(condition: String, rowsBefore: Int) async throws {
    let cursor = Shared<UncheckedBox<RowCursor>?>(nil)
    let errors = Shared<[DatabaseError.Kind]>([])
    let calls = Shared(0)
    var options = DatabaseOptions()
    options.prepare = { db in
      @Sendable func goOn() {
        calls.update { $0 += 1 }
        guard calls.value > rowsBefore, let cursor = cursor.value?.value else { return }
        do throws(DatabaseError) { _ = try cursor.next() } catch { errors.update { $0.append(error.kind) } }
      }
      try db.addFunction("going_on", argumentCount: 0, isDeterministic: false) { _ in
        goOn()
        return calls.value
      }
      try db.addCollation("going_on") { _, _ in
        goOn()
        return false
      }
    }
    let database = Database.inMemory(options: options)
    try await database.write { db in
      try db.execute(sql: Picture.schema)
      for id in 1...3 { try db.insert(Picture(id, "a")) }
    }
    try await database.read { db in
      let rows = try db.fetchCursor(sql: SQL(verbatim: "SELECT id FROM picture WHERE \(condition)"))
      cursor.value = UncheckedBox(rows)
      var ids: [Int] = []
      while let row = try rows.next() { ids.append(try row.decode(Int.self)) }
      cursor.value = nil
      #expect(ids == [1, 2, 3])
    }
    #expect(errors.value.count >= 2 && errors.value.allSatisfy { $0 == .misuse })
  }

  // MARK: Cursors and rows

  private static func isRefused(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return false
    } catch {
      return (error as? DatabaseError)?.kind == .misuse
    }
  }

  @Test func aCursorIsRefusedOnAnotherThread() async throws {
    let database = try await memory()
    try await database.write { db in
      for id in 1...3 { try db.insert(Picture(id, "a")) }
      let rows = try db.fetchCursor(sql: Picture.all)
      let row = try #require(try rows.next())
      let kept = UncheckedBox((rows, row))
      let results = Shared<[Bool]>([])
      onOtherThread {
        results.update { results in
          results.append(Self.isRefused { _ = try kept.value.0.next() })
          results.append(Self.isRefused { _ = try kept.value.1.decode(Picture.self) })
        }
      }
      #expect(results.value == [true, true])
      #expect(row.integer(0) == 1)
      let second = try rows.next()?.integer(0)
      #expect(second == 2)
    }
  }

  @Test func aCursorOfAnEarlierAccessIsRefusedInTheNext() async throws {
    let database = try await memory()
    let kept = Shared<UncheckedBox<(RowCursor, Row)>?>(nil)
    try await database.write { db in
      for id in 1...3 { try db.insert(Picture(id, "a")) }
      let rows = try db.fetchCursor(sql: Picture.all)
      kept.value = try rows.next().map { UncheckedBox((rows, $0)) }
    }
    try await database.write { db in
      let (rows, row) = try #require(kept.value?.value)
      #expect(Self.isRefused { _ = try rows.next() })
      #expect(Self.isRefused { _ = try row.decode(Picture.self) })
    }
  }

  @Test func aRowOfBeforeIsNotDecoded() async throws {
    try await Database.inMemory().read { db in
      let rows = try db.fetchCursor(sql: "SELECT 1 UNION SELECT 2")
      let first = try rows.next()
      _ = try rows.next()
      #expect(Self.isRefused { _ = try first?.decode(Int.self) })
    }
  }

  @Test func aCursorCanBeReleasedOnAnyThreadAtAnyTime() async throws {
    let database = try await memory()
    try await database.write { db in for id in 1...3 { try db.insert(Picture(id, "a")) } }
    for _ in 0..<50 {
      // While its access goes on, and while another one uses the connection.
      let inside = Shared<UncheckedBox<RowCursor>?>(nil)
      let later = Shared<UncheckedBox<RowCursor>?>(nil)
      let releases = Shared<[Latch]>([])
      @Sendable func begin(_ kept: Shared<UncheckedBox<RowCursor>?>) {
        let latch = beginOnOtherThread { kept.value = nil }
        releases.update { $0.append(latch) }
      }
      @Sendable func cursor(_ db: DatabaseConnection) throws -> UncheckedBox<RowCursor> {
        let rows = try db.fetchCursor(sql: Picture.all)
        _ = try rows.next()
        return UncheckedBox(rows)
      }
      try await database.read { db in
        later.value = try cursor(db)
        inside.value = try cursor(db)
        begin(inside)
        let count = try db.pictures().count
        #expect(count == 3)
      }
      try await database.read { db in
        begin(later)
        let count = try db.pictures().count
        #expect(count == 3)
      }
      for release in releases.value { release.wait() }
    }
  }

  @Test func namesAreAskedForOnTheThreadOfTheAccess() async throws {
    await #expect(processExitsWith: .failure) {
      try await Database.inMemory().read { db in
        let kept = UncheckedBox(try db.fetchCursor(sql: "SELECT 1 AS a"))
        onOtherThread { _ = kept.value.columnNames }
      }
    }
    let names = Shared<UncheckedBox<RowCursor>?>(nil)
    try await Database.inMemory().read { db in
      let rows = try db.fetchCursor(sql: "SELECT 1 AS a")
      _ = try rows.next()
      names.value = UncheckedBox(rows)
    }
    #expect(names.value?.value.columnNames == ["a"], "those that are known are there afterwards too")
  }

  // MARK: Decoders

  /// Keeps what it is decoded with.
  private struct Lazy: Decodable {
    enum CodingKeys: String, CodingKey { case id, title, rating }
    let row: KeyedDecodingContainer<CodingKeys>
    let value: any SingleValueDecodingContainer

    init(from decoder: any Decoder) throws {
      row = try decoder.container(keyedBy: CodingKeys.self)
      value = try decoder.singleValueContainer()
    }

    var uses: [() throws -> Void] {
      [
        { _ = try row.decode(Int.self, forKey: .id) }, { _ = try row.decode(String.self, forKey: .title) },
        { _ = try row.decodeIfPresent(Double.self, forKey: .rating) },
        { _ = try row.decodeIfPresent(Date.self, forKey: .rating) }, { _ = try row.decodeNil(forKey: .id) },
        { _ = try value.decode(Int.self) }, { _ = try value.decode(String.self) },
        { _ = try value.decode(Double.self) }, { _ = try value.decode(Date.self) },
        { if !value.decodeNil() { throw DatabaseError(kind: .misuse, message: "") } },
      ]
    }
  }

  @Test func aKeptDecoderIsRefused() async throws {
    let database = try await memory()
    try await database.write { try $0.insert(Picture(1, "a")) }
    let kept = Shared<UncheckedBox<[Lazy]>>(UncheckedBox([]))
    try await database.read { db in
      let all = try db.fetchAll(Lazy.self, sql: Picture.all)
      for use in all[0].uses { #expect(Self.isRefused(use), "in its access") }
      kept.value = UncheckedBox(all)
    }
    for use in kept.value.value[0].uses { #expect(Self.isRefused(use), "after its access") }
    // Statements of the connection are released before the decoder is.
    await database.close()
    for use in kept.value.value[0].uses { #expect(Self.isRefused(use), "after closing") }
  }

  /// Lets another thread use the decoder while the row is decoded.
  private struct DecodedByTwoThreads: Decodable {
    var refusals: [Bool] = []

    init(from decoder: any Decoder) throws {
      let lazy = UncheckedBox(try Lazy(from: decoder))
      let results = Shared<[Bool]>([])
      onOtherThread { results.value = lazy.value.uses.map { use in isRefused(use) } }
      refusals = results.value
      _ = try lazy.value.row.decode(Int.self, forKey: .id)
    }
  }

  @Test func aDecoderIsRefusedOnAnotherThread() async throws {
    let database = try await memory()
    try await database.write { try $0.insert(Picture(1, "a")) }
    let refusals = try await database.read { try $0.fetchOne(DecodedByTwoThreads.self, sql: Picture.all)?.refusals }
    #expect(refusals == Array(repeating: true, count: 10))
  }
}
