import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A TCP socket on the loopback interface.
///
/// It is closed when nothing refers to it any more, and until then any thread may end it. A descriptor that is closed is the
/// number of the next socket of any test: a thread that ended one by its number would end that one.
package final class Socket: Sendable {
  private let descriptor: Int32

  private init(_ descriptor: Int32) throws {
    guard descriptor >= 0 else { throw Self.failure }
    self.descriptor = descriptor
    // A process that is started meanwhile would keep the connection.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  private convenience init() throws {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    try self.init(makeSocket(AF_INET, stream, 0))
  }

  deinit {
    _ = closeDescriptor(descriptor)
  }

  /// One that listens on a port that is free.
  package static func listening() throws -> (Socket, port: UInt16) {
    let listener = try Socket()
    var address = address(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener.descriptor, $0, size) == 0 && openQueue(listener.descriptor, 64) == 0
          && getsockname(listener.descriptor, $0, &size) == 0
      }
    }
    guard isListening else { throw failure }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  /// One that is connected to a port.
  package static func connected(to port: UInt16) throws -> Socket {
    let socket = try Socket()
    var address = address(port)
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        openConnection(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw failure }
    socket.sendSmallMessagesImmediately()
    return socket
  }

  private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// Otherwise, they would wait for each other's acknowledgements.
  private func sendSmallMessagesImmediately() {
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Waits for a connection.
  ///
  /// - Returns: The connection; `nil` when the socket has been ended, or there are no descriptors any more, which ends it.
  package func accept() -> Socket? {
    while true {
      if let connection = try? Socket(acceptConnection(descriptor, nil, nil)) {
        connection.sendSmallMessagesImmediately()
        return connection
      }
      // A client that has gone, and a signal, end nothing.
      if errno == EINTR || errno == ECONNABORTED { continue }
      end()
      return nil
    }
  }

  /// - Returns: Whether all of it was sent.
  @discardableResult
  package func send(_ data: Data) -> Bool {
    var rest = data[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { transmit(descriptor, $0.baseAddress, $0.count, noSignal) }
      if sent < 0, errno == EINTR { continue }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// Waits for bytes.
  ///
  /// - Returns: What has arrived; `nil` at the end.
  package func receive() -> Data? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = receiveBytes(descriptor, &buffer, buffer.count, 0)
      if count > 0 { return Data(buffer[..<count]) }
      if count == 0 || errno != EINTR { return nil }
    }
  }

  /// Ends the connection in both directions, or the listening, whoever waits.
  package func end() {
    // Closing alone does not end a call that waits.
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

// The C library's functions, where a method's name hides them.
private let makeSocket = socket(_:_:_:)
private let closeDescriptor = close(_:)
private let openQueue = listen(_:_:)
private let openConnection = connect(_:_:_:)
private let acceptConnection = accept(_:_:_:)
private let transmit = send(_:_:_:_:)
private let receiveBytes = recv(_:_:_:_:)

#if canImport(Darwin)
  private let noSignal: Int32 = 0
#else
  /// A connection that the other side has closed fails, instead of ending the process.
  private let noSignal = Int32(MSG_NOSIGNAL)
#endif
