import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ExclusiveReductionsTests {
  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { $0.reductions(0, +) }
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { $0.reductions(into: 0, +=) }
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { probe in
      probe.reductions(0) { sum, element in
        await Task.yield()
        return sum + element
      }
    }
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { probe in
      probe.reductions(into: 0) { sum, element in
        await Task.yield()
        try Task.checkCancellation()
        sum += element
      }
    }
    try await expectEndWhenCancelled(Endless<Int>().reductions(0, +))
  }

  @Test func asReduceOfPrefixes() async throws {
    try await randomLists(seed: 7) { list, start in
      let model = list.indices.map { list.prefix(through: $0).reduce(start, +) }
      #expect(await elements(of: list.async.reductions(start, +)) == model)
      let throwing = list.async.reductions(start) { sum, element in
        try Task.checkCancellation()
        return sum + element
      }
      let made = try await elements(of: throwing)
      #expect(made == model)
    }
  }

  @Test func resultsKeepTheTimesOfElements() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("--a-b-#", error: TestError())
    let values: [Character: String] = ["1": ":a", "2": ":ab"]
    try timeline.expect(source.reductions(":", +), toEmit: "--1-2-#", values: values)
  }

  @Test func anEmptyBaseGivesNothing() async throws {
    #expect(await Array([Int]().async.reductions(0, +)) == [])
    #expect(await Array([Int]().async.reductions(into: 0, +=)) == [])
    let throwing = [Int]().async.reductions(0) { try pass($0) + $1 }
    #expect(try await Array(throwing) == [])
  }

  @Test func anErrorOfTheClosureEndsTheSequence() async throws {
    let log = ProbeLog()
    let probe = Probe<Int, Never>(elements: [1, 2, 3], failure: nil, log: log)
    var iterator = probe.reductions(0) { _, _ in throw TestError("closure") }.makeAsyncIterator()
    await #expect(throws: TestError("closure")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect(log.pulls == 1)
  }

  @Test @MainActor func closuresThatSuspendRunOnTheConsumersActor() async throws {
    let sums = [1, 2].async.reductions(into: 0) { sum, element in
      MainActor.preconditionIsolated()
      await Task.yield()
      sum += element
    }
    #expect(await Array(sums) == [1, 3])
  }

  @Test func types() {
    let _: any AsyncSequence<Int, Never> = [1].async.reductions(0, +)
    let throwing = [1].async.reductions(0) { try pass($0) + $1 }
    let _: any AsyncSequence<Int, any Error> = throwing
    expectSendable([1].async.reductions(0, +))
    expectSendable(throwing)
  }
}

@Suite struct InclusiveReductionsTests {
  @Test func rules() async throws {
    try await expectRules([1, 2, 3], pulls: [1, 2, 3, 4], madeBeforeFailure: 3) { $0.reductions(+) }
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { probe in
      probe.reductions { first, second in
        await Task.yield()
        try Task.checkCancellation()
        return first + second
      }
    }
    try await expectEndWhenCancelled(Endless<Int>().reductions(+))
  }

  @Test func asReduceOfPrefixes() async throws {
    try await randomLists(seed: 8) { list, _ in
      let model = list.indices.map { list.prefix(through: $0).reduce(0, +) }
      #expect(await elements(of: list.async.reductions(+)) == model)
      let throwing = list.async.reductions { sum, element in
        try Task.checkCancellation()
        return sum + element
      }
      let made = try await elements(of: throwing)
      #expect(made == model)
    }
  }

  @Test func resultsKeepTheTimesOfElements() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("-a-b|")
    try timeline.expect(source.reductions(+), toEmit: "-1-2|", values: ["1": "a", "2": "ab"])
  }

  @Test func anErrorOfTheClosureEndsTheSequence() async throws {
    let log = ProbeLog()
    let probe = Probe<Int, Never>(elements: [1, 2, 3], failure: nil, log: log)
    var iterator = probe.reductions { _, _ in throw TestError("closure") }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: TestError("closure")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect(log.pulls == 2)
  }

  @Test func types() {
    let _: any AsyncSequence<Int, Never> = [1].async.reductions(+)
    let throwing = [1].async.reductions { try pass($0) + $1 }
    let _: any AsyncSequence<Int, any Error> = throwing
    expectSendable([1].async.reductions(+))
    expectSendable(throwing)
  }
}
