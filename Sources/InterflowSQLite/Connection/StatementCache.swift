/// The statements that were used last, by their SQL. One that is in use is not in the cache.
struct StatementCache {
  private var statements: [String: Statement] = [:]
  private var clock = 0
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
  }

  mutating func take(_ sql: String) -> Statement? { statements.removeValue(forKey: sql) }

  mutating func put(_ statement: Statement) {
    guard capacity > 0 else { return }
    clock += 1
    statement.age = clock
    if statements.count >= capacity, statements[statement.sql] == nil {
      if let oldest = statements.min(by: { $0.value.age < $1.value.age }) { statements[oldest.key] = nil }
    }
    statements[statement.sql] = statement
  }

  mutating func removeAll() { statements = [:] }
}
