#if os(Linux)
  import Foundation

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// A connection that says of one byte that it can be read, and gives it out with the second one only.
  ///
  /// What reads from it blocks then, as it does where another process takes away what was there to read.
  struct ReluctantSocket: Sendable {
    let reader: FileHandle
    private let writer: FileHandle

    init() throws {
      #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
      #else
        let stream = SOCK_STREAM
      #endif
      var numbers: [Int32] = [-1, -1]
      var least: Int32 = 2
      guard socketpair(AF_UNIX, stream, 0, &numbers) == 0,
        setsockopt(numbers[0], SOL_SOCKET, SO_RCVLOWAT, &least, socklen_t(MemoryLayout<Int32>.size)) == 0
      else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      reader = FileHandle(fileDescriptor: numbers[0], closeOnDealloc: true)
      writer = FileHandle(fileDescriptor: numbers[1], closeOnDealloc: true)
    }

    func write(_ byte: UInt8) throws { try writer.write(contentsOf: Data([byte])) }

    /// Whether somebody has taken what was written, and may be waiting for more.
    var isEmpty: Bool {
      var byte: UInt8 = 0
      return recv(reader.fileDescriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0
    }
  }
#endif
