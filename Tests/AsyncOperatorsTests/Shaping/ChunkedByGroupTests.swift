import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ChunkedByGroupTests {
  @Test func rules() async throws {
    try await expectRules([1, 2, 1, 2], pulls: [3, 5, 5], madeBeforeFailure: 1) { $0.chunked(by: <) }
    try await expectRules([1], pulls: [2, 2], madeBeforeFailure: 0) { $0.chunked(by: <) }
    try await expectRules([Int](), pulls: [1], madeBeforeFailure: 0) { $0.chunked(by: <) }
    try await expectEndWhenCancelled(Endless<Int>().chunked(by: <))
  }

  @Test func asAModel() async throws {
    try await randomLists(seed: 3) { list, _ in
      var model: [[Int]] = []
      for element in list {
        if let last = model.last?.last, last <= element {
          model[model.count - 1].append(element)
        } else {
          model.append([element])
        }
      }
      #expect(await elements(of: list.async.chunked(by: <=)) == model)
      #expect(await elements(of: list.async.chunked(into: ContiguousArray.self, by: <=)).map(Array.init) == model)
    }
  }

  @Test func aChunkComesWithTheElementAfterIt() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a-b-a-|")
    try timeline.expect(source.chunked(by: <), toEmit: "----x-(y|)", values: ["x": ["a", "b"], "y": ["a"]])
  }

  @Test func types() {
    let chunks = [1].async.chunked(by: <)
    let _: any AsyncSequence<[Int], Never> = chunks
    let _: any AsyncSequence<[Int], TestError> = [1].async.setFailureType(to: TestError.self).chunked(by: <)
    expectSendable(chunks)
  }
}
