import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// Texts of the program in the command with which a connection begins.
@Suite struct ConnectCommandTests {
  private struct Command: Decodable, Equatable {
    var name = ""
    var user: String?
    var pass: String?
    var auth_token: String?
  }

  /// The command that a server receives.
  private func command(_ credentials: String = "", _ set: (inout NATSOptions) -> Void) async throws -> Command {
    let server = try FakeServer()
    defer { server.close() }
    var options = NATSOptions.patient
    set(&options)
    let connection = try await NATSConnection(
      urls: ["nats://\(credentials)127.0.0.1:\(server.port)"], options: options)
    let lines = String(decoding: server.received, as: UTF8.self).split(separator: "\r\n")
    await connection.close()
    #expect(lines.dropFirst() == ["PING"])
    let command = try #require(lines.first).dropFirst("CONNECT ".count)
    return try JSONDecoder().decode(Command.self, from: Data(command.utf8))
  }

  private static let texts = [
    "plain", "with \"quotation marks\"", "\\", "\\n", "x\"}", "combined \"\u{301}", "ü", "\u{85}", "%22%0D%0A", "",
  ]

  @Test(arguments: texts) func serversReceiveTextsAsTheyAre(text: String) async throws {
    #expect(
      try await command {
        $0.name = text
        $0.credentials = .user("u" + text, password: "p" + text)
      } == Command(name: text, user: "u" + text, pass: "p" + text))
    #expect(
      try await command {
        $0.name = text
        $0.credentials = .token("t" + text)
      } == Command(name: text, auth_token: "t" + text))
    #expect(try await command { $0.credentials = .tokens { "t" + text } } == Command(auth_token: "t" + text))
    #expect(try await command("u\(text):p\(text)@") { _ in } == Command(user: "u" + text, pass: "p" + text))
    #expect(try await command("t\(text)@") { _ in } == Command(auth_token: "t" + text))
  }

  private static let commands = "x\"}\r\nPUB orders 2\r\nhi\r\nPING\r\nCONNECT {\"name\":\"y"

  @Test(arguments: [commands, "\n", "\0", "secret\0", "\u{7f}", "\t"])
  func controlCharactersAreRefused(text: String) async throws {
    let server = try FakeServer()
    defer { server.close() }
    let address = "127.0.0.1:\(server.port)"
    var all: [(url: String, NATSOptions)] = [
      ("nats://\(text)@\(address)", .patient), ("nats://anna:\(text)@\(address)", .patient),
    ]
    let settings: [(inout NATSOptions) -> Void] = [
      { $0.name = text }, { $0.credentials = .user(text, password: "a") },
      { $0.credentials = .user("a", password: text) }, { $0.credentials = .token(text) },
      { $0.tls = NATSOptions.TLS(serverName: text) },
    ]
    for set in settings {
      var options = NATSOptions.patient
      set(&options)
      all.append((server.url, options))
    }
    for (url, options) in all {
      let error = await natsError { await (try NATSConnection(urls: [url], options: options)).close() }
      #expect(error?.kind == .misuse)
      #expect(error.map { "\($0)".contains("secret") } == false)
    }
    #expect(server.received.isEmpty)
  }

  @Test func aTokenOfAClosureIsRefusedToo() async throws {
    let server = try FakeServer()
    defer { server.close() }
    var options = NATSOptions.patient
    options.credentials = .tokens { "secret\r\nPUB orders 0\r\n" }
    let refused = options
    let error = await natsError { await (try NATSConnection(urls: [server.url], options: refused)).close() }
    #expect(error?.kind == .misuse)
    #expect(error.map { "\($0)".contains("secret") } == false)
    await server.disconnected.wait()
    #expect(!String(decoding: server.received, as: UTF8.self).contains("PUB"))
  }
}
