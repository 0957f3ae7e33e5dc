import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MapToResultTests {
  @Test func theFailureIsTheLastElement() async {
    let log = ProbeLog()
    let base = Probe<Int, TestError>(elements: [1], failure: TestError("base"), log: log)
    var iterator = base.mapToResult().makeAsyncIterator()
    #expect(log.pulls == 0)
    #expect(await iterator.next() == .success(1))
    #expect(await iterator.next() == .failure(TestError("base")))
    #expect(await iterator.next() == nil)
    #expect(await iterator.next() == nil)
    #expect(log.pulls == 2)
  }

  @Test func elementsAndTheEndKeepTheirTime() throws {
    let timeline = TestTimeline()
    let results = try timeline.sequence("a-b-#", error: TestError()).mapToResult().map { "\($0)".prefix(4) == "fail" }
    try timeline.expect(results, toEmit: "a-a-(b|)", values: ["a": false, "b": true])
  }

  @Test func aCancelledTaskGetsTheEnd() async throws {
    try await expectEndWhenCancelled(Endless<Int>().setFailureType(to: TestError.self).mapToResult())
  }

  @Test func anErrorInACancelledTaskIsTheEnd() async {
    let base = ready([Int](), failure: TestError("a"))
    let isEmpty = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for await _ in base.mapToResult() { return false }
      return true
    }.value
    #expect(isEmpty)
  }

  @Test func types() {
    let results = ready([1], failure: TestError("a")).mapToResult()
    let _: any AsyncSequence<Result<Int, TestError>, Never> = results
    expectSendable(results)
  }
}
