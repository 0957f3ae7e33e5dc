import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MaterializeTests {
  typealias Event = AsyncEvent<Int, TestError>

  @Test func theFailureIsAnEvent() async {
    let log = ProbeLog()
    let base = Probe<Int, TestError>(elements: [1], failure: TestError("base"), log: log)
    var iterator = base.materialize().makeAsyncIterator()
    #expect(log.pulls == 0)
    #expect(await [iterator.next(), iterator.next()] == [.element(1), .failure(TestError("base"))])
    #expect(await [iterator.next(), iterator.next()] == [nil, nil])
    #expect(log.pulls == 2)
  }

  @Test func theEndIsAnEvent() async {
    #expect(await Array(ready([1, 2]).materialize()) == [.element(1), .element(2), .finished])
  }

  @Test func dematerializingIsTheInverse() throws {
    let timeline = TestTimeline()
    for diagram in ["a-b-#", "a-b-|", "#", "|", "a-b-"] {
      let base = try timeline.sequence(diagram, error: TestError())
      try timeline.expect(base.materialize().dematerialize(), toEmit: diagram, error: TestError())
    }
  }

  @Test func nothingIsRequestedAfterTheEventThatIsTheEnd() async throws {
    for end in [Event.finished, .failure(TestError("a"))] {
      let log = ProbeLog()
      let base = Probe<Event, Never>(elements: [.element(1), end, .element(2)], failure: nil, log: log)
      var iterator = base.dematerialize().makeAsyncIterator()
      #expect(try await iterator.next() == 1)
      if end == .finished {
        #expect(try await iterator.next() == nil)
      } else {
        await #expect(throws: TestError("a")) { try await iterator.next() }
      }
      #expect(try await iterator.next() == nil)
      #expect(log.pulls == 2)
    }
  }

  @Test func aBaseWithoutAnEndEventEndsTheResult() async throws {
    let base = Probe<Event, Never>(elements: [.element(1)], failure: nil, log: ProbeLog())
    #expect(try await elements(of: base.dematerialize()) == [1])
  }

  @Test func aCancelledTaskGetsTheEnd() async throws {
    let endless = Endless<Int>().setFailureType(to: TestError.self)
    try await expectEndWhenCancelled(endless.materialize(), elements: 1)
    try await expectEndWhenCancelled(endless.materialize().dematerialize())
  }

  @Test func types() {
    let events = ready([1], failure: TestError("a")).materialize()
    let _: any AsyncSequence<AsyncEvent<Int, TestError>, Never> = events
    let _: any AsyncSequence<Int, TestError> = events.dematerialize()
    expectSendable(events.dematerialize())
  }
}
