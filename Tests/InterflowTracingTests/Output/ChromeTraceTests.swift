import Foundation
import InterflowTesting
import InterflowTracing
import Testing

@Suite struct ChromeTraceTests {
  /// The events, each of which has the fields that the format demands of its phase.
  private func events(_ recording: TraceRecording) throws -> [[String: Any]] {
    let json = try JSONSerialization.jsonObject(with: Data(recording.chromeTraceEvents().utf8)) as? [String: Any]
    let events = try #require(json?["traceEvents"] as? [[String: Any]])
    for event in events {
      let phase = try #require(event["ph"] as? String)
      #expect(event["pid"] is Int)
      #expect(event["name"] is String)
      switch phase {
      case "M":
        #expect(event["args"] is [String: Any])
      case "X":
        #expect((event["dur"] as? Double).map { $0 >= 0 } == true)
        fallthrough
      case "i", "s", "f":
        #expect(event["tid"] is Int)
        #expect((event["ts"] as? Double).map { $0 >= 0 } == true)
        if phase == "i" { #expect(["g", "p", "t"].contains(event["s"] as? String)) }
        if phase == "s" || phase == "f" { #expect(event["id"] is Int && event["cat"] is String) }
      default: Issue.record("a phase \(phase)")
      }
    }
    return events
  }

  private func names(_ events: [[String: Any]], _ phase: String) -> [String] {
    events.filter { $0["ph"] as? String == phase }.compactMap { $0["name"] as? String }
  }

  @Test func lanesSlicesValuesAndArrows() throws {
    let timeline = TestTimeline()
    let recorder = TraceRecorder(clock: timeline.clock)
    recorder.start()
    let source = try timeline.hot("a-b|")
    let cancellable = source.traced("source", recorder: recorder).map { $0.uppercased() }
      .traced("upper", recorder: recorder).sink { _ in }
    timeline.advance(by: 5)
    let events = try events(recorder.recording())
    #expect(names(events, "X") == ["source", "upper"])
    #expect(
      names(events, "i") == [
        "request unlimited", "a", "b", "finished", "request unlimited", "A", "B", "finished",
      ])
    let flows = events.filter { ["s", "f"].contains($0["ph"] as? String) }
    #expect(flows.compactMap { $0["id"] as? Int } == [1, 1, 2, 2])
    #expect(flows.compactMap { $0["ts"] as? Double } == [0, 0, 2_000_000, 2_000_000])
    let slice = try #require(events.first { $0["ph"] as? String == "X" })
    #expect(slice["dur"] as? Double == 3_000_000)
    cancellable.cancel()
  }

  @Test func subscriptionsThatOverlapHaveTracksOfTheirOwn() throws {
    let recorder = TraceRecorder()
    recorder.start()
    let subject = PassthroughSubject<Int, Never>()
    let first = subject.traced("numbers", recorder: recorder).sink { _ in }
    let second = subject.traced("numbers", recorder: recorder).sink { _ in }
    let events = try events(recorder.recording())
    let tracks = Set(events.filter { $0["ph"] as? String == "X" }.compactMap { $0["tid"] as? Int })
    #expect(tracks.count == 2)
    first.cancel()
    second.cancel()
  }

  @Test func hostileTextsAreText() throws {
    let recorder = TraceRecorder()
    recorder.start()
    let text = "\"\\\n\u{0}\u{2028}</script>\u{7F}"
    _ = Just(text).traced(text, recorder: recorder).sink { _ in }
    recorder.hook(text)(TraceEvent(kind: .init(rawValue: "w"), source: "s", message: text, start: .now))
    let events = try events(recorder.recording())
    #expect(names(events, "X") == [text, text])
    #expect(names(events, "i").contains(text))
  }

  @Test func workIsASlice() throws {
    let recorder = TraceRecorder()
    recorder.start()
    let hook = recorder.hook("database")
    hook(
      TraceEvent(
        kind: .init(rawValue: "statement"), source: "a.sqlite", message: "SELECT 1", payload: "secret", start: .now,
        duration: .milliseconds(3)))
    let recording = recorder.recording()
    #expect(recording.work.map(\.text) == ["SELECT 1"])
    #expect(recording.work.map(\.duration) == [.milliseconds(3)])
    #expect(try names(events(recording), "X") == ["SELECT 1"])
    #expect(!recording.chromeTraceEvents().contains("secret"))
  }

  @Test func workIsLinkedByItsId() throws {
    let recorder = TraceRecorder()
    recorder.start()
    let (sent, received) = (recorder.hook("sent"), recorder.hook("received"))
    let kind = TraceEvent.Kind(rawValue: "message")
    sent(TraceEvent(kind: kind, source: "a", message: "prices", id: "7f", start: .now))
    received(TraceEvent(kind: kind, source: "b", message: "prices", id: "7f", start: .now))
    received(TraceEvent(kind: kind, source: "b", message: "prices", id: "80", start: .now))
    let recording = recorder.recording()
    #expect(recording.work.map(\.id) == ["7f", "7f", "80"])
    #expect(recording.work.allSatisfy { $0.failure == nil })
    #expect(try events(recording).filter { $0["ph"] as? String == "f" }.count == 1)
  }

  @Test func workThatHasFailedKeepsItsId() throws {
    struct Failure: Error, CustomStringConvertible {
      let description: String
    }
    let recorder = TraceRecorder()
    recorder.start()
    let hook = recorder.hook("messages")
    let text = "no answer in time " + String(repeating: "x", count: 100)
    for error in [Failure(description: text), nil] {
      hook(TraceEvent(kind: .init(rawValue: "m"), source: "a", message: "jobs", id: "7f", start: .now, error: error))
    }
    let recording = recorder.recording()
    #expect(recording.work.map(\.id) == ["7f", "7f"])
    #expect(recording.work.map(\.failure) == [TraceRecording.Text(text), nil])
    #expect(recording.work.map(\.text) == ["jobs", "jobs"])
    #expect(try events(recording).filter { $0["ph"] as? String == "f" }.count == 1)
  }

  @Test func aRecordingOfNothing() throws {
    #expect(try names(events(TraceRecorder().recording()), "M") == ["process_name"])
  }
}
