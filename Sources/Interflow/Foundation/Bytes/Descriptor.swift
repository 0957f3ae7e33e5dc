#if !canImport(Darwin) && !os(Windows)
  import Foundation

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  /// A file descriptor to read from: a file's own, opened at the first read and closed with this object, or a handle's.
  final class Descriptor: @unchecked Sendable {  // Its reader's queue is the only one to use what is mutable.
    private enum Origin {
      case file(URL)
      case handle(FileHandle)
    }

    /// What came of an attempt to read.
    enum Attempt {
      /// So many bytes; none at the end.
      case read(Int)
      /// There is nothing to read yet.
      case notReady
    }

    private let origin: Origin
    private var opened: Int32?
    private var isRegular: Bool?

    init(of handle: FileHandle) {
      origin = .handle(handle)
    }

    init(of file: URL) {
      origin = .file(file)
    }

    deinit {
      if let opened { close(opened) }
    }

    /// The descriptor's number. A handle's is read each time: a handle that was closed has none.
    func number() throws -> Int32 {
      switch origin {
      case .handle(let handle):
        let number = handle.fileDescriptor
        // Nothing else would say so: whoever polls passes over what has no number.
        guard number >= 0 else { throw failure(EBADF) }
        return number
      case .file(let file):
        if let opened { return opened }
        // Without blocking: a pipe without a writer would keep `open` waiting, which nobody could cancel.
        let number = file.withUnsafeFileSystemRepresentation { path in
          path.map { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) } ?? -1
        }
        guard number >= 0 else { throw failure(errno) }
        opened = number
        return number
      }
    }

    /// Reads what there is. Blocks as long as a file's own storage takes, and where another process takes what there
    /// was to read.
    ///
    /// - Parameter isWanted: Asked when there is something to read; if it says no, nothing is read.
    func read(into bytes: UnsafeMutableRawBufferPointer, if isWanted: () -> Bool) throws -> Attempt {
      // The null device's handle has no number.
      if case .handle(let handle) = origin, handle === FileHandle.nullDevice { return .read(0) }
      let number = try number()
      if try isRegularFile(number) { return try readOnce(number, bytes) }
      // Keeps what is seen to be readable so until it has been read, where two iterators read from one pipe.
      let entry = ReadingLocks.shared.entry(for: number)
      entry.lock.lock()
      defer { entry.lock.unlock() }
      var query = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
      guard poll(&query, 1, 0) > 0, isWanted() else { return .notReady }
      return try readOnce(number, bytes)
    }

    private func readOnce(_ number: Int32, _ bytes: UnsafeMutableRawBufferPointer) throws -> Attempt {
      while true {
        let count = readBytes(number, bytes.baseAddress, bytes.count)
        if count >= 0 { return .read(count) }
        switch errno {
        case EINTR: continue
        case EAGAIN, EWOULDBLOCK: return .notReady
        default: throw failure(errno)
        }
      }
    }

    private func isRegularFile(_ number: Int32) throws -> Bool {
      if let isRegular { return isRegular }
      var status = stat()
      guard fstat(number, &status) == 0 else { throw failure(errno) }
      let isRegular = status.st_mode & S_IFMT == S_IFREG
      self.isRegular = isRegular
      return isRegular
    }

    private func failure(_ code: Int32) -> CocoaError {
      let kind: CocoaError.Code =
        switch code {
        case ENOENT, ENOTDIR: .fileReadNoSuchFile
        case EACCES, EPERM: .fileReadNoPermission
        default: .fileReadUnknown
        }
      var details: [String: Any] = [
        NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(code))
      ]
      if case .file(let file) = origin {
        details[NSURLErrorKey] = file
        details[NSFilePathErrorKey] = file.path
      }
      return CocoaError(kind, userInfo: details)
    }
  }

  // The C library's function, where a method's name hides it.
  private let readBytes = read(_:_:_:)
#endif
