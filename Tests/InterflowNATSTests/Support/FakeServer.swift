import Foundation
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

  private let listener: Socket
  private let information: String
  private let pingCount: Int
  private let answer: @Sendable (Request) -> [Answer]
  private let lock = Lock()
  private var bytes = Data()
  private var clients: [Socket] = []
  private var isClosed = false

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
    (listener, port) = try Socket.listening()
    let listener = listener
    Thread.detachNewThread { [self] in
      while let client = listener.accept() {
        lock.lock()
        clients.append(client)
        if isClosed { client.end() }
        lock.unlock()
        Thread.detachNewThread { [self] in
          serve(client)
          client.end()
          lock.lock()
          clients.removeAll { $0 === client }
          lock.unlock()
          disconnected.fire()
        }
      }
    }
  }

  /// Sends a line to the first client that is connected, which has it when this returns.
  func send(toFirst line: String) {
    lock.lock()
    clients.first?.send(Data("\(line)\r\n".utf8))
    lock.unlock()
  }

  /// Ends the server with all its connections.
  func close() {
    listener.end()
    lock.lock()
    isClosed = true
    for client in clients { client.end() }
    lock.unlock()
  }

  private func serve(_ client: Socket) {
    client.send(Data("INFO \(information)\r\n".utf8))
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
        client.send(Data("PONG\r\n".utf8))
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

  private func send(_ answer: Answer, _ subject: String, _ number: String, to client: Socket) {
    let target = "\(subject) \(number)" + (answer.reply.map { " \($0)" } ?? "")
    var message: Data
    if let headers = answer.headers {
      message = Data("HMSG \(target) \(headers.utf8.count) \(headers.utf8.count + answer.bytes.count)\r\n".utf8)
      message += Data(headers.utf8)
    } else {
      message = Data("MSG \(target) \(answer.bytes.count)\r\n".utf8)
    }
    client.send(message + answer.bytes + Data("\r\n".utf8))
  }

  private static func matches(_ subject: String, _ pattern: [Substring]) -> Bool {
    let parts = subject.split(separator: ".")
    if pattern.last == ">" { return parts.count >= pattern.count && zip(parts, pattern.dropLast()).allSatisfy(isEqual) }
    return parts.count == pattern.count && zip(parts, pattern).allSatisfy(isEqual)
  }

  private static func isEqual(_ part: Substring, _ pattern: Substring) -> Bool { pattern == "*" || part == pattern }
}

extension FakeServer {
  /// Reads lines and blocks of bytes from a socket.
  private struct Reader {
    private let socket: Socket
    private let report: (Data) -> Void
    private var buffer = Data()

    init(_ socket: Socket, _ report: @escaping (Data) -> Void) {
      (self.socket, self.report) = (socket, report)
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
      guard let data = socket.receive() else { return false }
      report(data)
      buffer += data
      return true
    }
  }
}
