import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct RaceTests {
  private let timeline = TestTimeline()

  // MARK: Values

  @Test func theFirstToDeliverAnElementWins() throws {
    let (a, b) = (try timeline.sequence("--a-b|"), try timeline.sequence("-c---d|"))
    try timeline.expect(race(a, b), toEmit: "-c---d|")
    try timeline.verifyFinished()
  }

  @Test func theFirstToEndWins() throws {
    let (a, b) = (try timeline.sequence("--a-b|"), try timeline.sequence("-|"))
    try timeline.expect(race(a, b), toEmit: "-|")
    try timeline.verifyFinished()
  }

  @Test func theFirstToFailWins() throws {
    let a = try timeline.sequence("--a-b|", error: TestError?.none)
    let b = try timeline.sequence("-#", error: TestError("b"))
    try timeline.expect(race(a, b), toEmit: "-#", error: TestError("b"))
    try timeline.verifyFinished()
  }

  @Test func ofThreeAndOfMany() throws {
    let diagrams = ["---a|", "-b-b|", "--c|"]
    let three = try diagrams.map { try timeline.sequence($0) }
    try timeline.expect(race(three[0], three[1], three[2]), toEmit: "-b-b|")
    let many = try diagrams.map { try timeline.sequence($0) }
    try timeline.expect(race(many), toEmit: "-b-b|")
    try timeline.verifyFinished()
  }

  @Test func withoutSequencesItEndsAtOnce() async {
    #expect(await collect(race([ReadySource<Int, Never>]())).values == [])
  }

  @Test func ofSeveralThatHaveAnElementOneWins() async {
    let values = await collect(race(ready([1, 2]), ready([3, 4]))).values
    #expect(values == [1, 2] || values == [3, 4])
  }

  @Test func theWinnersFailureIsDelivered() async throws {
    var iterator = race(ready([1], failure: TestError("a")), Source()).makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: TestError("a")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func failuresAreTyped() async {
    let (never, error) = (ready([1]), ready([Int](), failure: TestError("a")))
    let other = ready([3], failure: CancellationError())
    #expect(fails(race(never, never), with: Never.self))
    #expect(fails(race(never, error), with: TestError.self))
    #expect(fails(race(error, never), with: TestError.self))
    #expect(fails(race(error, error), with: TestError.self))
    #expect(fails(race(error, other), with: (any Error).self))
    #expect(fails(race(never, never, never), with: Never.self))
    #expect(fails(race(never, error, never), with: (any Error).self))
    #expect(fails(race(never, error, other), with: (any Error).self))
    #expect(fails(race([error]), with: TestError.self))
    #expect(await collect(race(error, ManualSource<Int, CancellationError>())).error is TestError)
    let silent = ManualSource<Int, Never>()
    let stated: AsyncRaceSequence<Int, TestError> = race(error, silent)
    #expect(await collect(stated).error == TestError("a"))
  }

  // MARK: The others

  @Test func theOthersAreCancelled() async throws {
    let (a, b) = (Source(), Source())
    b.send(1)
    var iterator = race(a, b).makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await a.cancelled.wait()
    await a.released.wait()
    #expect(b.released.count == 0)
  }

  @Test func nothingIsTakenAheadOfTheWinner() async throws {
    let base = naturals()
    var iterator = race(base, Source()).makeAsyncIterator()
    for taken in 1...100 {
      #expect(try await iterator.next() == taken - 1)
      #expect(base.taken.value == taken)
    }
  }

  @Test func itKeepsTheRulesOfConcurrentOperators() async {
    await expectConcurrentRules(2, sending: [1], failing: [1]) { race($0[0], $0[1]) }
    await expectConcurrentRules(3, sending: [2], failing: [2]) { race($0[0], $0[1], $0[2]) }
    await expectConcurrentRules(4, sending: [3], failing: [3]) { race($0) }
  }
}
