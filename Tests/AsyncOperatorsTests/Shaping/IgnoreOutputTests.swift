import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct IgnoreOutputTests {
  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [3], madeBeforeFailure: 0) { $0.ignoreOutput() }
    try await expectEndWhenCancelled(Endless<Int>().ignoreOutput())
  }

  @Test func onlyTheEndIsLeft() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a-b-|")
    try timeline.expect(source.ignoreOutput().map { (_: Never) -> String in }, toEmit: "----|")
    let failing = try timeline.sequence("a-#", error: TestError())
    try timeline.expect(failing.ignoreOutput().map { (_: Never) -> String in }, toEmit: "--#", error: TestError())
  }

  @Test func types() {
    let _: any AsyncSequence<Never, Never> = [1].async.ignoreOutput()
    expectSendable([1].async.ignoreOutput())
  }
}
