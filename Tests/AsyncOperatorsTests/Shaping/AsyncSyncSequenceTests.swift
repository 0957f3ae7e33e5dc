import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncSyncSequenceTests {
  @Test func elementsAreTheSequences() async throws {
    try await randomLists(seed: 10) { list, _ in
      #expect(await Array(list.async) == list)
    }
    var iterator = [1].async.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    #expect(await iterator.next() == nil)
    #expect(await iterator.next() == nil)
  }

  @Test func anElementIsMadeWhenItIsAskedFor() async {
    let made = ProbeLog()
    let elements = (1...3).lazy.map { number in
      made.count()
      return number
    }
    var iterator = elements.async.makeAsyncIterator()
    #expect(made.pulls == 0)
    #expect(await iterator.next() == 1)
    #expect(made.pulls == 1)
  }

  @Test func aCancelledTaskGetsTheEnd() async {
    let counts = await Task {
      var iterator = (1...).async.makeAsyncIterator()
      let first = await iterator.next()
      withUnsafeCurrentTask { $0?.cancel() }
      return [first, await iterator.next(), await iterator.next()]
    }.value
    #expect(counts == [1, nil, nil])
  }

  @Test @MainActor func elementsComeOnTheConsumersActor() async {
    let numbers = [1, 2].lazy.map { number in
      MainActor.preconditionIsolated()
      return number
    }
    for await _ in numbers.async { MainActor.preconditionIsolated() }
  }

  @Test func types() {
    let _: any AsyncSequence<Int, Never> = [1].async
    let range: AsyncSyncSequence<ClosedRange<Int>> = (1...2).async
    expectSendable(range)
  }
}
