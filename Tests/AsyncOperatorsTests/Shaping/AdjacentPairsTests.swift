import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AdjacentPairsTests {
  @Test func rules() async throws {
    try await expectRules([1, 2, 3, 4], pulls: [2, 3, 4, 5], madeBeforeFailure: 3) { $0.adjacentPairs() }
    try await expectRules([1], pulls: [2], madeBeforeFailure: 0) { $0.adjacentPairs() }
    try await expectRules([Int](), pulls: [1], madeBeforeFailure: 0) { $0.pairwise() }
    try await expectEndWhenCancelled(Endless<Int>().adjacentPairs())
  }

  @Test func asZipOfTheStandardLibrary() async throws {
    try await randomLists(seed: 1) { list, _ in
      let pairs = await elements(of: list.async.adjacentPairs()).map { [$0.0, $0.1] }
      #expect(pairs == zip(list, list.dropFirst()).map { [$0, $1] })
    }
  }

  @Test func aPairComesWithItsSecondElement() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a-b--c-#", error: TestError())
    try timeline.expect(
      source.adjacentPairs().map { $0 + $1 }, toEmit: "--x--y-#", values: ["x": "ab", "y": "bc"], error: TestError())
  }

  @Test func optionalElementsAreElements() async throws {
    let pairs = await elements(of: [nil, 1, nil].async.adjacentPairs())
    #expect(pairs.count == 2)
  }

  @Test func types() {
    let pairs = [1].async.adjacentPairs()
    let _: any AsyncSequence<(Int, Int), Never> = pairs
    let _: any AsyncSequence<(Int, Int), TestError> = [1].async.setFailureType(to: TestError.self).pairwise()
    expectSendable(pairs)
  }
}
