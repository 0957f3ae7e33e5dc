import Foundation
import InterflowTesting
import InterflowTracing
import Testing

@Suite struct MergedRecordingTests {
  private func recording(_ name: String, count: Int) -> TraceRecording {
    let recorder = TraceRecorder()
    recorder.start()
    _ = (0..<count).publisher.traced(name, recorder: recorder).map { "n\($0)" }.traced("texts", recorder: recorder)
      .sink { _ in }
    recorder.hook("messages")(
      TraceEvent(kind: .init(rawValue: "m"), source: "s", message: "prices", id: "7f", start: .now))
    recorder.stop()
    return recorder.recording()
  }

  @Test func whatWasEncodedIsTheSame() throws {
    let recording = recording("numbers", count: 3)
    let data = try JSONEncoder().encode(recording)
    let again = try JSONDecoder().decode(TraceRecording.self, from: data)
    #expect(again.html() == recording.html())
    #expect(again.chromeTraceEvents() == recording.chromeTraceEvents())
    #expect(again.findings == recording.findings)
  }

  @Test func whatIsNoRecordingIsRefused() throws {
    let text = String(decoding: try JSONEncoder().encode(recording("numbers", count: 1)), as: UTF8.self)
    for (old, new) in [
      ("\"records\":[[", "\"records\":[[-1,"), ("\"records\":[[", "\"records\":[[0,0,1,0,1,99,0,0,0,0,0],["),
    ] {
      let broken = text.replacingOccurrences(of: old, with: new)
      #expect(broken != text)
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(TraceRecording.self, from: Data(broken.utf8)) }
    }
  }

  @Test(arguments: [
    ("\"droppedCount\":0", "\"droppedCount\":9223372036854775807"), ("\"droppedCount\":0", "\"droppedCount\":-1"),
    ("\"number\":1,", "\"number\":-1,"), ("\"number\":1,", "\"number\":9223372036854775807,"),
  ])
  func numbersThatWouldNotFitAreRefused(old: String, new: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(recording("numbers", count: 1)), as: UTF8.self)
    let broken = text.replacingOccurrences(of: old, with: new)
    #expect(broken != text)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(TraceRecording.self, from: Data(broken.utf8)) }
  }

  /// The recording as if it had begun later.
  private func moved(_ recording: TraceRecording, by nanoseconds: Int64) throws -> TraceRecording {
    let text = String(decoding: try JSONEncoder().encode(recording), as: UTF8.self)
    let date = try #require(text.firstMatch(of: /"startDate":([0-9]+)/))
    let later = text.replacing(date.0, with: "\"startDate\":\(try #require(Int64(date.1)) + nanoseconds)")
    return try JSONDecoder().decode(TraceRecording.self, from: Data(later.utf8))
  }

  @Test func lanesOfSeveralProgramsAreOnOneAxis() throws {
    let own = recording("numbers", count: 2)
    let other = try moved(recording("numbers", count: 3), by: 3_600_000_000_000)
    let both = TraceRecording.merged([("coordinator", own), ("worker", other)])
    #expect(
      both.lanes.map(\.name) == ["coordinator: numbers", "coordinator: texts", "worker: numbers", "worker: texts"])
    #expect(both.lanes.map(\.valueCount) == [2, 2, 3, 3])
    #expect(both.work.map(\.name) == ["coordinator: messages", "worker: messages"])
    #expect(both.work.map(\.id) == ["7f", "7f"])
    // Each text came of a number of its own program.
    let numbers = Set(both.lanes.flatMap(\.subscriptions).map(\.number))
    #expect(numbers.count == 4)
    for (source, result) in [(0, 1), (2, 3)] {
      let cause = both.lanes[source].subscriptions[0].number
      #expect(both.lanes[result].subscriptions[0].events.compactMap(\.cause).allSatisfy { $0.subscription == cause })
    }
    // The second one began later.
    let begins = both.lanes.map { $0.subscriptions[0].events[0].time }
    #expect(begins[2] - begins[0] > .seconds(3_599))
    #expect(both.duration >= own.duration && both.duration >= other.duration)
  }

  @Test func aRecorderThatNeverBeganMovesNothing() throws {
    let own = recording("numbers", count: 2)
    let both = TraceRecording.merged([("coordinator", own), ("worker", TraceRecorder().recording())])
    #expect(both.duration == own.duration)
    #expect(both.lanes.map(\.subscriptions[0].events) == own.lanes.map(\.subscriptions[0].events))
    #expect(both.work.map(\.start) == own.work.map(\.start))
  }

  @Test func aRecordingOfNothingHasItsPlace() throws {
    let recorder = TraceRecorder()
    recorder.start()
    recorder.stop()
    let later = try moved(recording("numbers", count: 2), by: 3_600_000_000_000)
    let both = TraceRecording.merged([("idle", recorder.recording()), ("busy", later)])
    #expect(both.duration > .seconds(3_599))
  }

  @Test func nothingIsMergedToNothing() {
    #expect(TraceRecording.merged([]).lanes.isEmpty)
  }
}
