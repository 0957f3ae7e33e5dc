import Foundation

/// What tells, without reading it, whether a file is the one that was read before.
package struct FileStamp: Equatable, Sendable {
  package var inode: Int64
  package var size: Int64
  /// When the content was changed, in nanoseconds since 1970.
  package var modified: Int64
  /// When the file was changed, also by a program that sets the other time back.
  package var changed: Int64

  init(_ status: stat) {
    inode = Int64(truncatingIfNeeded: status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Darwin)
      modified = Self.nanoseconds(status.st_mtimespec)
      changed = Self.nanoseconds(status.st_ctimespec)
    #else
      modified = Self.nanoseconds(status.st_mtim)
      changed = Self.nanoseconds(status.st_ctim)
    #endif
  }

  package init(inode: Int64, size: Int64, modified: Int64, changed: Int64) {
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
  }

  /// Whether a later change gives another stamp.
  ///
  /// File systems round times, some to two seconds. A file that is changed, read and changed again within that keeps its
  /// time, so a file that has just been changed is read again by the next run.
  package func isReliable(at now: Int64) -> Bool {
    // A time that is centuries away does not fit.
    let (age, overflow) = now.subtractingReportingOverflow(modified)
    return overflow || age.magnitude > 2_000_000_000
  }

  /// The time of the system's clock, in nanoseconds since 1970.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
