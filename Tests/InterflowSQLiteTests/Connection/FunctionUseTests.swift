import InterflowSQLite
import InterflowTestSupport
import Testing

/// What the schema of a file may call.
@Suite struct FunctionUseTests {
  private func database(_ use: DatabaseConnection.FunctionUse, trustsSchema: Bool = true) async throws -> Database {
    var options = DatabaseOptions()
    options.trustsSchema = trustsSchema
    options.prepare = { db in
      try db.addFunction("same", argumentCount: 1, use: use) { $0[0] }
      try db.addFunction("any", argumentCount: 0, isDeterministic: false) { _ in 1 }
    }
    let database = Database.inMemory(options: options)
    try await database.write {
      try $0.execute(sql: Picture.schema + "; CREATE VIEW v AS SELECT same(7) AS x")
      try $0.insert(Picture(1, "a"))
    }
    return database
  }

  @Test(arguments: [
    (DatabaseConnection.FunctionUse.statements, true, false), (.statements, false, false),
    (.trustedSchema, true, true), (.trustedSchema, false, false), (.anySchema, true, true), (.anySchema, false, true),
  ])
  func aViewCallsWhatItMay(use: DatabaseConnection.FunctionUse, trustsSchema: Bool, isCalled: Bool) async throws {
    let database = try await database(use, trustsSchema: trustsSchema)
    #expect(try await database.read { try $0.fetchOne(Int.self, sql: "SELECT same(7)") } == 7, "a statement may")
    guard !isCalled else {
      #expect(try await database.read { try $0.fetchOne(Int.self, sql: "SELECT x FROM v") } == 7)
      return
    }
    let error = await databaseError { try await database.read { try $0.fetchOne(Int.self, sql: "SELECT x FROM v") } }
    #expect(error?.message.contains("same()") == true)
    #expect(error?.message.contains("`use`") == true, "\(String(describing: error))")
  }

  @Test func aFailureNamesTheParameter() async throws {
    let database = try await database(.trustedSchema)
    let error = await databaseError {
      try await database.write { try $0.execute(sql: "CREATE INDEX i ON picture(any())") }
    }
    #expect(error?.message.contains("`isDeterministic`") == true, "\(String(describing: error))")
  }
}
