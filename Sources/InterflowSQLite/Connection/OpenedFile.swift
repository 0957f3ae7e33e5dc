import InterflowPrimitives

/// The file that a database has opened, which its path may cease to lead to.
///
/// SQLite keeps the file that a connection has opened. A connection that is opened later would have another file, and
/// what is written to the first one would be lost. So the first connection records which file it is, and others
/// compare: when they are opened, and before each write.
final class OpenedFile: @unchecked Sendable {
  let path: String
  // Guarded by `lock`: `identity`.
  private let lock = Lock()
  private var identity: FileIdentity?
  private let use: FileUses.Use?

  init(path: String, _ options: DatabaseOptions) {
    self.path = path
    use = options.isImmutable ? .immutable : options.isReadOnly ? nil : .written
  }

  deinit {
    release()
  }

  /// The database has been closed.
  func release() {
    lock.lock()
    let identity = self.identity
    self.identity = nil
    lock.unlock()
    if let identity, let use { FileUses.shared.end(use, of: identity) }
  }

  /// Records the file, or throws if there is another one.
  ///
  /// - Parameter mayBeMissing: Whether the file may still have to be made.
  func check(mayBeMissing: Bool = false) throws(DatabaseError) {
    let current = FileIdentity(path: path)
    if mayBeMissing, current == nil { return }
    lock.lock()
    let isFirst = identity == nil && current != nil
    if isFirst, let current, let use, !FileUses.shared.begin(use, of: current) {
      lock.unlock()
      throw .misuse("a file must not be written and opened as immutable in one process: \(path)")
    }
    if isFirst { identity = current }
    let isSame = current != nil && identity == current
    lock.unlock()
    guard isSame else {
      throw DatabaseError(
        kind: .replaced,
        message: "the file has been removed or replaced since the database was opened; open it again: \(path)")
    }
  }
}

/// What the databases of this process do with files.
private final class FileUses: @unchecked Sendable {
  enum Use {
    case written
    case immutable
  }

  static let shared = FileUses()

  // Guarded by `lock`: `counts`.
  private let lock = Lock()
  private var counts: [FileIdentity: (written: Int, immutable: Int)] = [:]

  /// - Returns: Whether nobody uses the file in the other way.
  func begin(_ use: Use, of file: FileIdentity) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    var count = counts[file] ?? (0, 0)
    switch use {
    case .written: count.written += 1
    case .immutable: count.immutable += 1
    }
    if count.written > 0, count.immutable > 0 { return false }
    counts[file] = count
    return true
  }

  func end(_ use: Use, of file: FileIdentity) {
    lock.lock()
    defer { lock.unlock() }
    guard var count = counts[file] else { return }
    switch use {
    case .written: count.written -= 1
    case .immutable: count.immutable -= 1
    }
    counts[file] = count.written + count.immutable > 0 ? count : nil
  }
}
