import InterflowPrimitives

/// The file that a database has opened, which its path may cease to lead to.
///
/// SQLite keeps the file that a connection has opened. A connection that is opened later would have another file, and
/// what is written to the first one would be lost. So the first connection records which file it is, and others
/// compare: when they are opened, and before each write.
final class OpenedFile: @unchecked Sendable {
  private let path: String
  // Guarded by `lock`: `identity`.
  private let lock = Lock()
  private var identity: FileIdentity?

  init(path: String) {
    self.path = path
  }

  /// Records the file, or throws if there is another one.
  func check() throws(DatabaseError) {
    let current = FileIdentity(path: path)
    lock.lock()
    if identity == nil { identity = current }
    let isSame = current != nil && identity == current
    lock.unlock()
    guard isSame else {
      throw DatabaseError(
        kind: .replaced,
        message: "the file has been removed or replaced since the database was opened; open it again: \(path)")
    }
  }
}
