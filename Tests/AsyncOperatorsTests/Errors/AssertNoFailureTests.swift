import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AssertNoFailureTests {
  @Test func elementsAndTheEndPass() throws {
    let timeline = TestTimeline()
    try timeline.expect(try timeline.sequence("a-b|", error: TestError()).assertNoFailure(), toEmit: "a-b|")
  }

  @Test func aFailureTraps() async {
    await #expect(processExitsWith: .failure) {
      for await _ in ready([1], failure: TestError("a")).assertNoFailure("why") {}
    }
  }

  @Test func theMessageNamesPrefixAndError() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent],
      performing: { for await _ in ready([1], failure: TestError("reason")).assertNoFailure("prefix") {} })
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("prefix: "))
    #expect(message.contains("reason"))
  }

  @Test func anErrorInACancelledTaskIsTheEnd() async {
    let base = ready([Int](), failure: TestError("a"))
    let count = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await Array(base.assertNoFailure()).count
    }.value
    #expect(count == 0)
  }

  @Test func types() {
    let checked = ready([1], failure: TestError("a")).assertNoFailure()
    let _: any AsyncSequence<Int, Never> = checked
    expectSendable(checked)
  }
}
