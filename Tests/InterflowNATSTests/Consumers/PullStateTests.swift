import Dispatch
import Testing

@testable import InterflowNATS

@Suite struct PullStateTests {
  private let later = DispatchTime(uptimeNanoseconds: 1)

  private func counts(_ state: inout PullState, demand: UInt, buffered: Int = 0) -> Int? {
    state.next(demand: demand, buffered: buffered)?.count
  }

  private func look(_ state: inout PullState, at time: UInt64) -> PullState.Lateness {
    state.checkTime(at: .milliseconds(time))
  }

  @Test func asksForWhatHasBeenRequested() {
    var state = PullState(window: 100)
    #expect(counts(&state, demand: 0) == nil)
    #expect(counts(&state, demand: 3) == 3)
    #expect(counts(&state, demand: 3) == nil)
    #expect(state.expected == 3)
  }

  @Test func asksForNoMoreThanTheWindow() {
    var state = PullState(window: 100)
    #expect(counts(&state, demand: .max) == 100)
    #expect(counts(&state, demand: .max) == nil)
  }

  @Test func asksAgainWhenHalfHasArrived() {
    var state = PullState(window: 100)
    _ = counts(&state, demand: .max)
    for _ in 0..<49 { state.arrived() }
    #expect(counts(&state, demand: .max) == nil)
    state.arrived()
    #expect(counts(&state, demand: .max) == 50)
    #expect(state.expected == 100)
  }

  @Test func whatIsBufferedCountsAgainstTheDemand() {
    var state = PullState(window: 100)
    #expect(counts(&state, demand: 5, buffered: 5) == nil)
    #expect(counts(&state, demand: 10, buffered: 2) == 8)
  }

  @Test func additionalDemandIsAskedForInLargeSteps() {
    var state = PullState(window: 100)
    #expect(counts(&state, demand: 10) == 10)
    #expect(counts(&state, demand: 12) == nil)
    #expect(counts(&state, demand: 20) == 10)
    #expect(state.expected == 20)
  }

  @Test func aRequestThatHasEndedIsAskedForAgain() throws {
    var state = PullState(window: 100)
    let pull = state.next(demand: 4)
    state.arrived()
    state.ended(try #require(pull).id)
    let next = state.next(demand: 3)
    #expect(next?.count == 3)
    #expect(next?.id != pull?.id)
  }

  @Test func theEndOfAnOldRequestChangesNothing() throws {
    var state = PullState(window: 100)
    let pull = state.next(demand: 1)
    state.arrived()
    _ = state.next(demand: 1)
    state.ended(try #require(pull).id)
    #expect(state.expected == 1)
  }

  @Test func aSmallDemandWaitsForTheConfirmation() {
    var state = PullState(window: 100)
    #expect(counts(&state, demand: 1) == 1)
    state.arrived()
    let confirmation = state.acknowledges(1, demand: 1, at: .milliseconds(0), deadline: later)
    #expect(confirmation == 1)
    #expect(counts(&state, demand: 1) == nil)
    state.confirmed(1, at: .milliseconds(0))
    #expect(counts(&state, demand: 1) == 1)
  }

  @Test func oneConfirmationIsForAllThatWereAcknowledgedTogether() {
    var state = PullState(window: 100)
    #expect(counts(&state, demand: 4) == 4)
    for _ in 0..<4 { state.arrived() }
    #expect(state.acknowledges(3, demand: 1, at: .milliseconds(0), deadline: later) == 1)
    #expect(state.acknowledges(1, demand: 2, at: .milliseconds(0), deadline: later) == 2)
    #expect(counts(&state, demand: 4) == nil)
    // That of the first was lost.
    state.confirmed(2, at: .milliseconds(0))
    #expect(counts(&state, demand: 4) == 4)
    #expect(state.acknowledges(0, demand: 1, at: .milliseconds(0), deadline: later) == nil)
  }

  @Test func whatNothingWasRequestedForIsUnused() {
    var state = PullState(window: 100)
    #expect(state.unused(demand: 5, buffered: 0) == 5)
    #expect(counts(&state, demand: 5) == 5)
    #expect(state.unused(demand: 5, buffered: 0) == 0)
    state.arrived()
    #expect(state.unused(demand: 5, buffered: 1) == 0)
    state.ended(state.last)
    #expect(state.unused(demand: 5, buffered: 1) == 4)
    _ = state.acknowledges(1, demand: 4, at: .milliseconds(0), deadline: later)
    #expect(state.unused(demand: 4, buffered: 0) == 3)
  }

  @Test func aLargeDemandDoesNotWaitForConfirmations() {
    var state = PullState(window: 100)
    #expect(counts(&state, demand: 8) == 8)
    state.arrived()
    #expect(state.acknowledges(1, demand: 8, at: .milliseconds(0), deadline: later) == nil)
  }

  @Test func whatIsLostIsAskedForAgain() {
    var state = PullState(window: 100)
    _ = counts(&state, demand: 2)
    state.arrived()
    _ = state.acknowledges(1, demand: 1, at: .milliseconds(0), deadline: later)
    state.lost()
    #expect(state.expected == 0)
    #expect(state.deadline == nil)
    #expect(counts(&state, demand: 2) == 2)
  }

  @Test func messagesThatComeAfterTheLossAreNotCounted() {
    var state = PullState(window: 100)
    _ = counts(&state, demand: 2)
    state.lost()
    state.arrived()
    #expect(state.expected == 0)
    #expect(counts(&state, demand: 2, buffered: 2) == nil)
    #expect(counts(&state, demand: 2, buffered: 1) == 1)
  }

  @Test func theDeadlineIsThatOfTheOldestRequest() {
    var state = PullState(window: 100)
    // The first wait for 250 ms, and the answers take 500 ms.
    _ = state.next(demand: 2, at: .milliseconds(0))
    _ = state.next(demand: 4, at: .milliseconds(10))
    #expect(state.deadline == .milliseconds(750))
    state.arrived()
    state.arrived()
    #expect(state.deadline == .milliseconds(760))
  }

  @Test func aConfirmationHasADeadline() {
    var state = PullState(window: 100)
    let (first, second) = (DispatchTime(uptimeNanoseconds: 10), DispatchTime(uptimeNanoseconds: 20))
    _ = counts(&state, demand: 2)
    state.arrived()
    state.arrived()
    #expect(state.deadline == nil)
    _ = state.acknowledges(1, demand: 2, at: .milliseconds(0), deadline: first)
    #expect(state.deadline == first)
    _ = state.acknowledges(1, demand: 1, at: .milliseconds(0), deadline: second)
    state.confirmed(1, at: .milliseconds(0))
    #expect(state.deadline == second)
    state.confirmed(2, at: .milliseconds(0))
    #expect(state.deadline == nil)
  }

  // MARK: Late answers

  @Test func whatTheServerHasAnsweredOnceWaitsLonger() {
    var state = PullState(window: 100)
    #expect(state.next(demand: 1)?.expiration == .milliseconds(250))
    state.arrived()
    #expect(state.next(demand: 1)?.expiration == .seconds(2))
    state.lost()
    #expect(state.next(demand: 1)?.expiration == .milliseconds(250))
    state.ended(state.last)
    #expect(state.next(demand: 1)?.expiration == .seconds(2))
  }

  @Test func aLateAnswerIsAskedForBeforeAnotherRequest() {
    var state = PullState(window: 100)
    _ = state.next(demand: 1)
    #expect(look(&state, at: 750) == .none)
    #expect(look(&state, at: 751) == .ask(1))
    #expect(counts(&state, demand: 1) == nil)
    // A server that has stopped does not answer, and will receive the request.
    #expect(look(&state, at: 1_251) == .none)
    #expect(look(&state, at: 1_252) == .ask(1))
    #expect(counts(&state, demand: 1) == nil)
  }

  @Test func whatADeadServerHasIsGivenUpAfterSomeQuestions() {
    var state = PullState(window: 100)
    _ = state.next(demand: 1)
    for (count, time) in [751, 1_252, 1_753, 2_254].enumerated() {
      #expect(state.giveUp() == false, "after \(count) questions")
      #expect(look(&state, at: UInt64(time)) == .ask(1))
    }
    #expect(state.giveUp() == true)
    #expect(state.expected == 0)
    #expect(state.deadline == nil)
    // What is requested from then on is given up after one.
    _ = state.next(demand: 1, at: .milliseconds(3_000))
    #expect(look(&state, at: 3_751) == .ask(2))
    #expect(state.giveUp() == true)
  }

  @Test(arguments: 0..<4) func aServerThatAnswersIsNotGivenUp(answer: Int) {
    var state = PullState(window: 100)
    _ = state.next(demand: 2)
    for time in [751, 1_252, 1_753, 2_254] { _ = look(&state, at: UInt64(time)) }
    switch answer {
    case 0: state.arrived()
    case 1: state.ended(1)
    case 2: state.reported(waiting: 1, upTo: 1, at: .milliseconds(2_300))
    default: state.lost()
    }
    #expect(state.giveUp() == false)
  }

  @Test func theEndOfARequestSaysHowLongTheServerHasWaited() {
    var state = PullState(window: 100)
    _ = state.next(demand: 1)
    state.ended(1)
    state.expiration = .milliseconds(10)
    _ = state.next(demand: 1)
    state.expiration = .milliseconds(500)
    let ends = [state.ended(2), state.ended(2)]
    #expect(ends.map { $0?.expiration } == [.milliseconds(10), nil])
  }

  @Test func aRequestThatNoServerHasIsLost() {
    var state = PullState(window: 100)
    _ = state.next(demand: 1)
    #expect(look(&state, at: 751) == .ask(1))
    state.reported(waiting: 0, upTo: 1, at: .milliseconds(800))
    // A message may be on its way.
    #expect(look(&state, at: 900) == .none)
    #expect(look(&state, at: 901) == .lost)
    #expect(counts(&state, demand: 1) == 1)
  }

  @Test func aRequestThatMayWaitIsNotLostBeforeItHasExpired() {
    var state = PullState(window: 100)
    _ = state.next(demand: 1)
    #expect(look(&state, at: 751) == .ask(1))
    state.reported(waiting: 2, upTo: 1, at: .milliseconds(10_000))
    state.reported(waiting: 2, upTo: 1, at: .milliseconds(10_500))
    #expect(look(&state, at: 10_750) == .none)
    #expect(counts(&state, demand: 1) == nil)
    #expect(look(&state, at: 10_751) == .lost)
  }

  @Test func anAnswerSaysNothingOfLaterRequests() {
    var state = PullState(window: 100)
    _ = state.next(demand: 1)
    state.ended(1)
    _ = state.next(demand: 1)
    state.reported(waiting: 0, upTo: 1, at: .milliseconds(100))
    #expect(look(&state, at: 2_500) == .none)
    #expect(look(&state, at: 2_501) == .ask(2))
  }

  @Test func anAcknowledgementIsNotWaitedForForEver() {
    var state = PullState(window: 100)
    _ = state.next(demand: 1)
    state.arrived()
    _ = state.acknowledges(1, demand: 1, at: .milliseconds(0), deadline: .milliseconds(100))
    #expect(look(&state, at: 100) == .none)
    #expect(counts(&state, demand: 1) == nil)
    #expect(look(&state, at: 101) == .unconfirmed)
    #expect(counts(&state, demand: 1) == 1)
  }

  @Test func aLateConfirmationIsAskedFor() {
    var state = PullState(window: 100)
    _ = state.next(demand: 1)
    state.arrived()
    _ = state.acknowledges(1, demand: 1, at: .milliseconds(0), deadline: .milliseconds(60_000))
    #expect(state.deadline == .milliseconds(500))
    #expect(look(&state, at: 500) == .none)
    #expect(look(&state, at: 501) == .ask(1))
    #expect(look(&state, at: 1_002) == .ask(1))
    state.reported(waiting: 0, upTo: 1, at: .milliseconds(1_100))
    // The others have to store it.
    #expect(state.deadline == .milliseconds(2_100))
    #expect(look(&state, at: 2_100) == .none)
    #expect(counts(&state, demand: 1) == nil)
    #expect(look(&state, at: 2_101) == .unconfirmed)
    #expect(counts(&state, demand: 1) == 1)
  }

  /// Where a confirmation takes longer than the work, one is always waited for.
  @Test func aServerThatConfirmsIsNotAsked() {
    var state = PullState(window: 100)
    _ = state.acknowledges(1, demand: 1, at: .milliseconds(0), deadline: .milliseconds(60_000))
    for id in 1...30 as ClosedRange<UInt64> {
      let time = id * 100
      _ = state.acknowledges(1, demand: 1, at: .milliseconds(time), deadline: .milliseconds(60_000))
      #expect(look(&state, at: time) == .none)
      state.confirmed(id, at: .milliseconds(time + 50))
    }
    // The last one is late then.
    #expect(look(&state, at: 3_550) == .none)
    #expect(look(&state, at: 3_551) == .ask(0))
  }

  @Test func aQuestionIsForTheAcknowledgementsBeforeIt() {
    var state = PullState(window: 100)
    _ = state.next(demand: 2)
    state.arrived()
    state.arrived()
    _ = state.acknowledges(1, demand: 2, at: .milliseconds(0), deadline: .milliseconds(60_000))
    #expect(look(&state, at: 501) == .ask(1))
    _ = state.acknowledges(1, demand: 2, at: .milliseconds(600), deadline: .milliseconds(60_600))
    state.reported(waiting: 0, upTo: 1, at: .milliseconds(700))
    #expect(look(&state, at: 1_200) == .none)
    #expect(look(&state, at: 1_201) == .ask(1))
    #expect(look(&state, at: 1_701) == .unconfirmed)
    // The second one is still waited for.
    #expect(state.unused(demand: 2, buffered: 0) == 1)
    state.confirmed(2, at: .milliseconds(0))
    #expect(state.deadline == nil)
    #expect(counts(&state, demand: 2) == 2)
  }

  @Test func aQuestionForAConfirmationIsNoneForARequestThatIsNotLate() {
    var state = PullState(window: 100, isShared: true)
    _ = state.next(demand: 1)
    state.arrived()
    _ = state.acknowledges(1, demand: 1, at: .milliseconds(0), deadline: .milliseconds(60_000))
    #expect(counts(&state, demand: 2) == 1)
    #expect(look(&state, at: 501) == .ask(2))
    state.reported(waiting: 0, upTo: 2, at: .milliseconds(600))
    #expect(look(&state, at: 1_601) == .unconfirmed)
    #expect(look(&state, at: 2_500) == .none)
    #expect(look(&state, at: 2_501) == .ask(2))
  }

  // MARK: Durables that are shared

  @Test func whatOthersRequestSaysNothingOfARequest() {
    var state = PullState(window: 100, isShared: true)
    _ = state.next(demand: 1)
    state.ended(1)
    _ = state.next(demand: 1, at: .milliseconds(0))
    #expect(look(&state, at: 2_501) == .ask(2))
    state.reported(waiting: 3, upTo: 2, at: .milliseconds(2_600))
    // It may be one of them, which the caller ends. A message may be on its way.
    #expect(look(&state, at: 3_350) == .none)
    #expect(counts(&state, demand: 1) == nil)
    #expect(look(&state, at: 3_351) == .lost)
    #expect(state.next(demand: 1)?.expiration == .milliseconds(250))
  }

  @Test func whatIsRequestedAfterALostRequestIsLostWithIt() {
    var state = PullState(window: 100, isShared: true)
    _ = state.next(demand: 2, at: .milliseconds(0))
    _ = state.next(demand: 5, at: .milliseconds(700))
    #expect(look(&state, at: 751) == .ask(2))
    state.reported(waiting: 0, upTo: 1, at: .milliseconds(800))
    #expect(look(&state, at: 901) == .lost)
    #expect(state.expected == 0)
    #expect(counts(&state, demand: 5) == 5)
  }

  // MARK: Bytes

  @Test func bytesThatAreBufferedOrExpectedLimitRequests() {
    var state = PullState(window: 100, bytes: 1_000, largest: 200)
    #expect(state.next(demand: .max)?.bytes == 500)
    for _ in 0..<50 { state.arrived(bytes: 6) }
    // 200 may arrive.
    #expect(state.next(demand: .max, buffered: 50, bufferedBytes: 301) == nil)
    #expect(state.next(demand: .max, bufferedBytes: 300)?.bytes == 500)
    #expect(state.next(demand: .max) == nil)
  }

  @Test func whatFillsARequestIsRequestedAgainWhenItHasBeenTaken() {
    var state = PullState(window: 100, bytes: 1_000, largest: 200)
    _ = state.next(demand: .max)
    for _ in 0..<3 { state.arrived(bytes: 200) }
    state.ended(1, isFull: true)
    #expect(state.next(demand: .max, buffered: 3, bufferedBytes: 600) == nil)
    #expect(state.next(demand: .max, buffered: 2, bufferedBytes: 400)?.count == 98)
  }

  @Test func aRequestPermitsTheLargestMessage() {
    var state = PullState(window: 100, bytes: 10, largest: 200)
    #expect(state.next(demand: .max)?.bytes == 200)
  }

  @Test func aMessageThatIsLargerThanAnyShouldBeComesAlone() {
    var state = PullState(window: 100, bytes: 1_000, largest: 200)
    _ = state.next(demand: .max)
    state.ended(1, isFull: true)
    let alone = state.next(demand: .max)
    #expect(alone?.count == 1)
    #expect(alone?.bytes == nil)
    state.arrived(bytes: 5_000)
    #expect(state.next(demand: .max)?.bytes == 500)
  }
}

extension DispatchTime {
  fileprivate static func milliseconds(_ count: UInt64) -> DispatchTime {
    DispatchTime(uptimeNanoseconds: 1_000_000_000 + count * 1_000_000)
  }
}

extension PullState {
  fileprivate mutating func next(
    demand: UInt, buffered: Int = 0, bufferedBytes: Int = 0, at now: DispatchTime = .milliseconds(0)
  ) -> Pull? {
    guard let count = batch(demand: demand, buffered: buffered, bufferedBytes: bufferedBytes) else { return nil }
    return begin(count, at: now)
  }
}
