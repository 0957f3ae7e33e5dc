import Foundation
import InterflowTesting
import InterflowTracing
import Testing

/// The examples of the documentation. They share the process's recorder.
@Suite(.serialized) struct TracingExamplesTests {
  @Test func firstExample() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }

    let query = PassthroughSubject<String, Never>()

    TraceRecorder.shared.start()
    let cancellable =
      query
      .traced("typed")
      .map { $0.count }
      .traced("lengths")
      .sink { print($0) }
    query.send("swift")
    TraceRecorder.shared.stop()

    let recording = TraceRecorder.shared.recording()
    for finding in recording.findings { print(finding) }
    try recording.html().write(to: file, atomically: true, encoding: .utf8)

    #expect(recording.lanes.map(\.name) == ["typed", "lengths"])
    cancellable.cancel()

    let text = recording.marbles(of: "lengths", frame: .milliseconds(100))
    print(text!.expectation(of: "lengths"))
    // try timeline.expect(lengths, toEmit: "a", values: ["a": 5])
    #expect(text?.description == "a\na = 5")
  }

  @Test func ofARecording() throws {
    do {
      let recorder = TraceRecorder(clock: TestTimeline().clock)
      recorder.start()
      _ = ["s", "swift"].publisher.traced("search", recorder: recorder).sink { _ in }
      let recording = recorder.recording()
      let text = recording.marbles(of: "search", frame: .milliseconds(100))
      print(text!)
      // (sa|)
      // a = "swift"
      #expect(text?.description == "(sa|)\na = \"swift\"")
    }
  }

  @Test func lanes() {
    TraceRecorder.shared.start()
    let cancellable = [1, 2, 3].publisher
      .traced("numbers")
      .map { $0 * 2 }
      .traced("doubled")
      .sink { print($0) }
    let recording = TraceRecorder.shared.recording()
    print(recording.lanes.map { "\($0.name): \($0.valueCount)" })  // ["numbers: 3", "doubled: 3"]
    #expect(recording.lanes.suffix(2).map(\.valueCount) == [3, 3])
    cancellable.cancel()
    TraceRecorder.shared.stop()
  }

  @Test func aPublisherAndATypeOfItsOwn() {
    do {
      let cancellable = [1, 2, 3].publisher
        .traced("numbers")
        .sink { print($0) }
      cancellable.cancel()
    }
    do {
      struct City { var name: String }
      let cancellable = Just(City(name: "Oslo"))
        .traced("cities") { $0.name }
        .sink { print($0.name) }
      cancellable.cancel()
    }
  }

  @Test func aSequence() async {
    let task = Task {
      let subject = PassthroughSubject<Int, Never>()
      for await number in subject.values.traced("numbers") {
        print(number)
      }
    }
    task.cancel()
    await task.value
  }

  @Test func aServer() throws {
    do {
      TraceRecorder.shared.start()
      let server = try TraceServer()
      print(server.address)  // http://127.0.0.1:40213/6f1c…/
      server.stop()
    }
    do {
      let server = try TraceServer()
      print(server.address)
      TraceRecorder.shared.stop()
    }
  }

  @Test func severalPrograms() {
    let (own, other) = (TraceRecorder().recording(), TraceRecorder().recording())
    let both = TraceRecording.merged([("coordinator", own), ("worker", other)])
    #expect(both.lanes.isEmpty)
  }

  @Test func aHook() {
    let hook = TraceRecorder.shared.hook("database")  // for DatabaseOptions.trace
    hook(TraceEvent(kind: .init(rawValue: "w"), source: "s", message: "m", start: .now))
  }
}
