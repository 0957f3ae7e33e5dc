import InterflowTestSupport
import Testing

@testable import AsyncOperators

/// What a consumer is given that joins a shared sequence after the end, and what is kept for it.
@Suite struct ShareAfterEndTests {
  @Test func consumersAfterTheEndLeaveNothingBehind() async {
    let shared = ready([1, 2, 3]).share(replay: 2)
    #expect(await collect(shared).values == [1, 2, 3])
    for _ in 0..<100 { #expect(await collect(shared).values == [2, 3]) }
    #expect(shared.owner.fanOut.endedInboxes.isEmpty)
    let waiting = (0..<100).map { _ in shared.makeAsyncIterator() }
    #expect(shared.owner.fanOut.endedInboxes.isEmpty, "what all are given is kept for each of them")
    withExtendedLifetime(waiting) {}
  }

  @Test func aDrainedBufferIsNotKeptAfterTheEnd() async {
    let shared = ready([1, 2, 3]).share(bufferingPolicy: .unbounded)
    var iterators = (0..<3).map { _ in shared.makeAsyncIterator() }
    #expect(await iterators[0].next() == 1)
    for index in [0, 2] {
      while await iterators[index].next() != nil {}
    }
    #expect(shared.owner.fanOut.endedInboxes.count == 1)
    #expect(await iterators[1].next() == 1)
    // It is given what is buffered for another, and others are given that while it has it.
    var late = shared.makeAsyncIterator()
    iterators = []
    #expect(shared.owner.fanOut.endedInboxes.count == 1)
    #expect(await collect(shared).values == [2, 3])
    #expect(await late.next() == 2)
    #expect(await late.next() == 3)
    #expect(shared.owner.fanOut.endedInboxes.isEmpty)
    #expect(await collect(shared).values == [])
  }
}
