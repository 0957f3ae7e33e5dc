import Foundation

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
    fileprivate let socket: Socket

    /// - Returns: Whether the other side still took it.
    @discardableResult
    package func send(_ data: Data) -> Bool { socket.send(data) }

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
      while socket.receive() != nil {}
    }
  }

  private let listener: Socket
  package let port: UInt16
  private let received = Shared<[Request]>([])

  /// The requests so far, in the order in which they came.
  package var requests: [Request] { received.value }

  /// Starts to listen.
  ///
  /// - Parameter answer: Called on a thread of its own for each request.
  package init(_ answer: @escaping @Sendable (Request, Connection) -> Void) throws {
    (listener, port) = try Socket.listening()
    let (listener, received) = (self.listener, self.received)
    Thread {
      while let socket = listener.accept() {
        Thread {
          if let request = Self.readRequest(socket) {
            received.update { $0.append(request) }
            answer(request, Connection(socket: socket))
          }
          socket.end()
        }.start()
      }
    }.start()
  }

  deinit {
    listener.end()
  }

  package func url(_ path: String = "/") -> URL {
    // The text is a URL by construction.
    URL(string: "http://127.0.0.1:\(port)\(path)").unsafelyUnwrapped
  }

  /// A port where nobody listens.
  package static func unusedPort() throws -> UInt16 {
    try Socket.listening().port
  }

  private static func readRequest(_ socket: Socket) -> Request? {
    var data = Data()
    func readMore() -> Bool {
      guard let bytes = socket.receive() else { return false }
      data += bytes
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
