import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// A program that is started before its servers.
@Suite struct FirstConnectionTests {
  private func options(_ reconnection: NATSOptions.Reconnection, retries: Bool = true) -> NATSOptions {
    var options = NATSOptions.patient
    options.reconnection = reconnection
    options.retriesFirstConnection = retries
    return options
  }

  @Test func itConnectsWhenTheServerIsThere() async throws {
    let server = try NATSServer()
    server.kill()
    let url = server.url
    let always = options(.always(pause: .milliseconds(1)))
    let connecting = Task { try await NATSConnection(urls: [url], options: always) }
    // It has been refused by then.
    #expect(await natsError { _ = try await NATSConnection(urls: [url], options: .patient) }?.kind == .noServer)
    try server.restart()
    let connection = try await connecting.value
    try await connection.flush()
    await connection.close()
  }

  @Test func itIsTriedAsOftenAsItIsTold() async throws {
    let port = try ReservedPort()
    let url = "nats://127.0.0.1:\(port.number)"
    for options in [
      options(.attempts(3, pause: .milliseconds(1))), options(.never), options(.always(), retries: false),
    ] {
      #expect(await natsError { _ = try await NATSConnection(urls: [url], options: options) }?.kind == .noServer)
    }
    var count = 0
    let error = await natsError {
      try await options(.attempts(3, pause: .milliseconds(1))).untilConnected { () async throws(NATSError) in
        count += 1
        throw NATSError(kind: .noServer, operation: "a test", message: "")
      }
    }
    #expect(error?.kind == .noServer)
    #expect(count == 4)
  }

  @Test func aNumberOfAttemptsBelowZeroIsRefused() async throws {
    let server = try FakeServer()
    defer { server.close() }
    let options = options(.attempts(-1), retries: false)
    #expect(await natsError { _ = try await NATSConnection(urls: [server.url], options: options) }?.kind == .misuse)
  }

  @Test func otherErrorsAreThrownAtOnce() async throws {
    let server = try NATSServer(jetStream: false, configuration: "authorization { token: secret }")
    let error = await natsError {
      _ = try await NATSConnection(urls: [server.url], options: options(.always(pause: .seconds(86_400))))
    }
    #expect(error?.kind == .notAuthorized)
  }

  @Test func cancellingEndsItAtOnce() async throws {
    let port = try ReservedPort()
    let url = "nats://127.0.0.1:\(port.number)"
    let options = options(.always(pause: .seconds(86_400)))
    let connecting = Task { await natsError { _ = try await NATSConnection(urls: [url], options: options) } }
    // Before or in the pause.
    #expect(await natsError { _ = try await NATSConnection(urls: [url], options: .patient) }?.kind == .noServer)
    connecting.cancel()
    #expect(await connecting.value?.kind == .cancelled)
  }

  /// The first attempt hangs where its token is asked for, and succeeds when nobody waits for it any more.
  @Test func anAttemptThatIsLateDoesNotCloseTheConnectionOfTheNext() async throws {
    let server = try FakeServer()
    defer { server.close() }
    let (asked, release) = (Shared(0), DispatchSemaphore(value: 0))
    var options = options(.always(pause: .milliseconds(1)))
    options.connectTimeout = .milliseconds(200)
    options.credentials = .tokens {
      let number = asked.update {
        $0 += 1
        return $0
      }
      if number == 1 { release.wait() }
      return "token"
    }
    let connection = try await NATSConnection(urls: [server.url], options: options)
    // The library has no time left to wait for the answer, which has to be there.
    server.send(toFirst: "PONG")
    release.signal()
    await server.disconnected.wait()
    try await connection.flush()
    #expect(connection.events.status.value.isConnected)
    #expect(connection.events.endError(while: "testing") == nil)
    await connection.close()
  }
}
