internal import CSQLite

/// The statements of a text, prepared one after the other without copying what follows.
struct Script {
  // Ends with a zero byte, without which SQLite would copy the rest for each statement.
  private let bytes: ContiguousArray<CChar>
  private let mayReplace: Bool
  private var position = 0

  init(_ sql: String) throws(DatabaseError) {
    guard !sql.utf8.contains(0) else { throw .misuse("SQL must not contain a zero byte", sql: sql) }
    bytes = sql.utf8CString
    mayReplace = sql.replacesRows
  }

  /// Prepares the next statement.
  ///
  /// - Returns: `nil` if there is only white space or comments left.
  mutating func next(
    on database: OpaquePointer, _ authorizer: Authorizer
  ) throws(DatabaseError) -> Statement? {
    while bytes[position] != 0 {
      let start = position
      // The statement's own text is only known when it has been compiled, so that its footprint is made then.
      let reported = Footprint(mayReplace: mayReplace)
      authorizer.footprint = reported
      defer { authorizer.footprint = nil }
      var handle: OpaquePointer?
      let code = bytes.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return SQLITE_OK }
        var tail: UnsafePointer<CChar>?
        // A script's statement runs once.
        let code = sqlite3_prepare_v3(database, base + start, -1, 0, &handle, &tail)
        if let tail { position = tail - base }
        return code
      }
      guard code == SQLITE_OK else {
        throw authorizer.error(code, database, sql: text(start..<endOfFailure(start)))
      }
      if let handle {
        let footprint = Footprint(sql: text(start..<position))
        footprint.copyReport(reported)
        return Statement(handle, database, authorizer, footprint)
      }
      // Only a comment, or nothing before a semicolon.
      guard position > start else { return nil }
    }
    return nil
  }

  /// Where a statement ends that does not compile. SQLite says how far it has come.
  private func endOfFailure(_ start: Int) -> Int {
    let semicolon: CChar = 0x3B
    if position > start, bytes[position - 1] == semicolon { return position }
    if let end = bytes[max(position, start)...].firstIndex(of: semicolon) { return end + 1 }
    return bytes.count - 1
  }

  /// A part, without the white space before it.
  private func text(_ range: Range<Int>) -> String {
    let part = bytes[range].drop { (0x01...0x20).contains($0) }
    return String(decoding: part.lazy.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }
}

extension Footprint {
  /// Takes over what the compiler has reported to another footprint.
  fileprivate func copyReport(_ other: Footprint) {
    if other.reads.isEverything { compiledReadOfEverything() }
    for (table, columns) in other.reads.tables {
      compiledRead(table: table, column: "", isNested: other.isNested)
      guard case .only(let columns) = columns else { continue }
      for column in columns { compiledRead(table: table, column: column, isNested: other.isNested) }
    }
    if other.writes.isEverything { compiledSchemaChange() }
    for (table, columns) in other.writes.tables {
      switch columns {
      case .all: if other.inserts { compiledInsert(table: table) } else { compiledChange(table: table) }
      case .only(let columns):
        for column in columns { compiledUpdate(table: table, column: column, isNested: false) }
      }
    }
  }
}

extension Substring.UTF8View {
  /// Whether it has only white space, semicolons and comments.
  var isBlankSQL: Bool {
    var rest = self
    while let first = rest.first {
      switch first {
      case 0x09...0x0D, 0x20, 0x3B: rest.removeFirst()
      case 0xEF where rest.starts(with: "\u{FEFF}".utf8): rest.removeFirst(3)
      case 0x2D where rest.starts(with: "--".utf8):
        rest = rest[(rest.firstIndex(of: 0x0A) ?? rest.endIndex)...]
      case 0x2F where rest.starts(with: "/*".utf8):
        rest.removeFirst(2)
        // One that has no end reaches to the end of the text.
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
        rest = rest.dropFirst(2)
      default: return false
      }
    }
    return true
  }
}
