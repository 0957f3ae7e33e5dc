import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct RemoveDuplicatesTests {
  @Test func rules() async throws {
    try await expectRules([1, 1, 2], pulls: [1, 3, 4], madeBeforeFailure: 2) { $0.removeDuplicates() }
    try await expectRules([1, 1, 2], pulls: [1, 3, 4], madeBeforeFailure: 2) { $0.removeDuplicates(by: ==) }
    try await expectRules([1, 1, 2], pulls: [1, 3, 4]) { probe in
      probe.removeDuplicates { first, second in
        await Task.yield()
        return first == second
      }
    }
    try await expectRules([1, 1, 2], pulls: [1, 3, 4], madeBeforeFailure: 2) { probe in
      probe.removeDuplicates { first, second in
        try Task.checkCancellation()
        return first == second
      }
    }
    try await expectRules([1, 1, 2], pulls: [1, 3, 4]) { probe in
      probe.removeDuplicates { first, second in
        await Task.yield()
        try Task.checkCancellation()
        return first == second
      }
    }
    try await expectEndWhenCancelled(Endless<Int>().removeDuplicates())
  }

  @Test func asAModel() async throws {
    try await randomLists(seed: 9) { list, _ in
      let model = list.indices.filter { $0 == 0 || list[$0] != list[$0 - 1] }.map { list[$0] }
      #expect(await elements(of: list.async.removeDuplicates()) == model)
    }
  }

  @Test func elementsAreComparedWithTheLastOneReturned() async throws {
    let numbers = [1, 2, 3, 4].async.removeDuplicates { $1 - $0 < 2 }
    #expect(await Array(numbers) == [1, 3])
  }

  @Test func elementsKeepTheirTimes() throws {
    let timeline = TestTimeline()
    try timeline.expect(try timeline.sequence("a-ab-b-a|").removeDuplicates(), toEmit: "a--b---a|")
  }

  @Test func anErrorOfTheClosureEndsTheSequence() async throws {
    let log = ProbeLog()
    let probe = Probe<Int, Never>(elements: [1, 2, 3], failure: nil, log: log)
    var iterator = probe.removeDuplicates { _, _ in throw TestError("closure") }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: TestError("closure")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect(log.pulls == 2)
  }

  @Test @MainActor func closuresThatSuspendRunOnTheConsumersActor() async throws {
    let numbers = [1, 1].async.removeDuplicates { first, second in
      MainActor.preconditionIsolated()
      await Task.yield()
      return first == second
    }
    #expect(await Array(numbers) == [1])
  }

  final class NotSendable: Equatable {
    static func == (first: NotSendable, second: NotSendable) -> Bool { first === second }
  }

  @Test func elementsNeedNotBeSendable() async throws {
    let object = NotSendable()
    let objects = AsyncStream<NotSendable>(unfolding: { nil })
    _ = object
    #expect(await Array(objects.removeDuplicates()).isEmpty)
    #expect(await Array(objects.removeDuplicates { $0 === $1 }).isEmpty)
  }

  @Test func types() {
    let _: any AsyncSequence<Int, Never> = [1].async.removeDuplicates()
    let throwing = [1].async.removeDuplicates { try pass($0) == $1 }
    let _: any AsyncSequence<Int, any Error> = throwing
    expectSendable([1].async.removeDuplicates())
    expectSendable(throwing)
  }
}
