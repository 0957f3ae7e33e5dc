import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ChunkedOnProjectionTests {
  @Test func rules() async throws {
    try await expectRules([1, 1, 2, 2], pulls: [3, 5, 5], madeBeforeFailure: 1) { $0.chunked(on: { $0 }) }
    try await expectRules([1], pulls: [2, 2], madeBeforeFailure: 0) { $0.chunked(on: { $0 }) }
    try await expectRules([Int](), pulls: [1], madeBeforeFailure: 0) { $0.chunked(on: { $0 }) }
    try await expectEndWhenCancelled(Endless<Int>().chunked(on: { $0 }))
  }

  @Test func asChunksOfEqualSubjects() async throws {
    try await randomLists(seed: 4) { list, _ in
      let chunks = await elements(of: list.async.chunked(on: { $0 / 2 }))
      #expect(chunks.map(\.1) == (await elements(of: list.async.chunked(by: { $0 / 2 == $1 / 2 }))))
      #expect(chunks.map(\.0) == chunks.map { $0.1[0] / 2 })
      let into = await elements(of: list.async.chunked(into: ContiguousArray.self, on: { $0 / 2 }))
      #expect(into.map { Array($0.1) } == chunks.map(\.1))
    }
  }

  @Test func aChunkComesWithTheElementAfterIt() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a-a-b-#", error: TestError())
    try timeline.expect(
      source.chunked(on: { $0 }).map { $0 + ":" + $1.joined() }, toEmit: "----x-#", values: ["x": "a:aa"])
  }

  @Test func types() {
    let chunks: AsyncChunkedOnProjectionSequence<AsyncSyncSequence<[Int]>, Bool, [Int]> = [1].async.chunked(
      on: { $0 > 0 })
    let _: any AsyncSequence<(Bool, [Int]), Never> = chunks
    expectSendable(chunks)
  }
}
