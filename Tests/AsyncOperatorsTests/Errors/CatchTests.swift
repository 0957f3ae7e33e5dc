import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct CatchTests {
  struct Other: Error, Equatable {}

  func source(_ elements: [Int], log: ProbeLog = ProbeLog()) -> Probe<Int, TestError> {
    Probe(elements: elements, failure: TestError("base"), log: log)
  }

  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { base in
      base.catch { Probe<Int, TestError>(elements: [], failure: $0, log: ProbeLog()) }
    }
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { base in
      base.tryCatch { error -> Probe<Int, Never> in throw error }
    }
    try await expectEndWhenCancelled(
      Endless<Int>().setFailureType(to: TestError.self).catch { _ in [1].async })
  }

  @Test func anotherSequenceFollowsTheFailure() throws {
    let timeline = TestTimeline()
    let base = try timeline.sequence("a-b-#", error: TestError())
    let other = try timeline.sequence("-x-|")
    try timeline.expect(base.catch { _ in other }, toEmit: "a-b--x-|")
    try timeline.expect(base.tryCatch { _ in other }, toEmit: "a-b--x-|")
  }

  @Test func anEndIsNotFollowed() throws {
    let timeline = TestTimeline()
    let base = try timeline.sequence("a-|", error: TestError())
    try timeline.expect(base.catch { _ in ready(["x"]) }, toEmit: "a-|")
  }

  @Test func theOtherSequencesFailureIsTheResults() async throws {
    var iterator = source([]).catch { _ in ready([1], failure: Other()) }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: Other()) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func theHandlersErrorIsTheResults() async throws {
    var iterator = source([1]).tryCatch { error async throws -> Probe<Int, Never> in
      #expect(error == TestError("base"))
      await Task.yield()
      throw Other()
    }.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: Other()) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func theHandlerIsCalledOnceForEachIterator() async throws {
    let log = ProbeLog()
    let handled = Shared(0)
    let sequence = source([1], log: log).catch { _ async -> ReadySource<Int, Never> in
      handled.update { $0 += 1 }
      return ready([7])
    }
    for number in 1...2 {
      var iterator = sequence.makeAsyncIterator()
      #expect(await [iterator.next(), iterator.next(), iterator.next(), iterator.next()] == [1, 7, nil, nil])
      #expect(handled.value == number)
    }
    #expect(log.pulls == 4)
  }

  @Test func theBaseIsReleasedBeforeTheOtherSequenceBegins() async throws {
    let base = ready([], failure: TestError("base")) as ReadySource<Int, TestError>
    var iterator = base.catch { _ in ready([1]) }.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    #expect(base.released.count == 1)
  }

  @Test func aFailureOfACancelledTaskIsTheEnd() async {
    let base = source([])
    let isEmpty = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for await _ in base.catch({ _ in ready([1]) }) { return false }
      return true
    }.value
    #expect(isEmpty)
  }

  @Test func cancellingWhileTheHandlerRunsEndsIt() async {
    let isInside = Signal()
    let proceed = Signal()
    let base = source([])
    let task = Task {
      await collect(
        base.tryCatch { error async throws -> ReadySource<Int, Never> in
          isInside.fire()
          await proceed.wait()
          throw error
        })
    }
    await isInside.wait()
    task.cancel()
    proceed.fire()
    let outcome = await task.value
    #expect(outcome.values.isEmpty && outcome.error == nil)
  }

  @Test func theHandlerIsReleasedAtTheEnd() async throws {
    final class Token: Sendable {}
    for failure in [TestError("a"), nil] {
      var token: Token? = Token()
      weak let observed = token
      let base = Probe<Int, TestError>(elements: [], failure: failure, log: ProbeLog())
      var iterator = base.catch { [token] _ in
        _ = token
        return ready([1])
      }.makeAsyncIterator()
      token = nil
      #expect(observed != nil)
      while await iterator.next() != nil {}
      #expect(observed == nil)
    }
  }

  @Test func types() {
    let caught = source([]).catch { _ in ready([1]) }
    let _: any AsyncSequence<Int, Never> = caught
    let _: any AsyncSequence<Int, any Error> = source([]).tryCatch { _ in ready([1]) }
    expectSendable(caught)
  }
}
