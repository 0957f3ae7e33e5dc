import Foundation
import Glibc
import InterflowPrimitives
import InterflowTestSupport

/// A server that speaks as much of NATS as one client needs, and answers requests as a test says.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class FakeServer: @unchecked Sendable {
  /// Something that a client has published.
  struct Request: Sendable {
    let subject: String
    let reply: String?
    let headers: String
    let bytes: Data
  }

  /// A message to a client.
  struct Answer: Sendable {
    var headers: String?
    var bytes: Data
    /// The subject for acknowledgements.
    var reply: String?
    /// Where it is sent; `nil` for the request's own subject for replies.
    var target: String?
    /// The subject that it has for the client; `nil` for where it is sent.
    var subject: String?

    init(
      _ bytes: Data, headers: String? = nil, reply: String? = nil, target: String? = nil, subject: String? = nil
    ) {
      (self.bytes, self.headers, self.reply) = (bytes, headers, reply)
      (self.target, self.subject) = (target, subject)
    }

    init(
      _ text: String, headers: String? = nil, reply: String? = nil, target: String? = nil, subject: String? = nil
    ) {
      self.init(Data(text.utf8), headers: headers, reply: reply, target: target, subject: subject)
    }
  }

  static let information =
    #"{"server_id":"FAKE","server_name":"fake","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576}"#

  let port: UInt16
  var url: String { "nats://127.0.0.1:\(port)" }
  /// Fired when a client's connection has ended.
  let disconnected = Signal()

  private let listener: Int32
  private let information: String
  private let pingCount: Int
  private let answer: @Sendable (Request) -> [Answer]
  private let lock = Lock()
  private var bytes = Data()
  private var clients: [Int32] = []

  /// What all clients have sent.
  var received: Data {
    lock.lock()
    defer { lock.unlock() }
    return bytes
  }

  /// - Parameters:
  ///   - information: The text with which the server introduces itself.
  ///   - pingCount: How many pings of a client are answered; the next one ends its connection.
  ///   - answer: Called for what clients publish, on a thread of its own for each client.
  init(
    information: String = FakeServer.information, pingCount: Int = .max,
    answer: @escaping @Sendable (Request) -> [Answer] = { _ in [] }
  ) throws {
    self.information = information
    self.pingCount = pingCount
    self.answer = answer
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard isListening else { throw POSIXError(.EADDRINUSE) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { break }
        var one: Int32 = 1
        setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        lock.lock()
        clients.append(client)
        lock.unlock()
        Thread.detachNewThread { [self] in
          serve(client)
          lock.lock()
          clients.removeAll { $0 == client }
          lock.unlock()
          Glibc.close(client)
          disconnected.fire()
        }
      }
      Glibc.close(listener)
    }
  }

  /// Ends the server with all its connections.
  func close() {
    shutdown(listener, Int32(SHUT_RDWR))
    lock.lock()
    let clients = clients
    lock.unlock()
    for client in clients { shutdown(client, Int32(SHUT_RDWR)) }
  }

  private func serve(_ client: Int32) {
    write(Data("INFO \(information)\r\n".utf8), to: client)
    var reader = Reader(client) { [self] data in
      lock.lock()
      bytes += data
      lock.unlock()
    }
    // Patterns by the numbers that the client gives subscriptions.
    var subscriptions: [String: [Substring]] = [:]
    var pings = 0
    while let line = reader.line() {
      let words = line.split(separator: " ").map(String.init)
      switch words.first?.uppercased() {
      case "PING":
        if pings == pingCount { return }
        pings += 1
        write(Data("PONG\r\n".utf8), to: client)
      case "SUB": subscriptions[words.last ?? ""] = words[1].split(separator: ".")
      case "UNSUB" where words.count == 2: subscriptions[words[1]] = nil
      case "PUB", "HPUB":
        guard let request = request(words, &reader) else { return }
        for answer in answer(request) {
          guard let target = answer.target ?? request.reply else { continue }
          let number = subscriptions.first { Self.matches(target, $0.value) }?.key
          if let number { send(answer, answer.subject ?? target, number, to: client) }
        }
      default: break
      }
    }
  }

  private func request(_ words: [String], _ reader: inout Reader) -> Request? {
    let hasHeaders = words[0].uppercased() == "HPUB"
    let sizes = words.suffix(hasHeaders ? 2 : 1).compactMap(Int.init)
    guard let size = sizes.last, let body = reader.bytes(size), reader.bytes(2) != nil else { return nil }
    let headerSize = hasHeaders ? sizes[0] : 0
    return Request(
      subject: words[1], reply: words.count == (hasHeaders ? 5 : 4) ? words[2] : nil,
      headers: String(decoding: body.prefix(headerSize), as: UTF8.self), bytes: Data(body.dropFirst(headerSize)))
  }

  private func send(_ answer: Answer, _ subject: String, _ number: String, to client: Int32) {
    let target = "\(subject) \(number)" + (answer.reply.map { " \($0)" } ?? "")
    var message: Data
    if let headers = answer.headers {
      message = Data("HMSG \(target) \(headers.utf8.count) \(headers.utf8.count + answer.bytes.count)\r\n".utf8)
      message += Data(headers.utf8)
    } else {
      message = Data("MSG \(target) \(answer.bytes.count)\r\n".utf8)
    }
    write(message + answer.bytes + Data("\r\n".utf8), to: client)
  }

  private static func matches(_ subject: String, _ pattern: [Substring]) -> Bool {
    let parts = subject.split(separator: ".")
    if pattern.last == ">" { return parts.count >= pattern.count && zip(parts, pattern.dropLast()).allSatisfy(isEqual) }
    return parts.count == pattern.count && zip(parts, pattern).allSatisfy(isEqual)
  }

  private static func isEqual(_ part: Substring, _ pattern: Substring) -> Bool { pattern == "*" || part == pattern }

  private func write(_ data: Data, to client: Int32) {
    data.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Glibc.send(client, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        if count <= 0 { return }
        sent += count
      }
    }
  }
}

extension FakeServer {
  /// Reads lines and blocks of bytes from a socket.
  private struct Reader {
    private let file: Int32
    private let report: (Data) -> Void
    private var buffer = Data()

    init(_ file: Int32, _ report: @escaping (Data) -> Void) {
      (self.file, self.report) = (file, report)
    }

    mutating func line() -> String? {
      while true {
        if let end = buffer.firstRange(of: Data("\r\n".utf8)) {
          defer { buffer = Data(buffer[end.upperBound...]) }
          return String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        }
        if !fill() { return nil }
      }
    }

    mutating func bytes(_ count: Int) -> Data? {
      while buffer.count < count { if !fill() { return nil } }
      defer { buffer = Data(buffer.dropFirst(count)) }
      return Data(buffer.prefix(count))
    }

    private mutating func fill() -> Bool {
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = recv(file, &chunk, chunk.count, 0)
      if count <= 0 { return false }
      let data = Data(chunk[..<count])
      report(data)
      buffer += data
      return true
    }
  }
}
