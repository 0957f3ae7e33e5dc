import Foundation

/// An open file of the C library, closed when it goes out of scope.
struct FileDescriptor: ~Copyable {
  let number: Int32

  init(opening path: EntryPath, flags: Int32) throws(SystemError) {
    let number = path.withCString { path in
      retrying { open(path, flags | O_CLOEXEC) }
    }
    guard number >= 0 else { throw .last }
    self.number = number
  }

  deinit {
    close(number)
  }

  func status() throws(SystemError) -> stat {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw .last }
    return status
  }

  /// Reads up to the buffer's size.
  ///
  /// - Returns: How many bytes were read; zero at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    let count = retrying { Foundation.read(number, buffer.baseAddress, buffer.count) }
    guard count >= 0 else { throw .last }
    return count
  }
}

/// Repeats a call of the C library that a signal has interrupted.
func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}
