import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct EnumeratedTests {
  @Test func rules() async throws {
    try await expectRules(["a", "b"], pulls: [1, 2, 3], madeBeforeFailure: 2) { $0.enumerated() }
    try await expectEndWhenCancelled(Endless<Int>().enumerated())
  }

  @Test func asEnumeratedOfTheStandardLibrary() async throws {
    try await randomLists(seed: 13) { list, _ in
      let pairs = await elements(of: list.async.enumerated())
      #expect(pairs.map(\.offset) == Array(list.indices))
      #expect(pairs.map(\.element) == list)
    }
  }

  @Test func elementsKeepTheirTimes() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("-a-b#", error: TestError())
    try timeline.expect(
      source.enumerated().map { "\($0.offset)\($0.element)" }, toEmit: "-x-y#", values: ["x": "0a", "y": "1b"])
  }

  @Test func types() {
    let _: any AsyncSequence<(offset: Int, element: Int), Never> = [1].async.enumerated()
    expectSendable([1].async.enumerated())
  }
}
