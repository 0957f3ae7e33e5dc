import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct InterspersedTests {
  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [1, 2, 2, 3], madeBeforeFailure: 3) { $0.interspersed(with: 0) }
    try await expectRules([1, 2, 3], pulls: [1, 2, 3, 3, 4]) { $0.interspersed(every: 2) { 0 } }
    try await expectRules([1, 2], pulls: [1, 2, 2, 3]) { probe in
      probe.interspersed {
        await Task.yield()
        return 0
      }
    }
    try await expectRules([1, 2], pulls: [1, 2, 2, 3], madeBeforeFailure: 3) { probe in
      probe.interspersed {
        try Task.checkCancellation()
        return 0
      }
    }
    try await expectRules([1, 2], pulls: [1, 2, 2, 3]) { probe in
      probe.interspersed {
        try Task.checkCancellation()
        await Task.yield()
        return 0
      }
    }
    try await expectEndWhenCancelled(Endless<Int>().interspersed(with: 0))
    try await expectEndWhenCancelled(Endless<Int>().interspersed { try pass(0) })
  }

  @Test func asAModel() async throws {
    try await randomLists(seed: 6) { list, every in
      var model: [Int] = []
      for (index, element) in list.enumerated() {
        if index > 0, index.isMultiple(of: every) { model.append(-1) }
        model.append(element)
      }
      #expect(await elements(of: list.async.interspersed(every: every, with: -1)) == model)
      let throwing = list.async.interspersed(every: every) {
        try Task.checkCancellation()
        return -1
      }
      let made = try await elements(of: throwing)
      #expect(made == model)
    }
  }

  @Test func aSeparatorComesWithTheElementAfterIt() throws {
    let timeline = TestTimeline()
    try timeline.expect(try timeline.sequence("a--b-|").interspersed(with: ","), toEmit: "a--(,b)-|")
  }

  @Test func anErrorOfTheClosureEndsTheSequence() async throws {
    let log = ProbeLog()
    let probe = Probe<Int, Never>(elements: [1, 2, 3], failure: nil, log: log)
    var iterator = probe.interspersed { throw TestError("separator") }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: TestError("separator")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect(log.pulls == 2)
  }

  @Test @MainActor func closuresThatSuspendRunOnTheConsumersActor() async throws {
    let words = ["a", "b"].async.interspersed {
      MainActor.preconditionIsolated()
      await Task.yield()
      return ","
    }
    #expect(await Array(words) == ["a", ",", "b"])
  }

  @Test func separatorsAfterLessThanOneElementTrap() async {
    await #expect(processExitsWith: .failure) { _ = [1].async.interspersed(every: 0, with: 0) }
  }

  @Test func types() {
    let _: any AsyncSequence<Int, Never> = [1].async.interspersed { 0 }
    let _: any AsyncSequence<Int, any Error> = [1].async.interspersed { try pass(0) }
    expectSendable([1].async.interspersed(with: 0))
    expectSendable([1].async.interspersed { try pass(0) })
  }
}
