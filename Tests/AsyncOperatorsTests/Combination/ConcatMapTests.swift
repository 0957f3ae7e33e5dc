import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ConcatMapTests {
  @Test func rules() async throws {
    try await expectRules([2, 0, 1], pulls: [1, 1, 3, 4], madeBeforeFailure: 3) { $0.concatMap { (0..<$0).async } }
    try await expectRules([2, 0, 1], pulls: [1, 1, 3, 4], madeBeforeFailure: 3) { (probe: Probe<Int, TestError>) in
      probe.concatMap { number in
        await Task.yield()
        return (0..<number).async
      }
    }
    try await expectEndWhenCancelled(Endless<Int>().concatMap { _ in [1].async })
    try await expectEndWhenCancelled([1].async.concatMap { _ in Endless<Int>() })
  }

  @Test func sequencesFollowOneAnother() throws {
    let timeline = TestTimeline()
    let inner = try timeline.sequence("x--y|")
    try timeline.expect(try timeline.sequence("ab---|").concatMap { _ in inner }, toEmit: "x--yx--y|")
  }

  @Test @MainActor func closuresThatSuspendRunOnTheConsumersActor() async throws {
    let numbers = [1, 2].async.concatMap { number in
      MainActor.preconditionIsolated()
      await Task.yield()
      return [number].async
    }
    #expect(await Array(numbers) == [1, 2])
  }

  @Test func failuresAreJoined() async throws {
    let (never, error) = ([1].async, [2].async.setFailureType(to: TestError.self))
    let other = [3].async.setFailureType(to: CancellationError.self)
    let _: any AsyncSequence<Int, Never> = never.concatMap { _ in never }
    let _: any AsyncSequence<Int, TestError> = error.concatMap { _ in error }
    let _: any AsyncSequence<Int, TestError> = never.concatMap { _ in error }
    let _: any AsyncSequence<Int, TestError> = error.concatMap { _ in never }
    let _: any AsyncSequence<Int, any Error> = error.concatMap { _ in other }
    let failing = Probe<Int, TestError>(elements: [1], failure: TestError("inner"), log: ProbeLog())
    let log = ProbeLog()
    let base = Probe<Int, Never>(elements: [1, 2], failure: nil, log: log)
    var iterator = base.concatMap { _ in failing }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: TestError("inner")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect(log.pulls == 1)
    expectSendable(never.concatMap { _ in error })
  }
}
