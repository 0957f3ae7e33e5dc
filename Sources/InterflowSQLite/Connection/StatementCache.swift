/// The statements that were used last, by their SQL. One that is in use is not in the cache.
struct StatementCache {
  private var statements: [SQLText: Statement] = [:]
  // A list from the one that was used last to the one that is given up next. The dictionary retains them.
  private unowned(unsafe) var newest: Statement?
  private unowned(unsafe) var oldest: Statement?
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
  }

  mutating func take(_ sql: String) -> Statement? {
    guard let statement = statements.removeValue(forKey: SQLText(sql)) else { return nil }
    unlink(statement)
    return statement
  }

  mutating func put(_ statement: Statement) {
    guard capacity > 0 else { return }
    // Another one of the same text, which was in use at the same time.
    if let other = statements.updateValue(statement, forKey: SQLText(statement.sql)) { unlink(other) }
    statement.older = newest
    newest?.newer = statement
    newest = statement
    if oldest == nil { oldest = statement }
    if statements.count > capacity, let oldest { _ = take(oldest.sql) }
  }

  private mutating func unlink(_ statement: Statement) {
    if let newer = statement.newer { newer.older = statement.older } else { newest = statement.older }
    if let older = statement.older { older.newer = statement.newer } else { oldest = statement.newer }
    statement.newer = nil
    statement.older = nil
  }

  mutating func removeAll() {
    newest = nil
    oldest = nil
    statements = [:]
  }
}

/// SQL as a key, which is compared byte by byte, as SQLite compares names and texts. Two texts that are equal for `String`,
/// since they differ in the form of an accented letter only, are different statements.
struct SQLText: Hashable {
  private let text: String

  @inline(__always) init(_ text: String) {
    self.text = text
  }

  static func == (first: SQLText, second: SQLText) -> Bool {
    first.withBytes { bytes in
      second.withBytes { others in
        bytes.count == others.count && (bytes.baseAddress == others.baseAddress || bytes.elementsEqual(others))
      }
    }
  }

  func hash(into hasher: inout Hasher) {
    withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  @inline(__always) private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var text = text
    return text.withUTF8(body)
  }
}
