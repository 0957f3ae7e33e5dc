import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowNATS

/// How much waits for a program that answers.
@Suite struct RequestCapacityTests {
  @Test func headersCountAmongTheBytesThatMayWait() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let numbers = try NATSSubject<Int>(connection, "numbers", capacity: 2, byteCapacity: 1_000)
    let recorder = RecordingSubscriber<Int, NATSError>(initialDemand: .none)
    numbers.subscribe(recorder)
    try numbers.send(1)
    try numbers.send(2, headers: ["Large": String(repeating: "x", count: 2_000)])
    // There is a place for one of these.
    for number in 3...4 { try numbers.send(number) }
    await until { numbers.dropped == 2 }
    recorder.request(.max(2))
    await until { recorder.values.count == 2 }
    #expect(recorder.values == [1, 3])
    recorder.cancel()
  }

  @Test func requestsWithMoreBytesThanMayWaitAreRefused() async throws {
    let server = try NATSServer()
    var options = NATSOptions.patient
    // What does not end before is a defect.
    options.requestTimeout = .seconds(3_600)
    let asking = try NATSSubject<Int>(try await NATSConnection(urls: [server.url], options: options), "numbers")
    let answering = try NATSSubject<Int>(
      try await NATSConnection(urls: [server.url], options: .patient), "numbers", byteCapacity: 1_000)
    let recorder = RecordingSubscriber<NATSRequest<Int>, NATSError>(initialDemand: .none)
    answering.requests.subscribe(recorder)
    try await answering.flush()
    // What the server sees next comes behind what this has received.
    let seen = Signal()
    let seeing = asking.sink(receiveCompletion: { _ in }) { if $0 == 0 { seen.fire() } }
    try await asking.flush()
    // The first one alone is larger.
    let large: NATSHeaders = ["Large": String(repeating: "x", count: 2_000)]
    let waiting = Task {
      await natsError { let _: Int = try await asking.request(0, headers: large) }
    }
    await seen.wait()
    seeing.cancel()
    while true {
      let error = await natsError { let _: Int = try await asking.request(1, timeout: .milliseconds(200)) }
      if error?.kind == .rejected(code: 429) { break }
      #expect(error?.kind == .timeout)
    }
    #expect(answering.dropped > 0)
    // What is taken makes room.
    recorder.request(.max(100))
    await until { recorder.values.contains { $0.value == 0 } }
    let refused = answering.dropped
    let more = Task {
      await natsError { let _: Int = try await asking.request(2) }
    }
    await until { recorder.values.contains { $0.value == 2 } }
    #expect(answering.dropped == refused)
    for request in recorder.values { request.refuse("enough", code: 7) }
    #expect(await waiting.value?.kind == .rejected(code: 7))
    #expect(await more.value?.kind == .rejected(code: 7))
    recorder.cancel()
  }
}
