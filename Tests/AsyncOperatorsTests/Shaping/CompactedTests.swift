import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct CompactedTests {
  @Test func rules() async throws {
    try await expectRules([nil, 1, nil, 2], pulls: [2, 4, 5], madeBeforeFailure: 2) { $0.compacted() }
    try await expectEndWhenCancelled(Endless<Int?>().compacted())
  }

  @Test func asCompactMap() async throws {
    try await randomLists(seed: 5) { list, _ in
      let optionals = list.map { $0 == 0 ? nil : $0 }
      #expect(await elements(of: optionals.async.compacted()) == optionals.compactMap { $0 })
    }
  }

  @Test func elementsKeepTheirTimes() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a-n-b|", values: ["a": "a", "n": nil, "b": "b"])
    try timeline.expect(source.compacted(), toEmit: "a---b|")
  }

  @Test func types() {
    let compacted: AsyncCompactedSequence<AsyncSyncSequence<[Int?]>, Int> = [1, nil].async.compacted()
    let _: any AsyncSequence<Int, Never> = compacted
    expectSendable(compacted)
  }
}
