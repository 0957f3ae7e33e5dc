import InterflowSQLite

/// The row of an entry: a file that was read has bytes, others a reason why they were not.
struct StoredEntry: DatabaseRecord {
  static let databaseTableName = "entry"

  private var folder: Int64
  private var path: [UInt8]
  private var run: Int64
  private var `extension`: String?
  private var bytes: Int?
  private var lines: Int?
  private var cksum: UInt32?
  private var inode: Int64?
  private var size: Int64?
  private var modified: Int64?
  private var changed: Int64?
  private var failure: String?
  private var rule: String?

  private init(_ path: EntryPath, _ key: StoredRun.Key) {
    folder = key.folder
    self.path = path.bytes
    run = key.run
  }

  init(_ file: IndexedFile, _ key: StoredRun.Key) {
    self.init(file.path, key)
    `extension` = file.path.fileExtension
    (bytes, lines, cksum) = (file.bytes, file.lines, file.checksum)
    (inode, size) = (file.stamp?.inode, file.stamp?.size)
    (modified, changed) = (file.stamp?.modified, file.stamp?.changed)
  }

  init(_ failed: FailedEntry, _ key: StoredRun.Key) {
    self.init(failed.path, key)
    failure = failed.reason
  }

  init(_ skipped: SkippedEntry, _ key: StoredRun.Key) {
    self.init(skipped.path, key)
    rule = "\(skipped.rule)"
  }
}
