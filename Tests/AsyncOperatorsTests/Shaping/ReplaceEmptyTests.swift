import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ReplaceEmptyTests {
  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { $0.replaceEmpty(with: 0) }
    try await expectRules([Int](), pulls: [1, 1], madeBeforeFailure: 0) { $0.replaceEmpty(with: 0) }
    try await expectEndWhenCancelled(Endless<Int>().replaceEmpty(with: 0))
  }

  @Test func onlyAnEmptyBaseIsReplaced() async throws {
    try await randomLists(seed: 14) { list, _ in
      #expect(await Array(list.async.replaceEmpty(with: 9)) == (list.isEmpty ? [9] : list))
    }
  }

  @Test func theElementComesWithTheEnd() throws {
    let timeline = TestTimeline()
    try timeline.expect(try timeline.sequence("--|").replaceEmpty(with: "a"), toEmit: "--(a|)")
    try timeline.expect(try timeline.sequence("a-|").replaceEmpty(with: "b"), toEmit: "a-|")
    let failing = try timeline.sequence("--#", error: TestError()) as MarbleSequence<String, TestError>
    try timeline.expect(failing.replaceEmpty(with: "a"), toEmit: "--#", error: TestError())
  }

  @Test func types() {
    let _: any AsyncSequence<Int, Never> = [1].async.replaceEmpty(with: 0)
    expectSendable([1].async.replaceEmpty(with: 0))
  }
}
