import Foundation
@testable import InterflowNATS
import Testing

/// Connections that have to prove something, or to which something is proved.
@Suite(.timeLimit(.minutes(60))) struct NATSConnectionSecurityTests {
  private func error(_ server: NATSServer, _ set: (inout NATSOptions) -> Void) async -> NATSError? {
    var options = NATSOptions()
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

  @Test func aPasswordInAnAddress() async throws {
    let server = try NATSServer(configuration: "authorization { user: anna, password: right }")
    let wrong = await natsError {
      _ = try await NATSConnection(urls: ["nats://anna:wrong-secret@127.0.0.1:\(server.port)"])
    }
    #expect(wrong?.kind == .notAuthorized)
    #expect(wrong.map { "\($0)".contains("wrong-secret") } == false)
    await (try NATSConnection(urls: ["nats://anna:right@127.0.0.1:\(server.port)"])).close()
  }

  @Test func aPasswordInTheAddressOfNoServer() async {
    let error = await natsError { _ = try await NATSConnection(urls: ["nats://anna:wrong-secret@127.0.0.1:1"]) }
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
    var options = NATSOptions()
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
    var options = NATSOptions()
    options.tls = NATSOptions.TLS(trustedCertificates: certificate.file)
    options.connectTimeout = .seconds(30)
    let error = await natsError { _ = try await NATSConnection(urls: [proxy.url], options: options) }
    #expect(error != nil)
    #expect(error?.kind != .notSecure)
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
    var options = NATSOptions()
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
    await (try NATSConnection(urls: ["127.0.0.1:\(server.port)"])).close()
    await server.disconnected.wait()
    #expect(String(decoding: server.received, as: UTF8.self).contains("CONNECT"))
  }

  @Test func anAddressThatSaysTLSHasIt() async throws {
    let certificate = try Certificate()
    let server = try NATSServer(configuration: certificate.serverConfiguration)
    var options = NATSOptions()
    options.tls = NATSOptions.TLS(trustedCertificates: certificate.file)
    await (try NATSConnection(urls: ["tls://127.0.0.1:\(server.port)"], options: options)).close()
    // Not trusted, but nothing else is wrong.
    let error = await natsError { _ = try await NATSConnection(urls: ["tls://127.0.0.1:\(server.port)"]) }
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
    var options = NATSOptions()
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
    var options = NATSOptions()
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
