import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

/// Accesses that synchronous code begins inside others.
@Suite struct NestedAccessTests {
  private static func kind(_ body: () throws -> Void) -> DatabaseError.Kind? {
    do {
      try body()
      return nil
    } catch {
      return (error as? DatabaseError)?.kind
    }
  }

  private func withBoth(_ isInMemory: Bool, _ body: (Database) async throws -> Void) async throws {
    if isInMemory { try await body(memory()) } else { try await withFile { try await body($0) } }
  }

  /// Runs synchronous code on a thread of its own.
  private static func run<Success>(_ body: @escaping @Sendable () throws -> Success) throws -> Success {
    let result = Shared<UncheckedBox<Result<Success, any Error>>?>(nil)
    onOtherThread { result.value = UncheckedBox(Result { try body() }) }
    return try #require(result.value).value.get()
  }

  @Test(arguments: [true, false]) func aWriteInsideARead(isInMemory: Bool) async throws {
    try await withBoth(isInMemory) { database in
      let kinds = try Self.run {
        try database.read { db in
          let kinds = [
            Self.kind { try database.write { _ in } }, Self.kind { try database.writeWithoutTransaction { _ in } },
            Self.kind { try database.migrate([]) },
          ]
          let pictures = try db.pictures()
          #expect(pictures == [], "the read goes on")
          return kinds
        }
      }
      #expect(kinds == [.misuse, .misuse, .misuse])
      try await database.write { try $0.insert(Picture(1, "a")) }
    }
  }

  @Test(arguments: [true, false]) func aWriteInsideAWrite(isInMemory: Bool) async throws {
    try await withBoth(isInMemory) { database in
      let kind = try Self.run {
        try database.write { db in
          try db.insert(Picture(1, "a"))
          return Self.kind { try database.write { try $0.insert(Picture(2, "b")) } }
        }
      }
      #expect(kind == .misuse)
      #expect(try await database.read { try $0.pictures() } == [Picture(1, "a")])
    }
  }

  @Test func theErrorOfAWriteSaysWhatToDo() async throws {
    let database = Database.inMemory()
    let error = await databaseError { try Self.run { try database.read { _ in try database.write { _ in } } } }
    #expect(error?.message.contains("use the connection") == true)
  }

  @Test(arguments: [true, false]) func aReadInsideAWriteSeesWhatIsWritten(isInMemory: Bool) async throws {
    try await withBoth(isInMemory) { database in
      let seen = try Self.run {
        try database.write { db in
          try db.insert(Picture(1, "a"))
          let seen = try database.read { try $0.pictures() }
          // It has changed nothing of the write.
          try db.insert(Picture(2, "b"))
          return seen
        }
      }
      #expect(seen == [Picture(1, "a")])
      #expect(try await database.read { try $0.pictures().count } == 2)
    }
  }

  @Test func aReadInsideAWriteChangesNothing() async throws {
    let database = try await memory()
    let kinds = try Self.run {
      try database.write { db in
        try db.insert(Picture(1, "a"))
        return try database.read { inner in
          [
            Self.kind { try inner.insert(Picture(2, "b")) }, Self.kind { try db.insert(Picture(2, "b")) },
            Self.kind { try inner.execute(sql: "PRAGMA cache_size = 7") },
          ]
        }
      }
    }
    #expect(kinds == [.readOnly, .readOnly, .readOnly])
    #expect(try await database.read { try $0.pictures() } == [Picture(1, "a")])
  }

  @Test func anErrorOfAReadLeavesTheWrite() async throws {
    let database = try await memory()
    try Self.run {
      try database.write { db in
        try db.insert(Picture(1, "a"))
        try? database.read { _ in throw TestError() }
        try db.insert(Picture(2, "b"))
      }
    }
    #expect(try await database.read { try $0.pictures().count } == 2)
  }

  @Test func whatAWriteReadsAndWritesAroundAReadIsObserved() async throws {
    let database = try await memory()
    var iterator = database.observe { try $0.pictures().count }.values.makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    try Self.run {
      try database.write { db in
        try database.read { _ = try $0.pictures() }
        try db.execute(sql: "INSERT INTO picture VALUES (1, 'a', NULL); INSERT INTO picture VALUES (2, 'a', NULL)")
        try database.read { try $0.execute(sql: "SELECT 1; SELECT 2") }
      }
    }
    #expect(try await iterator.next() == 2)
  }

  @Test func aReadInsideAReadSeesItsState() async throws {
    try await withFile { database in
      let counts = try Self.run {
        try database.read { db in
          let before = try db.pictures().count
          onOtherThread { try? database.write { try $0.insert(Picture(1, "a")) } }
          return [before, try database.read { try $0.pictures().count }]
        }
      }
      #expect(counts == [0, 0])
    }
  }

  @Test func aReadOutsideATransactionSeesOneState() async throws {
    try await withFolder { folder in
      let path = folder + "/a.sqlite"
      let database = try await Database(path: path)
      let other = try await Database(path: path)
      try await database.write { try $0.execute(sql: Picture.schema) }
      let counts = try Self.run {
        try database.writeWithoutTransaction { db in
          var counts = try database.read { db in
            let before = try db.pictures().count
            onOtherThread { try? other.write { try $0.insert(Picture(1, "a")) } }
            return [before, try db.pictures().count]
          }
          counts.append(try db.pictures().count)
          try db.insert(Picture(2, "b"))
          return counts
        }
      }
      #expect(counts == [0, 0, 1])
      #expect(try await other.read { try $0.pictures().count } == 2)
      await database.close()
      await other.close()
    }
  }

  @Test func aReadDuringThePreparationIsRefused() async throws {
    let kinds = Shared<[DatabaseError.Kind?]>([])
    let database = Shared<Database?>(nil)
    var options = DatabaseOptions()
    options.prepare = { _ in
      guard let database = database.value else { return }
      kinds.update { kinds in
        kinds = [Self.kind { try database.read { _ in } }, Self.kind { try database.write { _ in } }]
      }
    }
    database.value = Database.inMemory(options: options)
    defer { database.value = nil }
    try await database.value?.read { _ in }
    #expect(kinds.value == [.misuse, .misuse])
  }

  /// With one reader, each of the two would wait for what the other one has.
  @Test func readsInWritesAndWritesInReadsDoNotDeadlock() async throws {
    var options = DatabaseOptions()
    options.readerCount = 1
    try await withFile(options: options) { database in
      let refusals = Shared(0)
      let threads = (0..<4).map { number in
        beginOnOtherThread {
          for id in 0..<50 {
            if number.isMultiple(of: 2) {
              let kind = Self.kind { try database.read { _ in try database.write { _ in } } }
              if kind == .misuse { refusals.update { $0 += 1 } }
            } else {
              try? database.write { db in
                try db.insert(Picture(number * 1_000 + id, "a"))
                _ = try database.read { try $0.pictures().count }
              }
            }
          }
        }
      }
      for thread in threads { thread.wait() }
      #expect(refusals.value == 100)
      let count = try await database.read { try $0.pictures().count }
      #expect(count == 100)
    }
  }

  @Test func anObservedQueryMustNotWrite() async throws {
    let database = try await memory()
    let recorder = RecordingSubscriber<Int, DatabaseError>(initialDemand: .unlimited)
    let ends = Signal()
    recorder.onCompletion = { _ in ends.fire() }
    @Sendable func query(_ db: DatabaseConnection) throws -> Int {
      try database.write { try $0.insert(Picture(1, "a")) }
      return 1
    }
    database.observe(query).publisher.subscribe(recorder)
    await ends.wait()
    #expect(recorder.error?.kind == .misuse)
  }
}
