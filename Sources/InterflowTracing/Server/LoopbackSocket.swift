#if !os(Windows) && !os(WASI)
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  /// A socket that listens on the loopback interface, or a connection that was made to it. None of them ever waits.
  struct LoopbackSocket: Sendable {
    let descriptor: Int32
    var port: UInt16 = 0

    init(port: UInt16) throws(TraceServer.Failure) {
      #if canImport(Glibc)
        // A process that another thread starts meanwhile does not inherit it.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      #else
        let kind = SOCK_STREAM
      #endif
      descriptor = socket(AF_INET, kind, 0)
      guard descriptor >= 0 else { throw Self.failure("a socket") }
      // A port that was used a moment ago is free.
      var yes: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      prepare()
      var address = sockaddr_in()
      #if canImport(Darwin)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
      #endif
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let descriptor = descriptor
      let isListening = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(descriptor, address, size) == 0 && listen(descriptor, 16) == 0
            && getsockname(descriptor, address, &size) == 0
        }
      }
      guard isListening else {
        let failure = Self.failure("port \(port) of the loopback interface")
        close()
        throw failure
      }
      self.port = UInt16(bigEndian: address.sin_port)
    }

    private init(connection descriptor: Int32) {
      self.descriptor = descriptor
      prepare()
    }

    private static func failure(_ what: String) -> TraceServer.Failure {
      TraceServer.Failure(description: "cannot listen: \(what): \(String(cString: strerror(errno)))")
    }

    private func prepare() {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
      // A process that this one starts does not inherit it, unless another thread starts it at this moment.
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      #if canImport(Darwin)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
      #endif
    }

    /// A connection that waits to be accepted, if there is one.
    func accept() -> LoopbackSocket? {
      #if canImport(Darwin)
        let connection = Darwin.accept(descriptor, nil, nil)
      #elseif canImport(Glibc)
        let connection = Glibc.accept(descriptor, nil, nil)
      #elseif canImport(Musl)
        let connection = Musl.accept(descriptor, nil, nil)
      #elseif canImport(Android)
        let connection = Android.accept(descriptor, nil, nil)
      #endif
      return connection >= 0 ? LoopbackSocket(connection: connection) : nil
    }

    /// Reads what has arrived: empty at the end, nil if nothing has.
    func read() -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      if count < 0 { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? nil : [] }
      return Array(bytes[..<count])
    }

    /// Writes as much as fits; nil if the other side is gone.
    func write(_ bytes: ArraySlice<UInt8>) -> Int? {
      #if canImport(Darwin)
        let flags: Int32 = 0
      #else
        let flags = Int32(MSG_NOSIGNAL)
      #endif
      let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
      if count < 0 { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : nil }
      return count
    }

    func close() {
      #if canImport(Darwin)
        _ = Darwin.close(descriptor)
      #elseif canImport(Glibc)
        _ = Glibc.close(descriptor)
      #elseif canImport(Musl)
        _ = Musl.close(descriptor)
      #elseif canImport(Android)
        _ = Android.close(descriptor)
      #endif
    }
  }
#endif
