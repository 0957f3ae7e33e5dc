import Foundation

#if canImport(Darwin)
  private typealias Stream = UnsafeMutablePointer<DIR>
#else
  private typealias Stream = OpaquePointer
#endif

/// A folder that is being listed, one name at a time.
final class FolderHandle {
  /// The folder's path, relative to the root of the walk.
  let path: EntryPath
  private let stream: Stream

  /// Opens the folder at `location`.
  ///
  /// - Parameter followsLink: Whether `location` may be a link. Not below the root: a folder that was replaced by a
  ///   link after it had been listed would lead out of the tree.
  init(opening location: EntryPath, as path: EntryPath, followsLink: Bool) throws(SystemError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)
    let number = location.withCString { location in
      retrying { open(location, flags) }
    }
    guard number >= 0 else { throw .last }
    guard let stream = fdopendir(number) else {
      let error = SystemError.last
      close(number)
      throw error
    }
    self.path = path
    self.stream = stream
  }

  deinit {
    closedir(stream)
  }

  /// The next name, in the file system's order; `nil` after the last.
  func next() throws(SystemError) -> EntryPath? {
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno == 0 { return nil }
        throw .last
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 1) { EntryPath($0) }
      }
      if name != EntryPath(".") && name != EntryPath("..") { return name }
    }
  }

  /// The kind of an entry of the folder.
  func kind(of name: EntryPath, followingLink: Bool) throws(SystemError) -> EntryKind {
    var status = stat()
    let result = name.withCString { name in
      fstatat(dirfd(stream), name, &status, followingLink ? 0 : AT_SYMLINK_NOFOLLOW)
    }
    guard result == 0 else { throw .last }
    return EntryKind(mode: status.st_mode)
  }

  /// The destination of a link in the folder, as it was written.
  func destination(ofLink name: EntryPath) -> EntryPath {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
      let count = name.withCString { readlinkat(dirfd(stream), $0, buffer.baseAddress!, Int(PATH_MAX)) }
      buffer[max(count, 0)] = 0
      return EntryPath(buffer.baseAddress!)
    }
  }
}
