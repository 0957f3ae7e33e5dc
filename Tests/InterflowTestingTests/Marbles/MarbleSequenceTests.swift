import InterflowTesting
import Testing

@Suite struct MarbleSequenceTests {
  let timeline = TestTimeline()

  @Test func elementsComeAtTheirTimes() throws {
    let (timeline, source) = (timeline, try timeline.sequence("-a-(bc)|"))
    let log = try timeline.run {
      var log: [String] = []
      for await element in source { log.append("\(element) at \(timeline.now)") }
      log.append("end at \(timeline.now)")
      return log
    }
    #expect(log == ["a at 1 s", "b at 3 s", "c at 3 s", "end at 4 s"])
  }

  @Test func failuresAreTyped() throws {
    let (timeline, source) = (timeline, try timeline.sequence("a#", error: TestError("typed")))
    let name = try timeline.run {
      var iterator = source.makeAsyncIterator()
      do throws(TestError) {
        while try await iterator.next() != nil {}
        return ""
      } catch {
        let end = try await iterator.next()
        return "\(error.name), then \(String(describing: end))"
      }
    }
    #expect(name == "typed, then nil")
  }

  @Test func anElementWhoseTimeHasComeIsThereAtOnce() throws {
    let (timeline, source) = (timeline, try timeline.sequence("abc|"))
    let times = try timeline.run {
      var iterator = source.makeAsyncIterator()
      try await timeline.clock.sleep(for: .seconds(10))
      var times: [VirtualTime] = []
      while await iterator.next() != nil { times.append(timeline.now) }
      return times
    }
    #expect(times == [10, 10, 10])
  }

  @Test func aCancelledTaskGetsTheEnd() throws {
    let (timeline, source) = (timeline, try timeline.sequence("a---b|"))
    let log = Log()
    let task = Task(executorPreference: timeline) {
      for await element in source { log.add(element) }
      log.add("end at \(timeline.now)")
    }
    timeline.advance(by: 2)
    task.cancel()
    timeline.run()
    #expect(log.entries == ["a", "end at 2 s"])
    try timeline.verifyFinished()
  }

  @Test func aDiagramWithoutAnEndWaits() throws {
    let source = try timeline.sequence("a-")
    #expect(throws: StalledOperation.self) {
      try timeline.run { for await _ in source {} }
    }
  }

  @Test func sequencesDoWhatTheDiagramSays() throws {
    try timeline.expect(try timeline.sequence("a-b-|").map { $0.uppercased() }, toEmit: "A-B-|")
    try timeline.expect(try timeline.sequence("1-2-#", error: TestError()).dropFirst(), toEmit: "--2-#")
    try timeline.expect(try timeline.sequence("ab-c"), toEmit: "ab-c---")
    try timeline.expect(try timeline.sequence("ab-c-d|"), toEmit: "--(^a)b-c!")
  }

  @Test func differencesAreShown() throws {
    let error = try #require(throws: MarbleMismatch.self) {
      try timeline.expect(try timeline.sequence("a-b|"), toEmit: "a-c|")
    }
    #expect(error.reason == "'c' was expected, and 'b' came")
    #expect(error.expected == "a-c|")
    #expect(error.actual == "a-b|")
  }

  @Test func bothWorldsMeetOnOneTimeline() throws {
    // What Interflow starts for a pipeline on a timeline runs there too: no step is left to another thread.
    let words = try timeline.sequence("a-b-c|")
    try timeline.expect(words.publisher.delay(for: 2, scheduler: timeline.scheduler), toEmit: "--a-b-c|")
    let source = try timeline.hot("-a-b-#", error: TestError())
    try timeline.expect(source.asyncValues, toEmit: "-a-b-#")
    let clock = timeline.clock
    let slow = try timeline.cold("ab|").task(maxPublishers: .max(1)) { value in
      try? await clock.sleep(for: .seconds(3))
      return value
    }
    try timeline.expect(slow, toEmit: "---a--(b|)")
  }
}
