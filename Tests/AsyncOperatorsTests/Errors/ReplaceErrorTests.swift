import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ReplaceErrorTests {
  @Test func anElementComesInPlaceOfTheFailure() throws {
    let timeline = TestTimeline()
    try timeline.expect(
      try timeline.sequence("a-b-#", error: TestError()).replaceError(with: "x"), toEmit: "a-b-(x|)")
    try timeline.expect(try timeline.sequence("a-|", error: TestError()).replaceError(with: "x"), toEmit: "a-|")
  }

  @Test func nothingIsRequestedAfterTheFailure() async {
    let log = ProbeLog()
    let base = Probe<Int, TestError>(elements: [1], failure: TestError("base"), log: log)
    var iterator = base.replaceError(with: 9).makeAsyncIterator()
    #expect(log.pulls == 0)
    #expect(await [iterator.next(), iterator.next(), iterator.next(), iterator.next()] == [1, 9, nil, nil])
    #expect(log.pulls == 2)
  }

  @Test func aFailureOfACancelledTaskIsTheEnd() async throws {
    let base = Probe<Int, TestError>(elements: [], failure: TestError("base"), log: ProbeLog())
    let isEmpty = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for await _ in base.replaceError(with: 9) { return false }
      return true
    }.value
    #expect(isEmpty)
    try await expectEndWhenCancelled(Endless<Int>().setFailureType(to: TestError.self).replaceError(with: 1))
  }

  @Test func theConsumersIsolationIsKept() async throws {
    let log = ProbeLog(testActor: MainActor.shared)
    let base = Probe<Int, TestError>(elements: [1], failure: TestError("base"), log: log)
    #expect(await all(base) == [1, 9])
    #expect(log.pulls == 2 && !log.wasElsewhere)
  }

  @MainActor private func all(_ base: Probe<Int, TestError>) async -> [Int] {
    var elements: [Int] = []
    for await element in base.replaceError(with: 9) { elements.append(element) }
    return elements
  }

  @Test func types() {
    let replaced = ready([1], failure: TestError("a")).replaceError(with: 2)
    let _: any AsyncSequence<Int, Never> = replaced
    expectSendable(replaced)
  }
}
