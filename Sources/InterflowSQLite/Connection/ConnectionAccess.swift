/// What is known of the access that uses a connection: whether it may write, and the statements that it has run. A
/// value, without SQLite.
struct ConnectionAccess {
  enum Mode {
    case none
    case read
    /// In a transaction.
    case write
    /// Each statement is a transaction of its own, except in a savepoint.
    case writeWithoutTransaction
    /// The connection is being made ready.
    case preparation
  }

  private(set) var mode = Mode.none
  /// Whether the access that runs, or the one that it runs inside, may write.
  private(set) var isForWriting = false
  /// Tells apart the accesses of one connection.
  private(set) var number = 0
  /// What has run, each once: of a read all statements, and otherwise those that have written, except for what is in
  /// ``finished``.
  private(set) var footprints: [Footprint] = []
  /// What statements that do not run again, or that name their row, have written.
  private var finished = Region()
  /// The rows that a read has named, by the statement that has found them.
  private(set) var namedRows: [(footprint: Footprint, key: Int64)] = []
  private var used: [Statement] = []
  /// Whether a statement has run that may have changed the schema.
  private(set) var mayChangeSchema = false

  mutating func begin(_ mode: Mode) {
    precondition(self.mode == .none, "an access must not begin inside another one")
    self.mode = mode
    isForWriting = mode != .read
    number += 1
  }

  /// Goes on in another mode, for a read inside the access.
  ///
  /// - Returns: The mode before.
  mutating func nest(_ mode: Mode) -> Mode {
    defer { self.mode = mode }
    return self.mode
  }

  mutating func use(_ statement: Statement) {
    statement.access = number
    statement.isRolledBack = false
    used.append(statement)
    // What has been read is found out at the end.
    if mode == .read {
      // Of very many rows, each need not be kept: it is then as if all of the table had been read.
      if let row = statement.row, namedRows.count < Region.mostRows {
        namedRows.append((statement.footprint, row))
      } else {
        record(statement.footprint)
      }
    }
    if statement.footprint.writes.isEverything { mayChangeSchema = true }
  }

  private mutating func record(_ footprint: Footprint) {
    guard footprint.access != number else { return }
    footprint.access = number
    footprints.append(footprint)
  }

  /// - Parameters:
  ///   - isKept: Whether the statement may run again.
  ///   - hasChangedRows: Whether rows may have been changed since it was used.
  ///   - hasChangedAnything: Whether it may have changed anything, rows, the schema or settings.
  ///   - mayHaveCounted: Whether the table that counts rows may have been changed, which is not reported.
  /// - Returns: Whether the statement was in use by this access.
  mutating func finish(
    _ statement: Statement, isKept: Bool, hasChangedRows: Bool, hasChangedAnything: Bool, mayHaveCounted: Bool
  ) -> Bool {
    guard statement.access == number, let index = used.lastIndex(where: { $0 === statement }) else { return false }
    used.remove(at: index)
    statement.access = 0
    let footprint = statement.footprint
    let row = statement.row.take()
    // A change of the schema, and of settings, is one without a row.
    guard !footprint.writes.isEmpty, hasChangedRows || hasChangedAnything && footprint.writes.isEverything else {
      if mayHaveCounted { finished.insert(table: Region.counts) }
      return true
    }
    if let row, !footprint.isIndirect {
      finished.formUnion(footprint.writes.narrowed(toRow: row))
    } else if isKept {
      record(footprint)
    } else {
      finished.formUnion(footprint.writes)
    }
    return true
  }

  /// What has been recorded, to go back to.
  struct Mark {
    fileprivate let footprintCount: Int
    fileprivate let finished: Region
  }

  mutating func mark() -> Mark {
    // What these have written already stays.
    for statement in used where !statement.footprint.writes.isEmpty { record(statement.footprint) }
    return Mark(footprintCount: footprints.count, finished: finished)
  }

  /// What has been written since a mark has been undone. Statements that have not ended keep what they have written.
  mutating func undo(to mark: Mark) {
    for footprint in footprints[mark.footprintCount...] { footprint.access = 0 }
    footprints.removeSubrange(mark.footprintCount...)
    finished = mark.finished
  }

  /// Whether a statement writes that has not ended.
  var isWriting: Bool { used.contains(where: \.isWriting) }

  /// Ends the statements that write, because what they have written is about to be rolled back.
  func endWrites() {
    for statement in used where statement.isWriting { statement.endByRollback() }
  }

  /// - Returns: The statements that are still in use.
  mutating func end() -> [Statement] {
    defer { abandon() }
    for statement in used {
      statement.access = 0
      statement.row = nil
    }
    return used
  }

  mutating func abandon() {
    mode = .none
    isForWriting = false
    footprints = []
    finished = Region()
    namedRows = []
    used = []
    mayChangeSchema = false
  }

  /// What the statements that have run, and those that have not ended, may have written.
  var written: Region {
    var written = footprints.reduce(into: finished) { $0.formUnion($1.writes) }
    for statement in used { written.formUnion(statement.footprint.writes) }
    return written
  }
}
