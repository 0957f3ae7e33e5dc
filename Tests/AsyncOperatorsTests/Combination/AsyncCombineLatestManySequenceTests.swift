import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncCombineLatestManySequenceTests {
  @Test func eachElementMeetsTheLatestOfTheOthers() throws {
    let timeline = TestTimeline()
    let bases = try ["a---d|", "-b---e|", "--c|", "1|"].map { try timeline.sequence($0) }
    try timeline.expect(
      combineLatest(bases).map { $0.joined() }, toEmit: "--x-yz|", values: ["x": "abc1", "y": "dbc1", "z": "dec1"])
  }

  @Test func aBaseWithoutAnElementEndsIt() throws {
    let timeline = TestTimeline()
    let bases = try ["a---d", "--|", "-c-"].map { try timeline.sequence($0) }
    try timeline.expect(combineLatest(bases).map { $0.joined() }, toEmit: "--|")
  }

  @Test func aFailureEndsIt() throws {
    let timeline = TestTimeline()
    let bases = try ["a--d--", "-b-#"].map { try timeline.sequence($0, error: TestError("b")) }
    try timeline.expect(
      combineLatest(bases).map { $0.joined() }, toEmit: "-x-(y#)", values: ["x": "ab", "y": "db"], error: TestError("b")
    )
  }

  @Test func withoutBasesItEndsAtOnce() async {
    #expect(await collect(combineLatest([ReadySource<Int, Never>]())).values.isEmpty)
  }

  @Test func elementsMayBeOptional() async {
    #expect(await collect(combineLatest([ready([Int?.none]), ready([2])])).values == [[nil, 2]])
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(4) { combineLatest($0) }
  }
}
