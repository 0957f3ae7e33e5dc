import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncMergeManySequenceTests {
  @Test func elementsComeAsTheyArrive() throws {
    let timeline = TestTimeline()
    let bases = try ["a--d|", "-b--e|", "--c---f|", "|"].map { try timeline.sequence($0) }
    try timeline.expect(merge(bases), toEmit: "abcde-f|")
  }

  @Test func aFailureEndsIt() throws {
    let timeline = TestTimeline()
    let bases = try ["a---", "-b-#", "--c---"].map { try timeline.sequence($0, error: TestError("b")) }
    try timeline.expect(merge(bases), toEmit: "abc#", error: TestError("b"))
  }

  @Test func withoutBasesItEndsAtOnce() async {
    #expect(await collect(merge([ReadySource<Int, Never>]())).values == [])
  }

  @Test(arguments: [1, 2, 63, 64, 65, 200]) func eachElementComesOnce(count: Int) async {
    let bases = (0..<count).map { base in ready((0..<5).map { $0 * count + base }) }
    #expect(await collect(merge(bases)).values.sorted() == Array(0..<(5 * count)))
    for base in bases { await base.released.wait() }
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(4) { merge($0) }
    await expectConcurrentRules(1) { merge($0) }
  }
}
