import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// Connections that have to prove something, or to which something is proved.
@Suite struct NATSConnectionSecurityTests {
  private func error(_ server: NATSServer, _ set: (inout NATSOptions) -> Void) async -> NATSError? {
    var options = NATSOptions.patient
    set(&options)
    return await natsError { await (try NATSConnection(urls: [server.url], options: options)).close() }
  }

  @Test func aToken() async throws {
    let server = try NATSServer(configuration: "authorization { token: right }")
    let wrong = await error(server) { $0.credentials = .token("wrong-secret") }
    #expect(wrong?.kind == .notAuthorized)
    #expect(wrong.map { "\($0)".contains("wrong-secret") } == false)
    #expect(await error(server) { $0.credentials = .token("right") } == nil)
    #expect(await error(server) { _ in }?.kind == .notAuthorized)
  }

  /// Options with a token that can be replaced, and how often it has been asked for.
  private static func withTokens() -> (NATSOptions, token: Shared<String>, asked: Shared<Int>) {
    let (token, asked) = (Shared("first"), Shared(0))
    var options = NATSOptions.reconnecting
    options.credentials = .tokens {
      asked.update { $0 += 1 }
      return token.value
    }
    return (options, token, asked)
  }

  /// What happens to a connection's credentials when it is restored.
  private struct LoginEvents {
    private let refusals = Signal()
    private let restorations = Signal()
    private let cancellables: [AnyCancellable]

    init(_ connection: NATSConnection) {
      cancellables = [
        connection.errors.sink { [refusals] in if $0.kind == .notAuthorized { refusals.fire() } },
        connection.status.dropFirst().sink { [restorations] in if case .connected = $0 { restorations.fire() } },
      ]
    }

    func refusal() async { await refusals.wait() }

    func restoration() async { await restorations.wait() }
  }

  @Test func aTokenIsAskedForAtEachConnection() async throws {
    let server = try NATSServer(configuration: "authorization { token: first }")
    let (options, token, asked) = Self.withTokens()
    let connection = try await NATSConnection(urls: [server.url], options: options)
    #expect(asked.value == 1)
    let events = LoginEvents(connection)
    server.kill()
    token.value = "second"
    try server.configure("authorization { token: second }")
    try server.restart()
    await events.restoration()
    #expect(asked.value >= 2)
    try await connection.flush()
    await connection.close()
  }

  /// The library would give up after two refusals.
  @Test func aTokenThatWasRefusedIsSentAgainUntilItIsRight() async throws {
    let server = try NATSServer(configuration: "authorization { token: first }")
    let (options, token, asked) = Self.withTokens()
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let events = LoginEvents(connection)
    server.kill()
    try server.configure("authorization { token: second }")
    try server.restart()
    await events.refusal()
    // More often than the library would try, also with another one that is not right.
    for next in ["first", "wrong"] {
      token.value = next
      let count = asked.value
      await until { asked.value >= count + 5 || connection.events.endError(while: "testing") != nil }
    }
    token.value = "second"
    await events.restoration()
    try await connection.flush()
    // And it is closed while it waits.
    server.kill()
    try server.configure("authorization { token: third }")
    try server.restart()
    await events.refusal()
    let statuses = connection.statuses
    await connection.close()
    var last: NATSConnection.Status?
    for await status in statuses { last = status }
    guard case .closed(nil)? = last else {
      Issue.record("\(String(describing: last))")
      return
    }
  }

  /// The library counts the refusals of each server, and asks how long to wait before the last one of each round.
  ///
  /// - Parameter count: How many of two servers are there when they refuse the token.
  @Test(arguments: [1, 2])
  func aTokenThatServersHaveRefusedIsSentAgainWhenThereIsAnother(count: Int) async throws {
    let servers = try (0..<2).map { _ in try NATSServer(configuration: "authorization { token: first }") }
    let (options, token, asked) = Self.withTokens()
    let connection = try await NATSConnection(urls: servers.map(\.url), options: options)
    let events = LoginEvents(connection)
    for server in servers {
      server.kill()
      try server.configure("authorization { token: second }")
    }
    for server in servers.prefix(count) { try server.restart() }
    await events.refusal()
    // More often than the library would try.
    let before = asked.value
    await until { asked.value >= before + 5 || connection.events.endError(while: "testing") != nil }
    token.value = "second"
    var end: NATSConnection.Status?
    search: for await status in connection.statuses {
      switch status {
      case .reconnecting: continue
      case .connected, .closed:
        end = status
        break search
      }
    }
    #expect(end?.isConnected == true, "\(String(describing: end))")
    await connection.close()
  }

  /// The client's password does not change, and the server's does, for a while.
  ///
  /// - Parameter inAddress: Whether the address contains it.
  @Test(arguments: [false, true])
  func aPasswordThatWasRefusedIsSentAgainUntilItIsRight(inAddress: Bool) async throws {
    let right = "authorization { user: anna, password: right }"
    let server = try NATSServer(configuration: right)
    var options = NATSOptions.reconnecting
    if !inAddress { options.credentials = .user("anna", password: "right") }
    let connection = try await NATSConnection(
      urls: [inAddress ? "nats://anna:right@127.0.0.1:\(server.port)" : server.url], options: options)
    let events = LoginEvents(connection)
    server.kill()
    try server.configure("authorization { user: anna, password: other }")
    try server.restart()
    await events.refusal()
    // More often than the library would try.
    await until { server.refusals >= 5 || connection.events.endError(while: "testing") != nil }
    try #require(connection.events.endError(while: "testing") == nil)
    server.kill()
    try server.configure(right)
    try server.restart()
    await events.restoration()
    try await connection.flush()
    await connection.close()
  }

  @Test func aPasswordInAnAddress() async throws {
    let server = try NATSServer(configuration: "authorization { user: anna, password: right }")
    let wrong = await natsError {
      _ = try await NATSConnection(urls: ["nats://anna:wrong-secret@127.0.0.1:\(server.port)"], options: .patient)
    }
    #expect(wrong?.kind == .notAuthorized)
    #expect(wrong.map { "\($0)".contains("wrong-secret") } == false)
    await (try NATSConnection(urls: ["nats://anna:right@127.0.0.1:\(server.port)"], options: .patient)).close()
  }

  @Test func aPasswordInTheAddressOfNoServer() async {
    let error = await natsError {
      _ = try await NATSConnection(urls: ["nats://anna:wrong-secret@127.0.0.1:1"], options: .patient)
    }
    #expect(error?.kind == .noServer)
    #expect(error.map { "\($0)".contains("wrong-secret") } == false)
  }

  @Test func aFileThatIsMissingIsNamed() async throws {
    let server = try NATSServer()
    let missing = [
      await error(server) { $0.credentials = .file(path: "/missing/file") },
      await error(server) { $0.tls = NATSOptions.TLS(trustedCertificates: "/missing/file") },
      await error(server) { $0.tls = NATSOptions.TLS(certificateChain: "/missing/file") },
    ]
    for error in missing {
      #expect(error?.kind == .misuse)
      #expect(error?.message.contains("“/missing/file”") == true)
    }
  }

  @Test func aFileWithOtherContentIsNoCredential() async throws {
    let certificate = try Certificate()
    let server = try NATSServer()
    let error = await error(server) { $0.tls = NATSOptions.TLS(trustedCertificates: certificate.key) }
    #expect(error?.kind == .notSecure)
  }

  @Test func aTrustedCertificate() async throws {
    let certificate = try Certificate()
    let server = try NATSServer(configuration: certificate.serverConfiguration)
    var options = NATSOptions.patient
    options.tls = NATSOptions.TLS(trustedCertificates: certificate.file)
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let stream = try await NATSStream<Int>(connection, "NUMBERS")
    #expect(try await stream.send(1).sequence == 1)
    await connection.close()
  }

  @Test func aCertificateThatNobodyTrusts() async throws {
    let certificate = try Certificate()
    let server = try NATSServer(configuration: certificate.serverConfiguration)
    let other = try Certificate()
    #expect(await error(server) { $0.tls = NATSOptions.TLS(trustedCertificates: other.file) }?.kind == .notSecure)
    #expect(await error(server) { $0.tls = NATSOptions.TLS() }?.kind == .notSecure)
  }

  /// In the handshake, and behind it.
  @Test(arguments: [100, 450])
  func aServerThatGoesAwayIsNotAnInsecureOne(bytes: Int) async throws {
    let certificate = try Certificate()
    let server = try NATSServer(configuration: certificate.serverConfiguration)
    let proxy = try TCPProxy(to: server.port, endsAfter: bytes)
    defer { proxy.close() }
    var options = NATSOptions.patient
    options.tls = NATSOptions.TLS(trustedCertificates: certificate.file)
    options.connectTimeout = .seconds(30)
    let error = await natsError { _ = try await NATSConnection(urls: [proxy.url], options: options) }
    #expect(error != nil)
    #expect(error?.kind != .notSecure)
  }

  private static let silent = FakeServer.information.replacing("\"proto\"", with: "\"tls_required\":true,\"proto\"")

  /// The library waits for it for ever.
  @Test func aServerThatIsSilentInTheHandshakeEndsTheAttempt() async throws {
    let server = try FakeServer(information: Self.silent)
    defer { server.close() }
    var options = NATSOptions()
    options.connectTimeout = .milliseconds(50)
    let short = options
    let error = await natsError { _ = try await NATSConnection(urls: [server.url], options: short) }
    #expect(error?.kind == .timeout)
  }

  @Test func connectionsThatExistGoOnWhileOthersHangInTheHandshake() async throws {
    let fixture = try await Fixture()
    let server = try FakeServer(information: Self.silent)
    // Or the threads remain, which other tests need.
    defer { server.close() }
    let url = server.url
    let hanging = (0..<ThreadPool.calls.maxThreadCount).map { _ in
      Task { await natsError { _ = try await NATSConnection(urls: [url], options: .patient) }?.kind }
    }
    while ThreadPool.connecting.threadCount < ThreadPool.connecting.maxThreadCount { await Task.yield() }
    #expect(try await fixture.stream.send(1).sequence == 1)
    for task in hanging { task.cancel() }
    for task in hanging { #expect(await task.value == .cancelled) }
    server.close()
    #expect(try await fixture.stream.send(2).sequence == 2)
  }

  @Test func anExpiredCertificateIsNamed() async throws {
    let certificate = try Certificate(isExpired: true)
    let server = try NATSServer(configuration: certificate.serverConfiguration)
    let error = await error(server) { $0.tls = NATSOptions.TLS(trustedCertificates: certificate.file) }
    #expect(error?.kind == .notSecure)
    #expect(error?.message.contains("expired") == true)
  }

  @Test func aCertificateForAnotherHost() async throws {
    let certificate = try Certificate(address: "DNS:broker.example")
    let server = try NATSServer(configuration: certificate.serverConfiguration)
    let refused = await error(server) { $0.tls = NATSOptions.TLS(trustedCertificates: certificate.file) }
    #expect(refused?.kind == .notSecure)
    let expected = NATSOptions.TLS(trustedCertificates: certificate.file, serverName: "broker.example")
    #expect(await error(server) { $0.tls = expected } == nil)
  }

  @Test func onlyTheClientWantsTLS() async throws {
    let server = try NATSServer()
    #expect(await error(server) { $0.tls = NATSOptions.TLS() }?.kind == .notSecure)
  }

  @Test(arguments: [["tls://"], ["nats://", "tls://"], ["tls://", ""]])
  func anAddressThatSaysTLSSendsNothingToAServerWithoutIt(schemes: [String]) async throws {
    let server = try FakeServer()
    defer { server.close() }
    let urls = schemes.map { "\($0)anna:secret@127.0.0.1:\(server.port)" }
    let error = await natsError { await (try NATSConnection(urls: urls)).close() }
    #expect(error?.kind == .notSecure)
    await server.disconnected.wait()
    #expect(server.received.isEmpty)
  }

  @Test func optionsThatSayTLSSendNothingToAServerWithoutIt() async throws {
    let server = try FakeServer()
    defer { server.close() }
    var options = NATSOptions.patient
    options.tls = NATSOptions.TLS()
    options.credentials = .user("anna", password: "secret")
    let refused = options
    let error = await natsError { await (try NATSConnection(urls: [server.url], options: refused)).close() }
    #expect(error?.kind == .notSecure)
    await server.disconnected.wait()
    #expect(server.received.isEmpty)
  }

  @Test func anAddressWithoutASchemeConnectsWithoutTLS() async throws {
    let server = try FakeServer()
    defer { server.close() }
    await (try NATSConnection(urls: ["127.0.0.1:\(server.port)"], options: .patient)).close()
    await server.disconnected.wait()
    #expect(String(decoding: server.received, as: UTF8.self).contains("CONNECT"))
  }

  @Test func anAddressThatSaysTLSHasIt() async throws {
    let certificate = try Certificate()
    let server = try NATSServer(configuration: certificate.serverConfiguration)
    var options = NATSOptions.patient
    options.tls = NATSOptions.TLS(trustedCertificates: certificate.file)
    await (try NATSConnection(urls: ["tls://127.0.0.1:\(server.port)"], options: options)).close()
    // Not trusted, but nothing else is wrong.
    let error = await natsError {
      _ = try await NATSConnection(urls: ["tls://127.0.0.1:\(server.port)"], options: .patient)
    }
    #expect(error?.kind == .notSecure)
  }

  @Test func onlyTheServerWantsTLS() async throws {
    let certificate = try Certificate()
    let server = try NATSServer(configuration: certificate.serverConfiguration)
    #expect(await error(server) { _ in }?.kind == .notSecure)
  }

  @Test func theServerWantsTheClientsCertificate() async throws {
    let (certificate, client) = (try Certificate(), try Certificate())
    let server = try NATSServer(
      configuration: """
        tls { cert_file: "\(certificate.file)", key_file: "\(certificate.key)", ca_file: "\(client.file)", verify: true }
        """)
    let trusted = NATSOptions.TLS(
      trustedCertificates: certificate.file, certificateChain: client.file, privateKey: client.key)
    #expect(await error(server) { $0.tls = trusted } == nil)
    let refused = await error(server) { $0.tls = NATSOptions.TLS(trustedCertificates: certificate.file) }
    #expect(refused?.kind == .notSecure, "\(String(describing: refused))")
  }

  @Test func whatTheClientMayNotDoIsReported() async throws {
    let server = try NATSServer(
      configuration: """
        authorization { users: [{ user: anna, password: right, permissions: { publish: "allowed", subscribe: ">" } }] }
        """)
    var options = NATSOptions.patient
    options.credentials = .user("anna", password: "right")
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let errors = connection.errors.asyncStream()
    connection.outbox.post { $0.publish("text", to: "forbidden", reply: nil) }
    var first: NATSError?
    for await error in errors {
      first = error
      break
    }
    #expect(first?.kind == .notAuthorized)
    #expect(first?.message.contains("forbidden") == true)
    await connection.close()
  }

  @Test func answersGoToSubjectsThatBeginWithThePrefix() async throws {
    let server = try NATSServer(
      configuration: """
        authorization { users: [{ user: anna, password: right, permissions: { publish: ">", subscribe: "_ANNA.>" } }] }
        """)
    var options = NATSOptions.patient
    options.credentials = .user("anna", password: "right")
    options.inboxPrefix = "_ANNA"
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let stream = try await NATSStream<Int>(connection, "NUMBERS")
    try await stream.send(1)
    var first: Int?
    for try await number in stream.values(durable: "reader") {
      first = number
      break
    }
    #expect(first == 1)
    await connection.close()
  }
}
