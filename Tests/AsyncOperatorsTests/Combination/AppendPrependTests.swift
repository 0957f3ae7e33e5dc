import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AppendPrependTests {
  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [1, 2, 3, 3], madeBeforeFailure: 2) { $0.append(9) }
    try await expectRules([1], pulls: [1, 2, 2, 2], madeBeforeFailure: 1) { $0.append(8...9) }
    try await expectRules([1], pulls: [1, 2, 2], madeBeforeFailure: 1) { $0.append([9].async) }
    try await expectRules([1, 2], pulls: [0, 1, 2, 3], madeBeforeFailure: 3) { $0.prepend(9) }
    try await expectRules([1], pulls: [0, 0, 1, 2], madeBeforeFailure: 3) { $0.prepend(8...9) }
    try await expectRules([1], pulls: [0, 1, 2], madeBeforeFailure: 2) { $0.prepend([9].async) }
    try await expectEndWhenCancelled(Endless<Int>().append(1))
    try await expectEndWhenCancelled(Endless<Int>().prepend(1), elements: 1)
  }

  @Test func asConcatenation() async throws {
    try await randomLists(seed: 18) { list, count in
      #expect(await Array(list.async.append(0..<count)) == list + Array(0..<count))
      #expect(await Array(list.async.prepend(0..<count)) == Array(0..<count) + list)
      #expect(await Array(list.async.append(list.async)) == list + list)
      #expect(await Array(list.async.prepend(list.async)) == list + list)
      #expect(await Array(list.async.append().prepend()) == list)
      #expect(await Array(list.async.append(1, 2).prepend(3, 4)) == [3, 4] + list + [1, 2])
    }
  }

  @Test func elementsComeAtOnce() throws {
    let timeline = TestTimeline()
    try timeline.expect(try timeline.sequence("--a-|").prepend("x", "y"), toEmit: "(xy)-a-|")
    try timeline.expect(try timeline.sequence("--a-|").append("x", "y"), toEmit: "--a-(xy|)")
    let failing = try timeline.sequence("--a-#", error: TestError())
    try timeline.expect(failing.append("x"), toEmit: "--a-#", error: TestError())
  }

  @Test func aCancelledTaskGetsNoFurtherElement() async {
    let elements = await Task {
      var iterator = [Int]().async.append(1, 2).prepend(3, 4).makeAsyncIterator()
      let first = await iterator.next()
      withUnsafeCurrentTask { $0?.cancel() }
      return [first, await iterator.next(), await iterator.next()]
    }.value
    #expect(elements == [3, nil, nil])
    let appended = await Task {
      var iterator = [Int]().async.append(1, 2).makeAsyncIterator()
      let first = await iterator.next()
      withUnsafeCurrentTask { $0?.cancel() }
      return [first, await iterator.next(), await iterator.next()]
    }.value
    #expect(appended == [1, nil, nil])
  }

  @Test func failuresAreJoined() {
    let (never, error) = ([1].async, [2].async.setFailureType(to: TestError.self))
    let other = [3].async.setFailureType(to: CancellationError.self)
    let _: any AsyncSequence<Int, Never> = never.append(1).prepend(2...3)
    let _: any AsyncSequence<Int, TestError> = error.append(1).prepend(2...3)
    let _: any AsyncSequence<Int, Never> = never.append(never)
    let _: any AsyncSequence<Int, TestError> = error.append(error)
    let _: any AsyncSequence<Int, TestError> = never.append(error)
    let _: any AsyncSequence<Int, TestError> = error.append(never)
    let _: any AsyncSequence<Int, any Error> = error.append(other)
    let _: any AsyncSequence<Int, Never> = never.prepend(never)
    let _: any AsyncSequence<Int, TestError> = error.prepend(error)
    let _: any AsyncSequence<Int, TestError> = never.prepend(error)
    let _: any AsyncSequence<Int, TestError> = error.prepend(never)
    let _: any AsyncSequence<Int, any Error> = error.prepend(other)
    expectSendable(never.append(1).prepend(2...3))
  }
}
