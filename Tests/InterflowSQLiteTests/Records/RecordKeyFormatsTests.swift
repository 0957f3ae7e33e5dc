import Foundation
import Testing

@testable import InterflowSQLite

/// Records that choose how their keys are stored.
@Suite struct RecordKeyFormatsTests {
  private struct Visit: DatabaseRecord, DatabaseFormatted, Equatable {
    static let databaseTableName = "visit"
    var id: UUID
    var begin: Date
    var note: String?

    static func formats(forColumn column: String) -> DatabaseFormats? {
      DatabaseFormats(date: .text, uuid: .blob)
    }
  }

  @Test func aKeyHasTheFormatsOfItsRecord() async throws {
    let database = Database.inMemory()
    let visit = Visit(id: UUID(), begin: Date(timeIntervalSinceReferenceDate: 5e8), note: "a")
    let (id, begin) = (visit.id, visit.begin)
    try await database.write { db in
      try db.execute(sql: "CREATE TABLE visit (id BLOB, begin TEXT, note TEXT, PRIMARY KEY (begin, id))")
      try db.insert(visit)
      #expect(try db.fetch(Visit.self, key: [begin, id]) == visit)
      #expect(try db.fetch(Visit.self, key: ["ID": id, "begin": begin]) == visit)
      let formats = Visit.formats(forColumn: "id")
      let condition: SQL = "id = \(id, formats: formats) AND begin = \(begin, formats: formats)"
      #expect(try db.fetchAll(Visit.self, sql: "SELECT * FROM visit WHERE \(condition)") == [visit])
      #expect(try db.fetchAll(Visit.self, sql: "SELECT * FROM visit WHERE id = \(id, formats: nil)") == [])
      #expect(try db.delete(Visit.self, key: [begin, id]))

      try db.execute(sql: "DROP TABLE visit; CREATE TABLE visit (id BLOB PRIMARY KEY, begin TEXT, note TEXT)")
      try db.insert(visit)
      #expect(try db.fetch(Visit.self, key: id) == visit)
      #expect(try db.fetch(Visit.self, keys: [UUID(), id]) == [visit])
      #expect(try !db.delete(Visit.self, key: UUID()))
      #expect(try db.delete(Visit.self, key: id))
      #expect(try db.fetchAll(Visit.self).isEmpty)
    }
    let error = await databaseError {
      let date = Date(timeIntervalSinceReferenceDate: 1e15)
      return try await database.read {
        try $0.fetchOne(Int.self, sql: "SELECT \(date, formats: DatabaseFormats(date: .text))")
      }
    }
    #expect(error?.kind == .misuse)
    #expect(error?.message.contains("year") == true)
  }
}
