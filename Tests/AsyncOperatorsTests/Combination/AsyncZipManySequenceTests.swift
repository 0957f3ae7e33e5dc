import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncZipManySequenceTests {
  @Test func elementsMeetInOrder() throws {
    let timeline = TestTimeline()
    let bases = try ["a--d|", "-b-e--", "--c-f-", "1---2-"].map { try timeline.sequence($0) }
    try timeline.expect(zip(bases).map { $0.joined() }, toEmit: "--x-(y|)", values: ["x": "abc1", "y": "def2"])
  }

  @Test func aFailureEndsIt() throws {
    let timeline = TestTimeline()
    let bases = try ["a--d--", "-b-#"].map { try timeline.sequence($0, error: TestError("b")) }
    try timeline.expect(zip(bases).map { $0.joined() }, toEmit: "-x-#", values: ["x": "ab"], error: TestError("b"))
  }

  @Test func withoutBasesItEndsAtOnce() async {
    #expect(await collect(zip([ReadySource<Int, Never>]())).values.isEmpty)
  }

  @Test(arguments: [1, 5, 64, 100]) func nothingIsTakenAhead(count: Int) async {
    let bases = (0..<count).map { _ in naturals() }
    var iterator = zip(bases).makeAsyncIterator()
    for taken in 1...10 {
      #expect(await iterator.next() == Array(repeating: taken - 1, count: count))
      #expect(bases.allSatisfy { $0.taken.value == taken })
    }
  }

  @Test func elementsMayBeOptional() async {
    #expect(await collect(zip([ready([1, nil]), ready([nil, 2])])).values == [[1, nil], [nil, 2]])
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(4) { zip($0) }
  }
}
