import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct JoinedTests {
  typealias Inner = Probe<Int, TestError>

  @Test func rules() async throws {
    let lists = [[1, 2].async, [].async, [3].async]
    try await expectRules(lists, pulls: [1, 1, 3, 4], madeBeforeFailure: 3) { $0.joined() }
    try await expectRules(lists, pulls: [1, 1, 2, 3, 3, 4], madeBeforeFailure: 5) { $0.joined(separator: [0].async) }
    try await expectRules([[1].async], pulls: [1, 2], madeBeforeFailure: 1) { $0.joined(separator: [0].async) }
    try await expectEndWhenCancelled(Endless<AsyncSyncSequence<[Int]>>().joined())
    try await expectEndWhenCancelled([Endless<Int>()].async.joined())
    try await expectEndWhenCancelled(Endless<AsyncSyncSequence<[Int]>>().joined(separator: [0].async))
    try await expectEndWhenCancelled([[1].async, [2].async].async.joined(separator: Endless<Int>()), elements: 1)
  }

  @Test func asJoinedOfTheStandardLibrary() async throws {
    try await randomLists(seed: 19) { list, count in
      let lists = list.map { Array(repeating: $0, count: $0) }
      let separator = Array(0..<count)
      let sequences = lists.map(\.async).async
      #expect(await Array(sequences.joined()) == Array(lists.joined()))
      #expect(await Array(sequences.joined(separator: separator.async)) == Array(lists.joined(separator: separator)))
      #expect(await Array(list.async.concatMap { Array(repeating: $0, count: $0).async }) == Array(lists.joined()))
    }
  }

  @Test func aSequenceFollowsTheEndOfTheOneBefore() throws {
    let timeline = TestTimeline()
    let (first, second) = (try timeline.sequence("a-b|"), try timeline.sequence("c-d|"))
    try timeline.expect([first, second].async.joined(), toEmit: "a-bc-d|")
    let separator = try timeline.sequence("x-|")
    try timeline.expect([first, second].async.joined(separator: separator), toEmit: "a-bx-c-d|")
  }

  @Test func failuresOfElementsEndTheSequence() async throws {
    let (outer, inner) = (ProbeLog(), ProbeLog())
    let failing = Inner(elements: [1], failure: TestError("inner"), log: inner)
    let base = Probe<Inner, Never>(elements: [failing, failing], failure: nil, log: outer)
    var iterator = base.joined().makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: TestError("inner")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect([outer.pulls, inner.pulls] == [1, 2])

    var separated = [[1].async, [2].async].async.joined(separator: failing).makeAsyncIterator()
    #expect(try await separated.next() == 1)
    #expect(try await separated.next() == 1)
    await #expect(throws: TestError("inner")) { try await separated.next() }
    #expect(try await separated.next() == nil)
  }

  @Test func failuresAreJoined() {
    let (never, error) = ([1].async, [2].async.setFailureType(to: TestError.self))
    let other = [3].async.setFailureType(to: CancellationError.self)
    let (nevers, errors) = ([never].async, [error].async)
    let failingNevers = nevers.setFailureType(to: TestError.self)
    let failingErrors = errors.setFailureType(to: TestError.self)
    let _: any AsyncSequence<Int, Never> = nevers.joined()
    let _: any AsyncSequence<Int, TestError> = errors.joined()
    let _: any AsyncSequence<Int, TestError> = failingNevers.joined()
    let _: any AsyncSequence<Int, TestError> = failingErrors.joined()
    let _: any AsyncSequence<Int, any Error> = errors.setFailureType(to: CancellationError.self).joined()
    let _: any AsyncSequence<Int, Never> = nevers.joined(separator: never)
    let _: any AsyncSequence<Int, any Error> = nevers.joined(separator: error)
    let _: any AsyncSequence<Int, any Error> = errors.joined(separator: never)
    let _: any AsyncSequence<Int, any Error> = errors.joined(separator: error)
    let _: any AsyncSequence<Int, any Error> = failingNevers.joined(separator: never)
    let _: any AsyncSequence<Int, any Error> = failingNevers.joined(separator: error)
    let _: any AsyncSequence<Int, any Error> = failingErrors.joined(separator: never)
    let _: any AsyncSequence<Int, TestError> = failingErrors.joined(separator: error)
    let _: any AsyncSequence<Int, any Error> = failingErrors.joined(separator: other)
    expectSendable(nevers.joined())
    expectSendable(nevers.joined(separator: never))
  }
}
