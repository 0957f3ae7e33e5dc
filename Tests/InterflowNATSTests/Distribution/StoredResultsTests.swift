import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// Results that are in their stream, and that no durable delivers.
@Suite struct StoredResultsTests {
  private func message(_ answer: String) throws -> StoredMessage? {
    try StoredMessage.message(in: Data(answer.utf8), while: "a test")
  }

  private func encoded(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  @Test func aMessageIsReadFromTheAnswer() throws {
    let text = encoded("NATS/1.0\r\nNats-Msg-Id: run.7\r\nNats-Other:x:y\u{2028}z:\u{85}u\r\n\r\n")
    let headers = ["Nats-Msg-Id": "run.7", "Nats-Other": "x:y\u{2028}z:\u{85}u"]
    let read = try message(
      """
      {"type":"x","message":{"subject":"a.b","seq":9,"data":"\(encoded("12"))","hdrs":"\(text)","time":"y"}}
      """)
    #expect(read == StoredMessage(subject: "a.b", sequence: 9, bytes: Data("12".utf8), headers: headers))
    #expect(
      try message(#"{"message":{"subject":"a.b","seq":9}}"#)
        == StoredMessage(subject: "a.b", sequence: 9, bytes: Data(), headers: [:]))
  }

  @Test func timesHaveAllTheirDigits() {
    #expect(StoredMessage.nanoseconds(of: "1970-01-01T00:00:01.000000007Z") == 1_000_000_007)
    #expect(StoredMessage.nanoseconds(of: "2026-11-26T03:22:00.12Z") == 1_795_663_320_120_000_000)
    #expect(StoredMessage.nanoseconds(of: "2026-11-26T03:22:00Z") == 1_795_663_320_000_000_000)
    for text in ["", "Z", "y", "2026-11-26", "2026-11-26T03:22:00.Z", "2026-11-26T03:22:00.1234567890Z", "9.9.9Z"] {
      #expect(StoredMessage.nanoseconds(of: text) == nil, "\(text)")
    }
  }

  @Test func thatThereIsNoMessageIsNoError() throws {
    #expect(try message(#"{"error":{"code":404,"err_code":10037,"description":"no message found"}}"#) == nil)
  }

  @Test(arguments: [
    "", "{", "{}", "[]", "null", #"{"message":{}}"#, #"{"message":{"subject":"a","seq":-1}}"#,
    #"{"message":{"subject":"a","seq":1,"data":"?"}}"#, #"{"error":{}}"#,
    #"{"error":{"err_code":10059,"description":"stream not found"}}"#,
  ]) func anythingElseIsAnError(answer: String) {
    #expect(throws: NATSError.self) { try message(answer) }
  }

  @Test func aResultThatIsNotDeliveredIsLookedUp() async throws {
    let fixture = try await WorkFixture()
    let results = fixture.results(of: 0..<3)
    try await fixture.deliverNoResults()
    let worker = try await fixture.worker { $0 + 10 }
    #expect(try await results.value.sorted() == [10, 11, 12])
    worker.cancel()
    // What no durable has taken is removed.
    try await fixture.nothingIsHeld()
    while try await fixture.work.results.state().messageCount > 0 { await Task.yield() }
  }

  @Test func resultsOfOtherRunsAreLeftOut() async throws {
    let fixture = try await WorkFixture()
    for (run, number) in [("one", 1), ("other", 2), ("one", 3)] {
      try await fixture.work.results.send(
        Data("\(number)".utf8), id: "\(run).\(number)",
        to: fixture.work.shards[0].subject(ofResultsOf: run, kind: "result"))
    }
    let found = Shared<[String?]>([])
    func take(upTo last: UInt64) async throws {
      try await fixture.work.takeStoredResults(ofRun: "one", in: fixture.work.shards[0], upTo: last) { message in
        found.update { $0.append(message.headers["Nats-Msg-Id"]) }
        return true
      }
    }
    try await take(upTo: 0)
    #expect(found.value.isEmpty)
    // Those that come later may be delivered still.
    try await take(upTo: 2)
    #expect(found.value == ["one.1"])
    // What has been taken is removed.
    try await take(upTo: .max)
    #expect(found.value == ["one.1", "one.3"])
    #expect(try await fixture.work.results.state().messageCount == 1)
  }
}
