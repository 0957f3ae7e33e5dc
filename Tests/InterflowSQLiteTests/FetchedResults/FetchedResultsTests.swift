import Combine
import InterflowSQLite
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct FetchedResultsTests {
  private struct Star: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var kind: String
    var size = 0
  }

  private static let schema: SQL = "CREATE TABLE star (id INTEGER PRIMARY KEY, kind TEXT, size INTEGER)"

  private func database() async throws -> Database {
    let database = Database.inMemory()
    try await database.write { try $0.execute(sql: Self.schema) }
    return database
  }

  private func stars(_ database: Database) -> ObservedFetchedResults<Star> {
    database.observe { try $0.fetchAll(Star.self, sql: "SELECT * FROM star ORDER BY kind, size") }.fetchedResults()
  }

  @Test func eachResultHasItsDifferenceFromTheOneBefore() async throws {
    let database = try await database()
    var results = stars(database).values.makeAsyncIterator()
    let empty = try await results.next()
    #expect(empty?.changes.isEmpty == true)

    try await database.write { db in
      try db.execute(sql: "INSERT INTO star VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 3)")
    }
    let filled = try await results.next()
    #expect(filled?.changes.insertions == [0, 1, 2])
    #expect(filled?.elements.map(\.id) == [1, 2, 3])

    try await database.write { db in
      try db.execute(sql: "UPDATE star SET size = 9 WHERE id = 1; DELETE FROM star WHERE id = 3")
      try db.execute(sql: "INSERT INTO star VALUES (4, 'a', 0)")
    }
    let changed = try #require(try await results.next())
    #expect(changed.elements.map(\.id) == [4, 2, 1])
    #expect(changed.changes.removals == [2])
    #expect(changed.changes.insertions == [0])
    #expect(changed.changes.updates == [2])
    #expect(changed.changes.moves.count == 1)
  }

  @Test func anUnchangedListIsNotDeliveredAgain() async throws {
    let database = try await database()
    let recorder = RecordingSubscriber<FetchedResults<Star>, DatabaseError>()
    let arrivals = Signal()
    recorder.onValue = { _ in arrivals.fire() }
    stars(database).publisher.subscribe(recorder)
    await arrivals.wait(1)
    try await database.write { try $0.execute(sql: "DELETE FROM star") }
    try await database.write { try $0.execute(sql: "INSERT INTO star VALUES (1, 'a', 1)") }
    await arrivals.wait(2)
    recorder.cancel()
    #expect(recorder.values.map(\.elements.count) == [0, 1])
  }

  @Test func sectionsAreElementsNextToEachOther() async throws {
    let database = try await database()
    try await database.write { db in
      try db.execute(sql: "INSERT INTO star VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 3), (4, 'c', 1), (5, 'c', 2)")
    }
    var iterator = stars(database).values.makeAsyncIterator()
    let results = try #require(try await iterator.next())
    let sections = results.sections(by: \.kind)
    #expect(sections.map(\.key) == ["a", "b", "c"])
    #expect(sections.map { $0.elements.map(\.id) } == [[1, 2], [3], [4, 5]])
    #expect(sections.last?.elements.startIndex == 3)
    #expect(FetchedResults<Star>().sections(by: \.kind).isEmpty)
  }
}
