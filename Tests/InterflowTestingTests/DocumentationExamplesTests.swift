import Foundation
import InterflowTesting
import Testing

/// The examples of the documentation, word for word: `DocumentationTests` compares them.
@Suite struct DocumentationExamplesTests {
  @Test func debouncingInOneExpectation() throws {
    let timeline = TestTimeline()
    let typed = try timeline.hot("ab---c---|")
    let searched = typed.debounce(for: 2, scheduler: timeline.scheduler)
    try timeline.expect(searched, toEmit: "---b---c-|")
  }

  @Test func aHeartbeat() throws {
    let scheduler = TestScheduler()
    var beats: [VirtualTime] = []
    let heartbeat = scheduler.schedule(after: 1, interval: .milliseconds(500)) { beats.append(scheduler.now) }

    scheduler.advance(by: 2)
    #expect(beats == [1, 1.5, 2])

    heartbeat.cancel()
    try scheduler.verifyFinished()
  }

  @Test func namingWhatIsScheduled() throws {
    let scheduler = TestScheduler()
    let input = PassthroughSubject<String, Never>()
    let cancellable = input.debounce(for: 2, scheduler: scheduler, options: "search").sink { _ in }
    input.send("a")

    let error = #expect(throws: UnfinishedWork.self) { try scheduler.verifyFinished() }
    #expect(error?.description == "at 0 s, one thing is still scheduled:\n  at 2 s: “search”, again every 2 s")
    cancellable.cancel()
  }

  @Test func aCountdownOnTheTimeline() async throws {
    func countdown(from start: Int, clock: some Clock<Duration>, tick: (Int) -> Void) async throws {
      for number in (1...start).reversed() {
        tick(number)
        try await clock.sleep(for: .seconds(1))
      }
    }

    let timeline = TestTimeline()
    let ticks = try timeline.run {
      var ticks: [String] = []
      try await countdown(from: 3, clock: timeline.clock) { ticks.append("\($0) at \(timeline.now)") }
      return ticks
    }
    #expect(ticks == ["3 at 0 s", "2 at 1 s", "1 at 2 s"])
    #expect(timeline.now == 3)
  }

  @Test func aSleeperBitByBit() async throws {
    let clock = TestClock()
    let task = Task(executorPreference: clock.timeline) {
      try await clock.sleep(for: .seconds(60))
      return "awake"
    }

    await clock.advance(by: .seconds(59))
    #expect(clock.timeline.pending == [PendingWork(time: 60, kind: .sleep)])
    await clock.advance(by: .seconds(1))
    #expect(try await task.value == "awake")
  }

  @Test func aSleeperElsewhere() async throws {
    let clock = TestClock()
    let task = Task {
      try await clock.sleep(for: .seconds(60))
      return "awake"
    }

    await clock.waitForSleepers()
    await clock.advance(by: .seconds(60))
    #expect(try await task.value == "awake")
  }

  @Test func recordingWithDemand() {
    let timeline = TestTimeline()
    let subscriber = RecordingSubscriber<Int, Never>(on: timeline, initialDemand: .max(2))
    (1...3).publisher
      .delay(for: 1, scheduler: timeline.scheduler)
      .subscribe(subscriber)

    timeline.run()
    #expect(subscriber.signals == [.subscription(at: 0), .value(1, at: 1), .value(2, at: 1)])

    subscriber.request(.max(1))
    timeline.run()
    #expect(subscriber.signals.suffix(2) == [.value(3, at: 2), .finished(at: 2)])
  }

  @Test func recordingUpstream() {
    let upstream = TestPublisher<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    upstream.filter { $0 > 1 }.subscribe(subscriber)

    upstream.send(1)
    #expect(upstream.requests == [.max(1), .max(1)])  // The filter requests another.

    subscriber.cancel()
    #expect(upstream.subscription?.isCancelled == true)
  }

  @Test func recordingAnIteration() throws {
    let timeline = TestTimeline()
    let iteration = RecordingIteration(of: try timeline.sequence("a-b|"), on: timeline)
    iteration.start()
    timeline.run()
    #expect(iteration.signals == [.value("a", at: 0), .value("b", at: 2), .finished(at: 3)])
  }

  @Test func recordingInBetween() {
    let numbers = (1...10).publisher.recording()
    let cancellable = numbers.first { $0 > 2 }.sink { _ in }

    #expect(numbers.signals.compactMap(\.value) == [1, 2, 3])
    #expect(numbers.cancellations.count == 1)
    cancellable.cancel()
  }

  @Test func mergingMarbles() throws {
    let timeline = TestTimeline()
    let letters = try timeline.hot("a--b--|")
    let digits = try timeline.hot("-1--2|")
    try timeline.expect(letters.merge(with: digits), toEmit: "a1-b2-|")
  }

  @Test func aMismatchWithBothDiagrams() throws {
    let timeline = TestTimeline()
    let letters = try timeline.hot("a-b-c|")
    let error = #expect(throws: MarbleMismatch.self) {
      try timeline.expect(letters.map { $0.uppercased() }, toEmit: "A-B--|")
    }
    print(error!)
  }

  @Test func retryingAFailure() throws {
    enum Failure: Error { case offline }
    let timeline = TestTimeline()
    let source = try timeline.cold("1-2-#", values: ["1": 1, "2": 2], error: Failure.offline)
    try timeline.expect(
      source.map { $0 * 10 }.retry(1), toEmit: "a-b-a-b-#", values: ["a": 10, "b": 20], error: .offline)
  }

  @Test func askingWhoSubscribed() throws {
    let timeline = TestTimeline()
    let source = try timeline.hot("a-b-c-|")
    try timeline.expect(source.prefix(2), toEmit: "a-(b|)")
    #expect(source.subscriptions == ["^-!"])
  }

  @Test func bothWorldsInMarbles() throws {
    let timeline = TestTimeline()
    let words = try timeline.sequence("a-b-c|")
    try timeline.expect(words.dropFirst(), toEmit: "--b-c|")
    try timeline.expect(words.publisher.delay(for: 2, scheduler: timeline.scheduler), toEmit: "--a-b-c|")
  }

  @Test func drawingADebounce() throws {
    let timeline = TestTimeline()
    let source = try timeline.hot("ab---c---|")
    let diagram = timeline.diagram(
      "debounce(for: 2)", inputs: ["source": source],
      output: source.debounce(for: 2, scheduler: timeline.scheduler))

    #expect(
      diagram.text == """
        source  ab---c---|
                ╭──────────────────╮
                │ debounce(for: 2) │
                ╰──────────────────╯
        output  ---b---c-|
        """)
  }

  @Test func drawingByHand() {
    let subscriber = RecordingSubscriber<Int, Never>()
    (1...3).publisher.prefix(2).subscribe(subscriber)
    let diagram = StreamDiagram(
      "prefix(2)", inputs: [], output: StreamDiagram.Row("output", signals: subscriber.signals))
    #expect(diagram.text.hasSuffix("output  (12|)"))
  }

  @Test func printingADiagram() throws {
    let timeline = TestTimeline()
    let source = try timeline.hot("ab---c---|")
    let diagram = timeline.diagram(
      "debounce(for: 2)", inputs: ["source": source],
      output: source.debounce(for: 2, scheduler: timeline.scheduler))
    print(diagram.text)
  }

  @Test func subscriptionsOfMarbles() throws {
    let timeline = TestTimeline()
    let source = try timeline.hot("a-b-c-|")
    try timeline.expect(source.prefix(2), toEmit: "a-(b|)")
    #expect(source.subscriptions == ["^-!"])
  }

  @Test func expectingOfAPublisher() throws {
    let timeline = TestTimeline()
    let source = try timeline.hot("ab---c---|")
    try timeline.expect(source.debounce(for: 2, scheduler: timeline.scheduler), toEmit: "---b---c-|")
  }

  @Test func expectingOfASequence() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a-b-#", error: URLError(.timedOut))
    try timeline.expect(source.map { $0.uppercased() }, toEmit: "A-B-#")
  }

  @Test func hotMarbles() throws {
    let timeline = TestTimeline()
    let source = try timeline.hot("1-2-|", values: ["1": 1, "2": 2])
    try timeline.expect(source.map { $0 * 10 }, toEmit: "a-b-|", values: ["a": 10, "b": 20])
  }

  @Test func coldMarbles() throws {
    let timeline = TestTimeline()
    let source = try timeline.cold("a-#", error: URLError(.timedOut))
    try timeline.expect(source.retry(1), toEmit: "a-a-#", error: URLError(.timedOut))
  }

  @Test func marblesAsASequence() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a-b-|")
    try timeline.expect(source.map { $0.uppercased() }, toEmit: "A-B-|")
  }

  @Test func signalsToCompareWith() {
    let subscriber = RecordingSubscriber<String, Never>()
    Just("a").subscribe(subscriber)
    #expect(subscriber.signals == [.subscription(at: 0), .value("a", at: 0), .finished(at: 0)])
  }

  @Test func recordingAPublisher() {
    let upstream = (1...10).publisher.recording()
    upstream.first { $0 > 2 }.subscribe(RecordingSubscriber())
    #expect(upstream.signals.compactMap(\.value) == [1, 2, 3])
    #expect(upstream.cancellations.count == 1)
  }

  @Test func askingForMore() {
    let subscriber = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
    (1...3).publisher.subscribe(subscriber)
    #expect(subscriber.values == [1])

    subscriber.request(.max(2))
    #expect(subscriber.values == [1, 2, 3])
    #expect(subscriber.completion == .finished)
  }

  @Test func askedByAFilter() {
    let upstream = TestPublisher<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
    upstream.filter { $0 > 1 }.subscribe(subscriber)

    upstream.send(1)
    #expect(upstream.requests == [.max(2), .max(1)])  // The filter requests another.
    subscriber.cancel()
    #expect(upstream.cancellations.count == 1)
  }

  @Test func requestsToCompareWith() {
    let upstream = TestPublisher<Int, Never>()
    upstream.prefix(3).subscribe(RecordingSubscriber(initialDemand: .max(2)))
    #expect(upstream.requests == [.max(2)])
  }

  @Test func textOfWhatCannotBeCompared() {
    let subscriber = RecordingSubscriber<(Int, String), Never>()
    [1, 2].publisher.zip(["a", "b"].publisher).subscribe(subscriber)
    #expect(subscriber.log == [#"(1, "a")"#, #"(2, "b")"#, "finished"])
  }

  @Test func aClockForOneTask() async throws {
    let clock = TestClock()
    let task = Task(executorPreference: clock.timeline) {
      try await clock.sleep(for: .seconds(60))
      return "awake"
    }

    await clock.advance(by: .seconds(60))
    #expect(try await task.value == "awake")
  }

  @Test func aSchedulerForDebounce() {
    let scheduler = TestScheduler()
    let input = PassthroughSubject<String, Never>()
    var output: [String] = []
    let cancellable = input.debounce(for: 2, scheduler: scheduler).sink { output.append($0) }

    input.send("a")
    scheduler.advance(by: 1)
    input.send("b")
    scheduler.advance(by: 1)
    #expect(output == [])
    scheduler.advance(by: 1)
    #expect(output == ["b"])
    cancellable.cancel()
  }

  @Test func anHourInNoTime() throws {
    let timeline = TestTimeline()
    let answer = try timeline.run {
      try await timeline.clock.sleep(for: .seconds(3600))
      return 42
    }
    #expect(answer == 42)
    #expect(timeline.now == 3600)
  }

  @Test func schedulerAndClockTogether() throws {
    let timeline = TestTimeline()
    timeline.scheduler.schedule(after: 2) { print("the scheduler, at \(timeline.now)") }
    Task(executorPreference: timeline) {
      try await timeline.clock.sleep(for: .seconds(1))
      print("the clock, at \(timeline.now)")
    }

    timeline.advance(by: 2)  // the clock, at 1 s; the scheduler, at 2 s
  }

  @Test func literalsOfTime() {
    let time: VirtualTime = 1.5
    #expect(time == VirtualTime(nanoseconds: 1_500_000_000))
  }
}
