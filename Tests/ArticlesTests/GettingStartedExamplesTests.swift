import Dispatch
import InterflowTestSupport
import InterflowTesting
import Testing

/// The files of *Getting started*, as written there. `tools/check-tutorial` makes a package of them.
@Suite struct GettingStartedExamplesTests {
  private let print = ExampleOutput()

  /// The words that begin with a text. A real program would query a server.
  func lookUp(_ text: String) async -> [String] {
    ["combine", "concurrency", "swift", "swing"].filter { $0.hasPrefix(text) }
  }

  /// The suggestions for texts as they are typed, each when the typing has paused.
  func suggestions(
    for texts: some Publisher<String, Never>, scheduler: some Scheduler
  ) -> some Publisher<[String], Never> {
    texts
      .debounce(for: .milliseconds(300), scheduler: scheduler)
      .removeDuplicates()
      .task(maxPublishers: .max(1)) { text in await lookUp(text) }
  }

  @Test @MainActor func program() async {
    let texts = PassthroughSubject<String, Never>()

    // A subscription. It ends when `log` is cancelled or released.
    let log = texts.sink { print("typed: \($0)") }

    // The suggestions as an async sequence. It subscribes here, and buffers what comes until the loop takes it.
    let stream = suggestions(for: texts, scheduler: DispatchQueue.main).asyncStream()

    for text in ["s", "sw", "swi"] { texts.send(text) }

    for await words in stream {
      print("suggested: \(words.joined(separator: ", "))")
      texts.send(completion: .finished)
    }
    #expect(print.lines == ["typed: s", "typed: sw", "typed: swi", "suggested: swift, swing"])
    withExtendedLifetime(log) {}
  }

  @Test func looksUpWhenTheTypingPauses() throws {
    let timeline = TestTimeline(frame: .milliseconds(100))
    let texts = try timeline.hot("a-b-----c---|", values: ["a": "s", "b": "sw", "c": "co"])
    try timeline.expect(
      suggestions(for: texts, scheduler: timeline.scheduler), toEmit: "-----x-----y|",
      values: ["x": ["swift", "swing"], "y": ["combine", "concurrency"]])
  }

  @Test func suggestionsWaitForALoop() throws {
    let timeline = TestTimeline(frame: .milliseconds(100))
    let texts = try timeline.hot("a-----b-----|", values: ["a": "com", "b": "swif"])
    let stream = suggestions(for: texts, scheduler: timeline.scheduler).asyncStream()

    let words = try timeline.run {
      try await timeline.clock.sleep(for: .seconds(2))
      var words: [[String]] = []
      for await suggested in stream { words.append(suggested) }
      return words
    }
    #expect(words == [["combine"], ["swift"]])
  }
}
