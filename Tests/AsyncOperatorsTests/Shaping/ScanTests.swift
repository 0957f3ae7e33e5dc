import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ScanTests {
  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { $0.scan(0, +) }
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { (probe: Probe<Int, TestError>) in
      probe.scan(0) { sum, element in
        await Task.yield()
        return sum + element
      }
    }
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { (probe: Probe<Int, TestError>) in
      probe.scan(0) { sum, element in try pass(sum) + element }
    }
    try await expectEndWhenCancelled(Endless<Int>().scan(0, +))
  }

  @Test func asReduceOfPrefixes() async throws {
    try await randomLists(seed: 12) { list, start in
      let model = list.indices.map { list.prefix(through: $0).reduce(start, +) }
      #expect(await Array(list.async.scan(start, +)) == model)
    }
  }

  @Test func resultsKeepTheTimesOfElements() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("-a-b#", error: TestError())
    try timeline.expect(source.scan(":", +), toEmit: "-1-2#", values: ["1": ":a", "2": ":ab"])
  }

  @Test func anErrorOfTheClosureEndsTheSequence() async throws {
    let log = ProbeLog()
    let probe = Probe<Int, Never>(elements: [1, 2, 3], failure: nil, log: log)
    let scan = probe.scan(0) { (sum, element) throws(TestError) in
      if element == 2 { throw TestError("closure") }
      return sum + element
    }
    var iterator = scan.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: TestError("closure")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect(log.pulls == 2)
  }

  @Test func failuresOfTheBaseAndTheClosureAreJoined() async throws {
    let never = [1].async
    let failing = never.setFailureType(to: TestError.self)
    let _: any AsyncSequence<Int, Never> = never.scan(0, +)
    let _: any AsyncSequence<Int, TestError> = failing.scan(0, +)
    let _: any AsyncSequence<Int, TestError> = never.scan(0) { (sum, _) throws(TestError) in sum }
    let _: any AsyncSequence<Int, TestError> = failing.scan(0) { (sum, _) throws(TestError) in sum }
    let _: any AsyncSequence<Int, any Error> = never.scan(0) { sum, _ in try pass(sum) }
    let _: any AsyncSequence<Int, any Error> = failing.scan(0) { sum, _ in try pass(sum) }
    let _: any AsyncSequence<Int, any Error> = failing.scan(0) { sum, _ in
      await Task.yield()
      return try pass(sum)
    }
    expectSendable(never.scan(0, +))
  }
}
