import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncChunksOfCountOrSignalSequenceTests {
  @Test func aChunkIsFullOrEndedByASignal() throws {
    let timeline = TestTimeline()
    let base = try timeline.sequence("abcd--e--f|")
    let signal = try timeline.sequence("----x--x----")
    let chunks = base.chunks(ofCount: 3, or: signal).map { $0.joined() }
    try timeline.expect(
      chunks, toEmit: "--x-y--z--(w|)", values: ["x": "abc", "y": "d", "z": "e", "w": "f"])
  }

  @Test func withoutACountOnlySignalsEndChunks() throws {
    let timeline = TestTimeline()
    let base = try timeline.sequence("abcd-e-|")
    let signal = try timeline.sequence("----x--")
    let chunks = base.chunked(by: signal).map { $0.joined() }
    try timeline.expect(chunks, toEmit: "----x--(y|)", values: ["x": "abcd", "y": "e"])
  }

  @Test func aTimerIsASignal() throws {
    let timeline = TestTimeline()
    let timer = AsyncTimerSequence(interval: .seconds(3), clock: timeline.clock)
    let chunks = try timeline.sequence("ab--c--d|").chunks(ofCount: 2, or: timer).map { $0.joined() }
    try timeline.expect(chunks, toEmit: "-x----y-(z|)", values: ["x": "ab", "y": "c", "z": "d"])
    let into = try timeline.sequence("aab-b|").chunked(by: timer, into: ContiguousArray.self).map { $0.joined() }
    try timeline.expect(into, toEmit: "---x-(y|)", values: ["x": "aab", "y": "b"])
  }

  @Test func signalsWithoutElementsAreIgnored() throws {
    let timeline = TestTimeline()
    let base = try timeline.sequence("---a-|")
    let signal = try timeline.sequence("xxx-xx")
    try timeline.expect(base.chunked(by: signal).map { $0.joined() }, toEmit: "----a|")
  }

  @Test func theEndOfTheSignalHasNoEffect() throws {
    let timeline = TestTimeline()
    let base = try timeline.sequence("a-b|")
    let signal = try timeline.sequence("-|")
    try timeline.expect(base.chunked(by: signal).map { $0.joined() }, toEmit: "---(x|)", values: ["x": "ab"])
  }

  @Test func aFailureDropsWhatIsCollected() throws {
    let timeline = TestTimeline()
    let base = try timeline.sequence("a-b#", error: TestError("a"))
    let signal = try timeline.sequence("-x-")
    try timeline.expect(base.chunked(by: signal).map { $0.joined() }, toEmit: "-a-#", error: TestError("a"))
  }

  @Test func aFailureOfTheSignalEndsIt() async {
    let base = ManualSource<Int, Never>()
    let signal = ready([1], failure: TestError("signal"))
    #expect(await collect(base.chunked(by: signal)).error == TestError("signal"))
    await base.released.wait()
  }

  @Test func failuresAreTyped() {
    let (never, error) = (ready([1]), ready([2], failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(never.chunked(by: never), with: Never.self))
    #expect(fails(error.chunked(by: never), with: TestError.self))
    #expect(fails(error.chunks(ofCount: 2, or: error), with: TestError.self))
    #expect(fails(never.chunks(ofCount: 2, or: error), with: TestError.self))
    #expect(fails(error.chunks(ofCount: 2, or: other), with: (any Error).self))
    let timer = AsyncTimerSequence(interval: .seconds(1), clock: .continuous)
    #expect(fails(error.chunks(ofCount: 2, or: timer, into: ContiguousArray.self), with: TestError.self))
  }

  @Test func collectionsAreOfAnyType() async {
    let signal = ManualSource<Void, Never>()
    let chunks = await collect(ready(["a", "b", "c"]).chunks(ofCount: 2, or: signal, into: ContiguousArray.self))
    #expect(chunks.values == [["a", "b"], ["c"]])
  }

  @Test func aConsumerThatStopsReleasesBoth() async {
    let (source, signal) = (naturals(), ManualSource<Void, Never>())
    for await chunk in source.chunks(ofCount: 100, or: signal) where chunk.last == 999 { break }
    await source.released.wait()
    await signal.released.wait()
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(1) { $0[0].chunks(ofCount: 1, or: ManualSource<Void, Never>()) }
  }

  @Test func aCountBelowOneTraps() async {
    await #expect(processExitsWith: .failure) {
      _ = ready([1]).chunks(ofCount: 0, or: ManualSource<Void, Never>())
    }
  }
}
