import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MapErrorTests {
  struct Mapped: Error, Equatable {
    var base: TestError
  }

  func source(_ elements: [Int], log: ProbeLog = ProbeLog()) -> Probe<Int, TestError> {
    Probe(elements: elements, failure: TestError("base"), log: log)
  }

  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { $0.mapError { $0 } }
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { probe in
      probe.mapError { error in
        await Task.yield()
        return error
      }
    }
    try await expectEndWhenCancelled(Endless<Int>().setFailureType(to: TestError.self).mapError { $0 })
  }

  @Test func theErrorIsReplaced() async throws {
    let log = ProbeLog()
    var iterator = source([1], log: log).mapError { Mapped(base: $0) }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: Mapped(base: TestError("base"))) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect(log.pulls == 2)
  }

  @Test func theFailureKeepsItsTime() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a-b-#", error: TestError())
    try timeline.expect(source.mapError { Mapped(base: $0) }, toEmit: "a-b-#", error: Mapped(base: TestError()))
  }

  @Test func types() {
    let mapped = source([1]).mapError { Mapped(base: $0) }
    let _: any AsyncSequence<Int, Mapped> = mapped
    expectSendable(mapped)
    let _: any AsyncSequence<Int, TestError> = [1].async.setFailureType(to: TestError.self)
    expectSendable([1].async.setFailureType(to: TestError.self))
  }

  @Test func aWiderFailureTypeChangesNothingElse() async throws {
    let log = ProbeLog()
    let probe = Probe<Int, Never>(elements: [1, 2], failure: nil, log: log)
    #expect(try await elements(of: probe.setFailureType(to: TestError.self)) == [1, 2])
    #expect(log.pulls == 3)
  }
}
