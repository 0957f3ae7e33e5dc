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
  /// Tells apart the accesses of one connection.
  private(set) var number = 0
  /// What has run, each once, except for what is in ``finished``.
  private(set) var footprints: [Footprint] = []
  /// What statements of a write that do not run again may have written.
  private var finished = Region()
  private var used: [Statement] = []

  mutating func begin(_ mode: Mode) {
    precondition(self.mode == .none, "an access must not begin inside another one")
    self.mode = mode
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
    used.append(statement)
    guard statement.footprint.access != number else { return }
    statement.footprint.access = number
    footprints.append(statement.footprint)
  }

  /// - Parameter isKept: Whether the statement may run again.
  /// - Returns: Whether the statement was in use by this access.
  mutating func finish(_ statement: Statement, isKept: Bool) -> Bool {
    guard statement.access == number, let index = used.lastIndex(where: { $0 === statement }) else { return false }
    used.remove(at: index)
    statement.access = 0
    // What a read has read is found out at its end.
    if !isKept, mode != .read, let index = footprints.lastIndex(where: { $0 === statement.footprint }) {
      finished.formUnion(footprints.remove(at: index).writes)
    }
    return true
  }

  /// - Returns: The statements that are still in use.
  mutating func end() -> [Statement] {
    defer { abandon() }
    for statement in used { statement.access = 0 }
    return used
  }

  mutating func abandon() {
    mode = .none
    footprints = []
    finished = Region()
    used = []
  }

  /// What the statements that have run may have written.
  var written: Region {
    footprints.reduce(into: finished) { $0.formUnion($1.writes) }
  }
}
