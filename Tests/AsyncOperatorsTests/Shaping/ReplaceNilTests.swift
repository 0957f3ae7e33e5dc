import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ReplaceNilTests {
  @Test func rules() async throws {
    try await expectRules([1, nil], pulls: [1, 2, 3], madeBeforeFailure: 2) { $0.replaceNil(with: 0) }
    try await expectEndWhenCancelled(Endless<Int?>().replaceNil(with: 0))
  }

  @Test func asAMap() async throws {
    try await randomLists(seed: 15) { list, _ in
      let optionals = list.map { $0 == 0 ? nil : $0 }
      #expect(await Array(optionals.async.replaceNil(with: 7)) == optionals.map { $0 ?? 7 })
    }
  }

  @Test func elementsKeepTheirTimes() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a-n|", values: ["a": "a", "n": nil])
    try timeline.expect(source.replaceNil(with: "-"), toEmit: "a-x|", values: ["a": "a", "x": "-"])
  }

  @Test func types() {
    let _: any AsyncSequence<Int, Never> = [1, nil].async.replaceNil(with: 0)
    expectSendable([1, nil].async.replaceNil(with: 0))
  }
}
