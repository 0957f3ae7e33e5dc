#if INTERFLOW_FOUNDATION && !canImport(Darwin) && !os(Windows)
  import Foundation

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  /// A file descriptor to read from: that of a file, opened at the first read and closed with this object, or a
  /// handle's.
  final class Descriptor: @unchecked Sendable {  // Only its reader's queue uses the variables.
    private enum Origin {
      case file(URL)
      case handle(FileHandle)
    }

    /// The result of an attempt to read.
    enum Attempt {
      /// This many bytes were read; none at the end.
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
        // `poll` ignores a negative number, so it would not report this.
        guard number >= 0 else { throw failure(EBADF) }
        return number
      case .file(let file):
        if let opened { return opened }
        // Without blocking: `open` would wait for the writer of a pipe, and could not be cancelled.
        let number = file.withUnsafeFileSystemRepresentation { path in
          path.map { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) } ?? -1
        }
        guard number >= 0 else { throw failure(errno) }
        opened = number
        return number
      }
    }

    /// Reads the available bytes. Blocks while a file's storage is read, and if another process takes the bytes first.
    ///
    /// - Parameter isPending: Called when there is something to read; if it returns `false`, nothing is read.
    func read(into bytes: UnsafeMutableRawBufferPointer, if isPending: () -> Bool) throws -> Attempt {
      // The null device's handle has no number.
      if case .handle(let handle) = origin, handle === FileHandle.nullDevice { return .read(0) }
      let number = try number()
      if try isRegularFile(number) { return try readOnce(number, bytes) }
      // If two iterators read from one pipe, the other must not take the bytes between `poll` and `read`.
      let entry = ReadingLocks.shared.entry(for: number)
      entry.lock.lock()
      defer { entry.lock.unlock() }
      var query = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
      guard poll(&query, 1, 0) > 0, isPending() else { return .notReady }
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

  // The C library's function, which the method's name would hide.
  private let readBytes = read(_:_:_:)
#endif
