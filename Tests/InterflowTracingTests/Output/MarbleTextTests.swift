import InterflowTesting
import InterflowTracing
import Testing

@Suite struct MarbleTextTests {
  private func recorded<P: Publisher>(_ publisher: P, _ timeline: TestTimeline) throws -> MarbleText {
    let recorder = TraceRecorder(clock: timeline.clock)
    recorder.start()
    let cancellable = publisher.traced("lane", recorder: recorder).sink { _ in
    } receiveValue: { _ in
    }
    timeline.advance(by: 20)
    cancellable.cancel()
    return try #require(recorder.recording().marbles(of: "lane", frame: .seconds(1)))
  }

  @Test func aRecordingIsAnExpectation() throws {
    let source = "a-(bb)--c|"
    let text = try recorded(source)
    #expect(text.diagram == source)
    #expect(text.values.isEmpty)
    let timeline = TestTimeline()
    try timeline.expect(timeline.hot(source), toEmit: text.diagram)
    #expect(throws: MarbleMismatch.self) {
      let timeline = TestTimeline()
      try timeline.expect(timeline.hot("a-b---c|"), toEmit: text.diagram)
    }
  }

  private func recorded(_ diagram: String) throws -> MarbleText {
    let timeline = TestTimeline()
    return try recorded(timeline.hot(diagram), timeline)
  }

  @Test func valuesOfOtherTypesAreExplained() throws {
    let timeline = TestTimeline()
    let numbers = try timeline.hot("x-y-x#", values: ["x": 10, "y": 200], error: Failure.offline)
    let text = try recorded(numbers, timeline)
    #expect(text.description == "a-b-a#\na = 10\nb = 200")
    #expect(
      text.expectation(of: "numbers")
        == #"try timeline.expect(numbers, toEmit: "a-b-a#", values: ["a": 10, "b": 200])"#)
  }

  @Test func aSubstringOfOneLetterStandsForItself() throws {
    let values: [Character: Substring] = ["1": "xa".dropFirst(), "2": "two"]
    let timeline = TestTimeline()
    let text = try recorded(timeline.hot("1-2|", values: values), timeline)
    #expect(text.description == "a-b|\nb = \"two\"")
    let again = TestTimeline()
    try again.expect(again.hot("1-2|", values: values), toEmit: text.diagram, values: ["b": "two"])
  }

  private enum Failure: Error { case offline }

  @Test func namesNeverMeanTwoValues() throws {
    let timeline = TestTimeline()
    let texts = try timeline.hot(
      "12345", values: ["1": "long", "2": "a", "3": "|", "4": "b", "5": "say \"x\"\n"], error: Failure.offline)
    let text = try recorded(texts, timeline)
    #expect(Set(text.values.map(\.name)).count == text.values.count)
    #expect(text.diagram.filter { $0 != "!" && $0 != "-" }.count == 5)
    #expect(text.values.contains { $0.literal == #""say \"x\"\u{a}""# })
    #expect(Set(text.diagram.prefix(5)).count == 5)
  }

  @Test func aValueThatWasCutStandsForAny() throws {
    let long = String(repeating: "x", count: 30)
    let timeline = TestTimeline()
    let source = try timeline.hot("1-2|", values: ["1": long, "2": "b"], error: Failure.offline)
    let text = try recorded(source, timeline)
    #expect(text.diagram == "?-b|")
    let again = TestTimeline()
    try again.expect(
      again.hot("1-2|", values: ["1": long, "2": "b"], error: Failure.offline), toEmit: text.diagram)
  }

  @Test(arguments: ["\"", "\\", "(", "\u{301}", "?", " ", "\n"])
  func aValueIsNoPartOfTheDiagramsSyntax(value: String) throws {
    let timeline = TestTimeline()
    let source = try timeline.hot("1(23)|", values: ["1": value, "2": "a", "3": "b"], error: Failure.offline)
    let text = try recorded(source, timeline)
    #expect(text.diagram.allSatisfy { $0.isLetter || "()|".contains($0) })
    let again = TestTimeline()
    let values = Dictionary(uniqueKeysWithValues: zip(text.diagram.filter(\.isLetter), [value, "a", "b"]))
    try again.expect(
      again.hot("1(23)|", values: ["1": value, "2": "a", "3": "b"], error: Failure.offline), toEmit: text.diagram,
      values: values)
  }

  @Test func floatingPointNumbersHaveTheTextOfTheirType() throws {
    try expectTexts(of: [Double.nan, .infinity, -.infinity, 0.1])
    try expectTexts(of: [Float.nan, .infinity, -.infinity, 0.1])
  }

  private func expectTexts(of numbers: [some BinaryFloatingPoint]) throws {
    let recorder = TraceRecorder()
    recorder.start()
    _ = numbers.publisher.traced("lane", recorder: recorder).sink { _ in }
    let text = try #require(recorder.recording().marbles(of: "lane", frame: .seconds(100)))
    #expect(text.diagram == "(?abc|)")
    #expect(text.values.map(\.literal) == [".infinity", "-.infinity", "0.1"])
  }

  @Test func tooManyColumnsAreNone() {
    let timeline = TestTimeline()
    let recorder = TraceRecorder(clock: timeline.clock)
    recorder.start()
    let cancellable = Just(1).delay(for: 10, scheduler: timeline.scheduler).traced("lane", recorder: recorder).sink {
      _ in
    }
    timeline.advance(by: 20)
    #expect(recorder.recording().marbles(of: "lane", frame: .nanoseconds(1)) == nil)
    cancellable.cancel()
  }

  @Test func aCancellationIsTheEnd() throws {
    #expect(try recorded("a-b").diagram == "a-b-----------------!")
  }

  /// With the values as the expectation has them.
  private func values(of text: MarbleText) throws -> [Character: Int] {
    Dictionary(uniqueKeysWithValues: try text.values.map { ($0.name, try #require(Int($0.literal))) })
  }

  @Test(arguments: [("a-b-c|", 1), ("a-b-c|", 2), ("a-b-c|", 3), ("(ab)-c", 2), ("a(bc)d", 3)])
  func aStreamThatWasCancelledAtAValueIsAnExpectation(source: String, count: Int) throws {
    let numbers: [Character: Int] = ["a": 10, "b": 20, "c": 30, "d": 40]
    let timeline = TestTimeline()
    let recorder = TraceRecorder(clock: timeline.clock)
    recorder.start()
    let cancellable = try timeline.hot(source, values: numbers).traced("lane", recorder: recorder).prefix(count)
      .sink { _ in }
    timeline.advance(by: 20)
    cancellable.cancel()
    let text = try #require(recorder.recording().marbles(of: "lane", frame: .seconds(1)))
    #expect(text.diagram.last == "!")
    let again = TestTimeline()
    try again.expect(again.hot(source, values: numbers), toEmit: text.diagram, values: values(of: text))
  }

  @Test func aLaneThatIsNotThere() {
    #expect(TraceRecorder().recording().marbles(of: "lane", frame: .seconds(1)) == nil)
  }

  @Test func manyValuesHaveNamesOfTheirOwn() throws {
    let recorder = TraceRecorder()
    recorder.start()
    _ = (0..<1_000).publisher.traced("lane", recorder: recorder).sink { _ in }
    let text = try #require(recorder.recording().marbles(of: "lane", frame: .seconds(100)))
    #expect(Set(text.values.map(\.name)).count == 1_000)
  }

  @Test func valuesWithoutANameOfTheirOwnAreAny() throws {
    let recorder = TraceRecorder()
    recorder.start()
    _ = (0..<30_000).publisher.traced("lane", recorder: recorder).sink { _ in }
    let text = try #require(recorder.recording().marbles(of: "lane", frame: .seconds(1_000)))
    #expect(text.values.count == 52 + 0x5200)
    #expect(text.diagram.count == 30_003, "each is a character of its own")
    #expect(text.diagram.hasSuffix("?|)"))
  }

  @Test func withoutItsBeginningThereIsNone() {
    let recorder = TraceRecorder(capacity: 100)
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.traced("before", recorder: recorder).sink { _ in }
    recorder.start()
    subject.send(1)
    #expect(recorder.recording().marbles(of: "before", frame: .seconds(1)) == nil)
    cancellable.cancel()
    _ = (0..<1_000).publisher.traced("dropped", recorder: recorder).sink { _ in }
    #expect(recorder.recording().marbles(of: "dropped", frame: .seconds(1)) == nil)
  }
}
