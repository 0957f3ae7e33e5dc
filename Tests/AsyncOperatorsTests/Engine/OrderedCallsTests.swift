import Testing

@testable import AsyncOperators

@Suite struct OrderedCallsTests {
  /// So many calls that have begun.
  private func begun(_ count: Int, limit: Int) -> OrderedCalls {
    var calls = OrderedCalls(limit: limit)
    for number in 0..<count {
      let begun = calls.began()
      #expect(begun == number)
    }
    return calls
  }

  @Test func callsTakeRoomUntilTheyAreDelivered() {
    #expect(begun(1, limit: 2).hasRoom)
    var calls = begun(2, limit: 2)
    #expect(!calls.hasRoom)
    calls.deliver()
    #expect(calls.hasRoom && calls.delivered == 1)
  }

  @Test func theEndComesAfterTheLastResult() {
    var calls = begun(1, limit: 2)
    let isEnd = calls.baseEnded()
    #expect(isEnd && !calls.isOpen && !calls.isAtEnd && calls.isWanted(0))
    let next = calls.began()
    #expect(next == nil)
    calls.deliver()
    #expect(calls.isAtEnd)
  }

  @Test func aFailureEndsTheCallsAfterIt() {
    var calls = begun(4, limit: 4)
    let ended = calls.failed(2)
    #expect(ended == 2)
    #expect(!calls.isOpen && calls.isWanted(1) && !calls.isWanted(2) && !calls.isWanted(3))
    let later = calls.failed(3)
    let isEnd = calls.baseEnded()
    #expect(later == nil && !isEnd)
    calls.deliver()
    calls.deliver()
    #expect(calls.isAtEnd)
  }

  @Test func anEarlierFailureReplacesALaterOne() {
    var calls = begun(4, limit: 4)
    let isEnd = calls.baseEnded()
    #expect(isEnd)
    let later = calls.failed(3)
    #expect(later == 1)
    let earlier = calls.failed(1)
    // The last one is not wanted any more since then.
    #expect(earlier == 2 && calls.end == 1)
    calls.deliver()
    #expect(calls.isAtEnd)
  }

  @Test func nothingIsWantedAfterACancellation() {
    var calls = begun(1, limit: 2)
    calls.finish()
    #expect(calls.isOver && !calls.isOpen && !calls.isWanted(0))
    let (next, failed, isEnd) = (calls.began(), calls.failed(0), calls.baseEnded())
    #expect(next == nil && failed == nil && !isEnd)
  }
}
