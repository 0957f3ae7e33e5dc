import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ChainTests {
  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [1, 2, 3, 3], madeBeforeFailure: 2) { chain($0, [9].async) }
    try await expectRules([1, 2], pulls: [0, 1, 2, 3], madeBeforeFailure: 3) { chain([9].async, $0) }
    try await expectRules([1], pulls: [0, 1, 2, 2], madeBeforeFailure: 2) { chain([9].async, $0, [8].async) }
    try await expectRules([1], pulls: [1, 2, 2], madeBeforeFailure: 1) { chain($0, [Int]().async, [8].async) }
    try await expectRules([1], pulls: [0, 0, 1, 2], madeBeforeFailure: 3) { chain([7].async, [8].async, $0) }
    try await expectEndWhenCancelled(chain(Endless<Int>(), [1].async), elements: 0)
    try await expectEndWhenCancelled(chain([1].async, Endless<Int>()), elements: 1)
  }

  @Test func asConcatenation() async throws {
    try await randomLists(seed: 17) { list, count in
      let (first, second) = (list.prefix(count), list.dropFirst(count))
      #expect(await Array(chain(first.async, second.async)) == list)
      #expect(await Array(chain(first.async, second.async, list.async)) == list + list)
    }
  }

  @Test func theSecondSequenceIsAskedAfterTheFirstHasEnded() async throws {
    let (first, second, third) = (ProbeLog(), ProbeLog(), ProbeLog())
    let chained = chain(
      Probe<Int, TestError>(elements: [1], failure: nil, log: first),
      Probe<Int, TestError>(elements: [2], failure: TestError("second"), log: second),
      Probe<Int, TestError>(elements: [3], failure: nil, log: third))
    var iterator = chained.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    #expect(second.pulls == 0)
    #expect(try await iterator.next() == 2)
    await #expect(throws: TestError("second")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect([first.pulls, second.pulls, third.pulls] == [2, 2, 0])
  }

  @Test func sequencesFollowOneAnother() throws {
    let timeline = TestTimeline()
    // The time of a sequence begins with its iterator, and so with its turn.
    let (first, second) = (try timeline.sequence("a-b-|"), try timeline.sequence("c-----d|"))
    try timeline.expect(chain(first, second), toEmit: "a-b-c-----d|")
    let failing = try timeline.sequence("a-#", error: TestError())
    let never = try timeline.sequence("b|")
    try timeline.expect(chain(failing, never), toEmit: "a-#", error: TestError())
  }

  struct Other: Error {}

  @Test func failuresAreJoined() async throws {
    let (never, error, other) = (
      [1].async, [2].async.setFailureType(to: TestError.self), [3].async.setFailureType(to: Other.self)
    )
    let _: any AsyncSequence<Int, Never> = chain(never, never)
    let _: any AsyncSequence<Int, TestError> = chain(error, error)
    let _: any AsyncSequence<Int, TestError> = chain(never, error)
    let _: any AsyncSequence<Int, TestError> = chain(error, never)
    let _: any AsyncSequence<Int, any Error> = chain(error, other)
    let _: any AsyncSequence<Int, Never> = chain(never, never, never)
    let _: any AsyncSequence<Int, TestError> = chain(error, error, error)
    let _: any AsyncSequence<Int, any Error> = chain(never, error, error)
    let _: any AsyncSequence<Int, any Error> = chain(error, never, error)
    let _: any AsyncSequence<Int, any Error> = chain(error, error, never)
    let _: any AsyncSequence<Int, any Error> = chain(never, never, error)
    let _: any AsyncSequence<Int, any Error> = chain(never, error, never)
    let _: any AsyncSequence<Int, any Error> = chain(error, never, never)
    let _: any AsyncSequence<Int, any Error> = chain(error, other, never)
    let _: any AsyncSequence<Int, any Error> = chain(never, error, other)
    #expect(try await elements(of: chain(other, error, never)) == [3, 2, 1])
    expectSendable(chain(never, error))
    expectSendable(chain(never, error, other))
  }

  @Test func errorsOfBothKindsCome() async throws {
    let probe = Probe<Int, TestError>(elements: [1], failure: TestError("base"), log: ProbeLog())
    let other = Probe<Int, Other>(elements: [2], failure: Other(), log: ProbeLog())
    await #expect(throws: Other.self) { _ = try await Array(chain([3].async, other, probe)) }
    await #expect(throws: TestError.self) { _ = try await Array(chain(probe, other)) }
    do throws(TestError) {
      _ = try await Array(chain([1].async, probe))
      Issue.record("no error")
    } catch {
      #expect(error == TestError("base"))
    }
  }
}
