@testable import InterflowSQLite

/// What a query finds, as text, and what it has read.
struct ObservedOutcome: Sendable {
  var result: String
  var hasFailed: Bool
  var region: Region
}

extension Database {
  /// Runs a query as an observation does.
  func outcome(of query: String) async throws -> ObservedOutcome {
    try await readers.run { connection in
      let (result, region) = try connection.read(isObserved: true) { db in
        do {
          let rows = try db.fetchCursor(sql: SQL(verbatim: query))
          var text = ""
          while let row = try rows.next() {
            text += (0..<row.count).map { "\(row.value($0))" }.joined(separator: ",") + "\n"
          }
          return (text, false)
        } catch {
          return ("\(error)", true)
        }
      }
      return ObservedOutcome(result: result.0, hasFailed: result.1, region: region)
    }
  }
}
