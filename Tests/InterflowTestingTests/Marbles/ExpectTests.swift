import InterflowTesting
import Testing

@Suite struct ExpectTests {
  let timeline = TestTimeline()
  var scheduler: TestScheduler { timeline.scheduler }

  private func mismatch(_ body: () throws -> Void) throws -> MarbleMismatch {
    try #require(throws: MarbleMismatch.self, performing: body)
  }

  @Test func operatorsDoWhatTheDiagramSays() throws {
    let source = try timeline.hot("ab---c---|")
    try timeline.expect(source.debounce(for: 2, scheduler: scheduler), toEmit: "---b---c-|")
  }

  @Test func severalInputs() throws {
    let (left, right) = (try timeline.hot("a--b--|"), try timeline.hot("-1--2|"))
    try timeline.expect(left.merge(with: right), toEmit: "a1-b2-|")
  }

  @Test func failuresAreCompared() throws {
    let source = try timeline.cold("a#", error: TestError("no"))
    try timeline.expect(source, toEmit: "a#")
    try timeline.expect(source, toEmit: "a#", error: TestError("no"))
    let error = try mismatch { try timeline.expect(source, toEmit: "a#", error: TestError("yes")) }
    #expect(error.reason == "the failure ('#') was expected, and the failure ('#') came")
    #expect(error.legend == ["# = yes, expected", "# = no, actual"])
  }

  @Test func errorsThatCannotBeComparedAreTheSameIfTheyReadTheSame() throws {
    struct Opaque: Error { let code: Int }
    let source = try timeline.cold("#", error: Opaque(code: 1))
    try timeline.expect(source, toEmit: "#", error: Opaque(code: 1))
    #expect(throws: MarbleMismatch.self) { try timeline.expect(source, toEmit: "#", error: Opaque(code: 2)) }
  }

  @Test func aDifferenceShowsBothDiagrams() throws {
    let source = try timeline.hot("a-b-c|")
    let line = #line + 1
    let error = try mismatch { try timeline.expect(source, toEmit: "a-b--|") }
    #expect(
      "\(error)" == """
        InterflowTestingTests/ExpectTests.swift:\(line): the stream did not do what the diagram says
          expected  a-b--|
          actual    a-b-c|
                        ^ frame 4: the end ('|') was expected in frame 5, and 'c' came in frame 4
        """)
  }

  @Test func groupsKeepTheColumnsTogether() throws {
    let source = try timeline.hot("(ab)-c|")
    let error = try mismatch { try timeline.expect(source, toEmit: "a-d|") }
    #expect(
      "\(error)".split(separator: "\n").dropFirst().joined(separator: "\n") == """
          expected  a   -d|
          actual    (ab)-c|
                    ^ frame 0: 'd' was expected in frame 2, and 'b' came in frame 0
        """)
  }

  @Test(arguments: [
    ("ab|", "a-b|", 1, "'b' was expected in frame 1, and came in frame 2"),
    ("a-b|", "ab|", 1, "'b' was expected in frame 2, and came in frame 1"),
    ("abc", "ab", 2, "'c' was expected, and nothing came"),
    ("ab", "ab-c", 3, "nothing more was expected, and 'c' came"),
    ("ab", "ab|", 2, "nothing more was expected, and the end ('|') came"),
    ("ab|", "ab", 2, "the end ('|') was expected, and nothing came"),
    ("(ab)|", "(ba)|", 0, "'a' was expected, and 'b' came"),
    ("a|", "-|", 0, "'a' was expected in frame 0, and the end ('|') came in frame 1"),
    ("-------", "-a", 1, "nothing more was expected, and 'a' came"),
  ]) func theFirstDifferenceIsNamed(expected: String, actual: String, frame: Int, reason: String) throws {
    let source = try timeline.hot(actual)
    let error = try mismatch { try timeline.expect(source, toEmit: expected) }
    #expect(error.frame == frame)
    #expect(error.reason == reason)
  }

  @Test func whatComesTooLateIsADifference() throws {
    let source = try timeline.hot("a--------b")
    let error = try mismatch { try timeline.expect(source, toEmit: "a-") }
    #expect(error.actual == "a--------b")
  }

  @Test func whatComesBetweenFramesIsADifference() throws {
    let source = try timeline.hot("a|")
    let delayed = source.delay(for: .milliseconds(1_500), scheduler: scheduler)
    let error = try mismatch { try timeline.expect(delayed, toEmit: "-a|") }
    #expect(error.reason == "'a' was expected in frame 1, and came at 1.5 s, between frames 1 and 2")
  }

  @Test func unknownValuesGetALetterAndALegend() throws {
    let source = try timeline.hot("a-b-|", values: ["a": 10, "b": 20])
    let error = try mismatch { try timeline.expect(source, toEmit: "x---|", values: ["x": 10]) }
    #expect(error.actual == "x-a-|")
    #expect(error.legend == ["x = 10", "a = 20"])
  }

  @Test func subscribingLater() throws {
    let source = try timeline.hot("ab-c-d|")
    try timeline.expect(source, toEmit: "--^c-d|")
  }

  @Test func whatIsDueWithTheSubscriptionOrCancellationFollowsIt() throws {
    try timeline.expect(try timeline.hot("abc|"), toEmit: "-(^b)c|")
    try timeline.expect(try timeline.hot("abc|"), toEmit: "ab!")
  }

  @Test func cancelling() throws {
    let source = try timeline.hot("a-b-c-d|")
    try timeline.expect(source, toEmit: "a-b!")
    #expect(source.subscriptions == ["^--!"])
    let error = try mismatch { try timeline.expect(try timeline.hot("a-b"), toEmit: "a---!") }
    #expect(error.expected == "a---!")
    #expect(error.actual == "a-b-!")
  }

  @Test func whatComesVeryLateIsADifference() throws {
    let subject = PassthroughSubject<String, Never>()
    let repetition = scheduler.schedule(after: 1, interval: 1) {}
    scheduler.schedule(after: 20_000) { subject.send("late") }
    let error = try mismatch { try timeline.expect(subject, toEmit: "-") }
    #expect(error.frame == 20_000)
    repetition.cancel()
  }

  @Test func aDifferenceFarAwayIsNotDrawn() throws {
    let timeline = TestTimeline(frame: .milliseconds(1))
    let subject = PassthroughSubject<String, Never>()
    timeline.scheduler.schedule(after: 1) { subject.send("a") }
    timeline.scheduler.schedule(after: 3_600) { subject.send("b") }
    timeline.scheduler.schedule(after: 7_200) { subject.send(completion: .finished) }
    let error = try mismatch { try timeline.expect(subject, toEmit: "--") }
    #expect(error.frame == 1_000)
    #expect(error.actual == String(repeating: "-", count: 202) + "…")
    #expect(error.legend == ["… = 'a' at 1 s, 'b' at 3600 s, the end ('|') at 7200 s"])
    #expect("\(error)".contains("\n" + String(repeating: " ", count: 214) + "^ frame 1000: nothing more was expected"))
  }

  @Test func aSequenceWithoutEndLeavesNothingBehind() throws {
    try timeline.expect(timeline.sequence("a-b"), toEmit: "a-b")
    try timeline.verifyFinished()
    _ = try timeline.diagram("none", inputs: [:], output: timeline.sequence("a-b"))
    try timeline.verifyFinished()
  }

  @Test func repetitionsDoNotGoOnForEver() throws {
    let ticks = Deferred { [scheduler] in
      let subject = PassthroughSubject<String, Never>()
      let repetition = scheduler.schedule(after: scheduler.now.advanced(by: 1), interval: 2) { subject.send("t") }
      return subject.handleEvents(receiveCancel: { repetition.cancel() })
    }
    try timeline.expect(ticks, toEmit: "-t-t-t-")
    try timeline.verifyFinished()
  }

  @Test func workThatSchedulesItselfAgainDoesNotGoOnForEver() throws {
    let silent = PassthroughSubject<String, Never>()
    func again() { scheduler.schedule(after: scheduler.now.advanced(by: 1)) { again() } }
    again()
    try timeline.expect(silent, toEmit: "---")
  }

  @Test func aStreamWithoutEndDiffersInTheFirstValueTooMany() throws {
    let subject = PassthroughSubject<Int, Never>()
    func send(_ number: Int) {
      subject.send(number)
      scheduler.schedule(after: scheduler.now.advanced(by: 1)) { send(number + 1) }
    }
    scheduler.schedule(after: 1) { send(1) }
    let error = try mismatch { try timeline.expect(subject, toEmit: "-ab", values: ["a": 1, "b": 2]) }
    #expect(timeline.now > 100_000)
    #expect(error.frame == 3)
    #expect(error.reason == "nothing more was expected, and '3' came")
    #expect(error.legend.prefix(3) == ["a = 1", "b = 2", "c = 10"])
    #expect(error.legend.last?.hasSuffix(" more") == true)
    #expect(error.legend.count < 300)
  }

  @Test func aFrameOfVeryManyValuesIsNotDrawnWhole() throws {
    let error = try mismatch { try timeline.expect((10..<100_010).publisher, toEmit: "-") }
    #expect(error.reason == "nothing more was expected, and 'a' came")
    #expect(error.actual.hasPrefix("(abc"))
    #expect(error.actual.count < 2_000)
    #expect(error.legend.count < 2_000)
    #expect(error.legend.last?.hasSuffix(", and 98991 more") == true)
  }

  @Test func expectationsFollowOneAnother() throws {
    for _ in 0..<3 { try timeline.expect(try timeline.hot("-a-|"), toEmit: "-a-|") }
    #expect(timeline.now == 9)
  }

  @Test func subscribersSideBySide() throws {
    let source = try timeline.hot("a-b-c|")
    let (first, second) = (
      RecordingSubscriber<String, Never>(on: timeline), RecordingSubscriber<String, Never>(on: timeline)
    )
    source.prefix(2).subscribe(first)
    source.dropFirst(1).subscribe(second)
    timeline.run()
    try timeline.expect(first, toHaveReceived: "a-(b|)")
    try timeline.expect(second, toHaveReceived: "--b-c|")
    #expect(throws: MarbleMismatch.self) { try timeline.expect(second, toHaveReceived: "a-b-c|") }
    try timeline.expect(second, toHaveReceived: "-c|", since: 3)
  }
}

@Suite struct WildcardTests {
  @Test func aQuestionMarkIsAnyValue() throws {
    let timeline = TestTimeline()
    try timeline.expect(timeline.hot("a-b|"), toEmit: "?-b|")
  }

  @Test func aQuestionMarkIsOneValue() throws {
    for source in ["--b|", "(aa)-b|", "-a-b|", "#"] {
      let timeline = TestTimeline()
      let publisher = try timeline.hot(source, error: AnyError())
      #expect(throws: MarbleMismatch.self) { try timeline.expect(publisher, toEmit: "?-b|") }
    }
  }

  private struct AnyError: Error {}

  @Test func aTestMayHaveAValueOfThatName() throws {
    let timeline = TestTimeline()
    try timeline.expect(timeline.hot("a|", values: ["a": 1]), toEmit: "?|", values: ["?": 1])
    #expect(throws: MarbleMismatch.self) {
      let timeline = TestTimeline()
      try timeline.expect(timeline.hot("a|", values: ["a": 2]), toEmit: "?|", values: ["?": 1])
    }
  }

  @Test func aSourceHasNoWildcard() {
    #expect(throws: MarbleSyntaxError.self) { try TestTimeline().hot("?|") }
  }
}
