import Combine
import Dispatch
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// Messages that are no values, and are sent on while no server answers.
@Suite struct DeadLetterTests {
  private struct NoNumber: Error {}

  @Test(arguments: [false, true]) func aLetterThatIsLateIsNoFailure(isReplay: Bool) async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let (texts, letters) = try await setUp {
      (try await NATSStream<String>(connection, "NUMBERS"), try await NATSStream<String>(connection, "LETTERS"))
    }
    try await texts.send("one")
    let (isDecoding, hasFailed, goesOn) = (Signal(), Signal(), DispatchSemaphore(value: 0))
    var options = NATSOptions.reconnecting
    options.requestTimeout = .seconds(1)
    options.trace = TraceHook { if $0.kind == .sent, $0.message == "LETTERS", $0.error != nil { hasFailed.fire() } }
    let coding = NATSCoding<Int>(
      encode: { Data("\($0)".utf8) },
      decode: { bytes in
        if let number = Int(String(decoding: bytes, as: UTF8.self)) { return number }
        isDecoding.fire()
        goesOn.wait()
        throw NoNumber()
      })
    let impatient = options
    let stream = try await setUp {
      try await NATSStream(
        NATSConnection(urls: [server.url], options: impatient), existing: "NUMBERS", coding: coding)
    }
    let values = Shared<[Int]>([])
    let error = Shared<NATSError?>(nil)
    let undecodable = NATSUndecodable.deadLetter(subject: "LETTERS")
    var settings = NATSConsumerSettings()
    settings.undecodable = undecodable
    let numbers =
      isReplay
      ? stream.replay(undecodable: undecodable).map(\.value).eraseToAnyPublisher()
      : stream.publisher(durable: "reader", settings: settings).eraseToAnyPublisher()
    let cancellable = numbers.sink(
      receiveCompletion: { if case .failure(let failure) = $0 { error.value = failure } },
      receiveValue: { value in values.update { $0.append(value) } })
    await isDecoding.wait()
    server.pause(true)
    goesOn.signal()
    await hasFailed.wait()
    server.pause(false)
    for try await letter in letters.replay().asyncValues {
      #expect(letter.value == "one")
      break
    }
    try await NATSStream<Int>(connection, existing: "NUMBERS").send(2)
    await until { !values.value.isEmpty || error.value != nil }
    #expect(values.value == [2])
    #expect(error.value == nil)
    cancellable.cancel()
  }

  @Test func aStreamWithoutALeaderIsWaitedFor() async throws {
    let cluster = try NATSCluster()
    let hasFailed = Signal()
    var options = NATSOptions.reconnecting
    options.requestTimeout = .seconds(2)
    options.trace = TraceHook { if $0.kind == .sent, $0.message == "letters", $0.error != nil { hasFailed.fire() } }
    let connection = try await NATSConnection(urls: cluster.urls, options: options)
    var settings = NATSStreamSettings()
    settings.replicas = 3
    var streams: (texts: NATSStream<String>, letters: NATSStream<String>)?
    // The servers answer before they have found each other.
    while streams == nil {
      streams = try? (
        await NATSStream<String>(connection, "NUMBERS", subjects: ["numbers"], settings: settings),
        await NATSStream<String>(connection, "LETTERS", subjects: ["letters"])
      )
    }
    let (texts, letters) = try #require(streams)
    let values = Shared<[Int]>([])
    let error = Shared<NATSError?>(nil)
    var consumer = NATSConsumerSettings()
    consumer.undecodable = .deadLetter(subject: "letters")
    let numbers = try await NATSStream<Int>(connection, existing: "NUMBERS")
    let cancellable = numbers.publisher(durable: "reader", settings: consumer)
      .sink(
        receiveCompletion: { if case .failure(let failure) = $0 { error.value = failure } },
        receiveValue: { value in values.update { $0.append(value) } })
    let server = try #require(cluster.server(named: try await letters.leader()))
    try await numbers.send(1)
    await until { !values.value.isEmpty }
    server.kill()
    try await texts.send("one", id: "one", retrying: .untilStored)
    await hasFailed.wait()
    try server.restart()
    try await numbers.send(2, id: "two", retrying: .untilStored)
    await until { values.value.count > 1 || error.value != nil }
    #expect(values.value == [1, 2])
    #expect(error.value == nil)
    for try await letter in letters.replay().asyncValues {
      #expect(letter.value == "one")
      break
    }
    cancellable.cancel()
    await connection.close()
  }
}
