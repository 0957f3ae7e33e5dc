import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// Requests that no thread waits for.
@Suite struct RequestsTests {
  /// The library's calls that block would take ten seconds, two at a time, and each has five.
  @Test func aThousandRequestsWaitForOneRoundTrip() async throws {
    let fixture = try await Fixture()
    let proxy = try TCPProxy(to: fixture.server.port, delay: 10_000)
    defer { proxy.close() }
    let connection = try await NATSConnection(urls: [proxy.url], options: .patient)
    let stream = try await NATSStream<Int>(connection, existing: "NUMBERS")
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "value")
    try await value.send(7)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          if number.isMultiple(of: 2) {
            let read = try await value.refresh()
            #expect(read == 7)
          } else {
            let state = try await stream.state()
            #expect(state.messageCount == 0)
          }
        }
      }
      try await group.waitForAll()
    }
    await connection.close()
  }

  @Test func eachRequestHasItsOwnAnswer() async throws {
    let server = try FakeServer { request in [FakeServer.Answer(request.bytes)] }
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        group.addTask {
          let bytes = Data("\(number)".utf8)
          return try await connection.answer(to: bytes, sentTo: "echo", while: "a test").bytes == bytes
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count == 100 && !answers.contains(false))
    await connection.close()
  }

  @Test func nobodyAnswers() async throws {
    let server = try NATSServer(jetStream: false)
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let error = await natsError { _ = try await connection.answer(to: Data(), sentTo: "nobody", while: "a test") }
    #expect(error?.kind == .unavailable)
    await connection.close()
  }

  @Test func noServerHasJetStream() async throws {
    let server = try NATSServer(jetStream: false)
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let error = await natsError {
      _ = try await connection.storedMessage(.last(subject: "a"), ofStream: "A", while: "a test")
    }
    #expect(error?.kind == .jetStreamDisabled)
    await connection.close()
  }

  @Test func cancellingAndClosingEndTheWait() async throws {
    let server = try FakeServer()
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    func begin() -> Task<NATSError?, Never> {
      Task { await natsError { _ = try await connection.answer(to: Data(), sentTo: "nobody", while: "a test") } }
    }
    let cancelled = begin()
    cancelled.cancel()
    #expect(await cancelled.value?.kind == .cancelled)
    let closed = begin()
    while !String(decoding: server.received, as: UTF8.self).contains("PUB nobody") { await Task.yield() }
    await connection.close()
    #expect(await closed.value?.kind == .closed)
    #expect(await begin().value?.kind == .closed)
  }

  @Test func theTimeLimitBeginsWithTheCall() async throws {
    let server = try FakeServer()
    defer { server.close() }
    var options = NATSOptions.patient
    options.requestTimeout = .milliseconds(50)
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let error = await natsError { _ = try await connection.answer(to: Data(), sentTo: "nobody", while: "a test") }
    #expect(error?.kind == .timeout)
    await connection.close()
  }
}
