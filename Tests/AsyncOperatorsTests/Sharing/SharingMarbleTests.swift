import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

/// Several consumers in virtual time, one of which is slower than the base.
@Suite struct SharingMarbleTests {
  private let timeline = TestTimeline()
  private let diagram = "abc-de-fg-#"

  private func source() throws -> MarbleSequence<String, TestError> {
    try timeline.sequence(diagram, error: TestError("a"))
  }

  private func advance(to frame: Double) {
    timeline.advance(to: VirtualTime.zero.advanced(by: .init(.milliseconds(Int(1_000 * frame)))))
  }

  private func started<S: AsyncSequence & Sendable>(_ base: S) -> RecordingIteration<S> {
    let iteration = RecordingIteration(of: base, on: timeline)
    iteration.start()
    return iteration
  }

  /// A consumer that is busy for three frames after each element.
  private func slow<S: AsyncSequence & Sendable>(_ base: S) -> RecordingIteration<Busy<S>> {
    started(Busy(base: base, clock: timeline.clock))
  }

  /// Checks what two consumers receive, the second of which is slow.
  private func expect<S: AsyncSequence<String, TestError> & Sendable>(
    _ shared: S, fast fastDiagram: String, slow slowDiagram: String, line: Int = #line
  ) throws {
    let (first, second) = (started(shared), slow(shared))
    advance(to: 50)
    try timeline.expect(first, toHaveReceived: fastDiagram, error: TestError("a"), line: line)
    try timeline.expect(second, toHaveReceived: slowDiagram, error: TestError("a"), line: line)
    try timeline.verifyFinished()
  }

  /// Checks what a consumer receives that is added between the fifth element and the sixth, beside one that is there
  /// from the beginning.
  private func expect<S: AsyncSequence<String, TestError> & Sendable>(
    _ shared: S, first firstDiagram: String, late lateDiagram: String, line: Int = #line
  ) throws {
    let first = started(shared)
    advance(to: 6)
    let late = started(shared)
    advance(to: 50)
    try timeline.expect(first, toHaveReceived: firstDiagram, error: TestError("a"), line: line)
    try timeline.expect(late, toHaveReceived: lateDiagram, error: TestError("a"), line: line)
    try timeline.verifyFinished()
  }

  // MARK: share

  private static let slowest = "a--b--c--d--e--f--g--#"

  @Test func aBoundedBufferMakesAllConsumersAsSlowAsTheSlowest() throws {
    try expect(source().share(), fast: "ab-c--d--e--f--g--#", slow: Self.slowest)
  }

  @Test func aLargerBufferIsFilledFirst() throws {
    try expect(source().share(bufferingPolicy: .bounded(3)), fast: "abc-de-f-g--#", slow: Self.slowest)
  }

  @Test func withoutABufferAllConsumersGetAnElementTogether() throws {
    try expect(source().share(bufferingPolicy: .bounded(0)), fast: Self.slowest, slow: Self.slowest)
  }

  @Test func anUnboundedBufferMakesNoConsumerWait() throws {
    try expect(source().share(bufferingPolicy: .unbounded), fast: diagram, slow: Self.slowest)
  }

  @Test func aSlowConsumerGetsTheLatestElements() throws {
    try expect(source().share(bufferingPolicy: .bufferingLatest(1)), fast: diagram, slow: "a--c--e--g--#")
  }

  @Test func aSlowConsumerGetsTheOldestElements() throws {
    try expect(source().share(bufferingPolicy: .bufferingOldest(1)), fast: diagram, slow: "a--b--d--f--#")
  }

  @Test func aLateConsumerGetsNothingOfBefore() throws {
    try expect(source().share(), first: diagram, late: "-------fg-#")
  }

  @Test func theNewestElementsAreReplayedToALateConsumer() throws {
    try expect(source().share(replay: 2), first: diagram, late: "------(de)fg-#")
  }

  @Test func theReplayedElementsKeepToThePolicyOfTheBuffer() throws {
    try expect(
      source().share(replay: 3, bufferingPolicy: .bufferingLatest(1)), first: diagram, late: "------efg-#")
  }

  @Test func aSlowConsumerThatIsCancelledHoldsUpNothing() throws {
    let shared = try source().share()
    let (first, second) = (started(shared), slow(shared))
    advance(to: 3.5)
    second.cancel()
    advance(to: 50)
    try timeline.expect(first, toHaveReceived: "ab-cde-fg-#", error: TestError("a"))
    try timeline.expect(second, toHaveReceived: "a--b")
    try timeline.verifyFinished()
  }

  // MARK: multicast

  @Test func consumersOfASubjectHaveBuffersOfTheirOwn() throws {
    try expect(
      source().multicast(AsyncPassthroughSubject<String, TestError>()).autoconnect(), fast: diagram,
      slow: Self.slowest)
  }

  @Test func thePolicyIsTheSubjects() throws {
    let latest = AsyncPassthroughSubject<String, TestError>(bufferingPolicy: .bufferingLatest(1))
    try expect(source().multicast(latest).autoconnect(), fast: diagram, slow: "a--c--e--g--#")
  }

  @Test func aPassthroughSubjectReplaysNothing() throws {
    try expect(
      source().multicast(AsyncPassthroughSubject<String, TestError>()).autoconnect(), first: diagram,
      late: "-------fg-#")
  }

  @Test func aReplaySubjectReplaysToALateConsumer() throws {
    try expect(
      source().multicast(AsyncReplaySubject<String, TestError>(bufferSize: 2)).autoconnect(), first: diagram,
      late: "------(de)fg-#")
  }

  @Test func aCurrentValueSubjectBeginsWithItsValue() throws {
    try expect(
      source().multicast(AsyncCurrentValueSubject<String, TestError>("z")).autoconnect(), first: "(za)bc-de-fg-#",
      late: "------efg-#")
  }

  @Test func theBaseBeginsWhenItIsConnected() throws {
    let multicast = try source().multicast(AsyncPassthroughSubject<String, TestError>())
    let iteration = started(multicast)
    try timeline.run { [timeline] in
      try await timeline.clock.sleep(for: .seconds(2))
      let connection = multicast.connect()
      try await timeline.clock.sleep(for: .seconds(20))
      withExtendedLifetime(connection) {}
    }
    try timeline.expect(iteration, toHaveReceived: "--abc-de-fg-#", error: TestError("a"))
    try timeline.verifyFinished()
  }

  @Test func aConnectionThatIsCancelledLeavesTheConsumersWaiting() throws {
    let multicast = try source().multicast(AsyncPassthroughSubject<String, TestError>())
    let iteration = started(multicast)
    try timeline.run { [timeline] in
      let connection = multicast.connect()
      try await timeline.clock.sleep(for: .milliseconds(4_500))
      connection.cancel()
      try await timeline.clock.sleep(for: .seconds(20))
    }
    try timeline.expect(iteration, toHaveReceived: "abc-d")
    iteration.cancel()
    timeline.advance()
    try timeline.verifyFinished()
  }
}

/// The elements of a sequence, for a consumer that does something for three frames after each of them.
private struct Busy<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable {
  let base: Base
  let clock: TestClock

  func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), clock: clock) }

  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let clock: TestClock
    var isBusy = false

    mutating func next() async throws(Base.Failure) -> Base.Element? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
      if isBusy { try? await clock.sleep(for: .seconds(3)) }
      isBusy = true
      return try await base.next(isolation: actor)
    }
  }
}
