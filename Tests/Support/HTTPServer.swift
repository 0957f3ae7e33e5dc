import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A server on the loopback interface that answers as a test says, byte for byte.
package final class HTTPServer: Sendable {
  package struct Request: Sendable {
    package var method: String
    package var path: String
    /// The names are in lower case.
    package var headers: [String: String]
    package var body: Data
  }

  /// The connection that a request has come on. It is closed when the answer's closure returns.
  package struct Connection: Sendable {
    fileprivate let socket: Int32

    /// - Returns: Whether the other side still took it.
    @discardableResult
    package func send(_ data: Data) -> Bool {
      var rest = data[...]
      while !rest.isEmpty {
        let sent = rest.withUnsafeBytes { transmit(socket, $0.baseAddress, $0.count, noSignal) }
        guard sent > 0 else { return false }
        rest = rest.dropFirst(sent)
      }
      return true
    }

    /// Answers in one go.
    package func respond(_ status: String = "200 OK", headers: [String] = [], body: Data = Data()) {
      sendHead(status, headers: headers, length: body.count)
      send(body)
    }

    package func sendHead(_ status: String = "200 OK", headers: [String] = [], length: Int) {
      let lines = ["HTTP/1.1 \(status)", "Content-Length: \(length)", "Connection: close"] + headers
      send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    }

    /// Returns when the other side has closed the connection.
    package func waitForClose() {
      var byte: UInt8 = 0
      while receive(socket, &byte, 1, 0) > 0 {}
    }
  }

  private let listener: Int32
  package let port: UInt16
  private let received = Shared<[Request]>([])

  /// The requests so far, in the order in which they came.
  package var requests: [Request] { received.value }

  /// Starts to listen.
  ///
  /// - Parameter answer: Called on a thread of its own for each request.
  package init(_ answer: @escaping @Sendable (Request, Connection) -> Void) throws {
    (listener, port) = try Self.listen()
    let (listener, received) = (self.listener, self.received)
    Thread {
      while true {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else { return }
        Thread {
          let connection = Connection(socket: socket)
          if let request = Self.readRequest(socket) {
            received.update { $0.append(request) }
            answer(request, connection)
          }
          shutdown(socket, Int32(SHUT_RDWR))
          close(socket)
        }.start()
      }
    }.start()
  }

  deinit {
    // Ends `accept`, which closing alone does not.
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  package func url(_ path: String = "/") -> URL {
    // The text is a URL by construction.
    URL(string: "http://127.0.0.1:\(port)\(path)").unsafelyUnwrapped
  }

  /// A port where nobody listens.
  package static func unusedPort() throws -> UInt16 {
    let (listener, port) = try listen()
    close(listener)
    return port
  }

  private static func listen() throws -> (Int32, UInt16) {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutableBytes(of: &address) { bytes in
      guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return bind(listener, address, length) == 0 && openQueue(listener, 64) == 0
        && getsockname(listener, address, &length) == 0
    }
    guard listener >= 0, isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  private static func readRequest(_ socket: Int32) -> Request? {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    func readMore() -> Bool {
      let count = receive(socket, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      data.append(contentsOf: buffer[..<count])
      return true
    }
    let end = Data("\r\n\r\n".utf8)
    while data.range(of: end) == nil { guard readMore() else { return nil } }
    guard let head = data.range(of: end) else { return nil }
    let lines = String(decoding: data[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ").map(String.init)
    let headers = lines.dropFirst().reduce(into: [String: String]()) { headers, line in
      guard let colon = line.firstIndex(of: ":") else { return }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      headers[line[..<colon].lowercased()] = value
    }
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    while data.count < head.upperBound + length { guard readMore() else { return nil } }
    return Request(method: words[0], path: words[1], headers: headers, body: data[head.upperBound...])
  }
}

// The C library's functions, where a method's name hides them.
private let transmit = send(_:_:_:_:)
private let receive = recv(_:_:_:_:)
private let openQueue = listen(_:_:)

#if canImport(Darwin)
  private let noSignal: Int32 = 0
#else
  /// A connection that the other side has closed fails, instead of ending the process.
  private let noSignal = Int32(MSG_NOSIGNAL)
#endif
