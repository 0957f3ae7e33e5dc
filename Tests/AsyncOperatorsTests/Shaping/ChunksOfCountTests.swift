import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ChunksOfCountTests {
  @Test func rules() async throws {
    try await expectRules([1, 2, 3, 4], pulls: [2, 4, 5], madeBeforeFailure: 2) { $0.chunks(ofCount: 2) }
    try await expectRules([1, 2, 3], pulls: [2, 4, 4], madeBeforeFailure: 1) { $0.chunks(ofCount: 2) }
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { $0.collect(1) }
    try await expectEndWhenCancelled(Endless<Int>().chunks(ofCount: 2))
  }

  @Test func asSlicesOfAnArray() async throws {
    try await randomLists(seed: 2) { list, count in
      let slices = stride(from: 0, to: list.count, by: count).map { Array(list[$0..<min($0 + count, list.count)]) }
      #expect(await elements(of: list.async.chunks(ofCount: count)) == slices)
      let into = await elements(of: list.async.chunks(ofCount: count, into: ContiguousArray.self))
      #expect(into.map(Array.init) == slices)
    }
  }

  @Test func aFullChunkDoesNotWaitForTheEnd() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a-b--c---|")
    try timeline.expect(
      source.chunks(ofCount: 2), toEmit: "--x------(y|)", values: ["x": ["a", "b"], "y": ["c"]])
  }

  @Test func aFailureDropsTheShortChunk() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a-b--c---#", error: TestError())
    try timeline.expect(source.chunks(ofCount: 2), toEmit: "--x------#", values: ["x": ["a", "b"]])
  }

  @Test func theLargestCountCollectsAll() async throws {
    #expect(await elements(of: (1...3).async.chunks(ofCount: .max)) == [[1, 2, 3]])
  }

  @Test func aCountBelowOneTraps() async {
    await #expect(processExitsWith: .failure) { _ = [1].async.chunks(ofCount: 0) }
  }

  @Test func types() {
    let chunks: AsyncChunksOfCountSequence<AsyncSyncSequence<[Int]>, [Int]> = [1].async.collect(2)
    let _: any AsyncSequence<[Int], Never> = chunks
    let throwing = [1].async.setFailureType(to: TestError.self)
    let _: any AsyncSequence<[Int], TestError> = throwing.chunks(ofCount: 1)
    expectSendable(chunks)
  }
}
