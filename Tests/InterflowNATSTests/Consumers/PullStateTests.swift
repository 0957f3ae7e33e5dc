import Dispatch
import Testing

@testable import InterflowNATS

@Suite struct PullStateTests {
  private let later = DispatchTime(uptimeNanoseconds: 1)

  private func counts(_ state: inout PullState, demand: UInt, buffered: Int = 0) -> Int? {
    state.next(demand: demand, buffered: buffered, deadline: later)?.count
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
    let pull = state.next(demand: 4, buffered: 0, deadline: later)
    state.arrived()
    state.ended(try #require(pull).id)
    let next = state.next(demand: 3, buffered: 0, deadline: later)
    #expect(next?.count == 3)
    #expect(next?.id != pull?.id)
  }

  @Test func theEndOfAnOldRequestChangesNothing() throws {
    var state = PullState(window: 100)
    let pull = state.next(demand: 1, buffered: 0, deadline: later)
    state.arrived()
    _ = state.next(demand: 1, buffered: 0, deadline: later)
    state.ended(try #require(pull).id)
    #expect(state.expected == 1)
  }

  @Test func aSmallDemandWaitsForTheConfirmation() {
    var state = PullState(window: 100)
    #expect(counts(&state, demand: 1) == 1)
    state.arrived()
    let isConfirmed = state.acknowledges(demand: 1, deadline: later)
    #expect(isConfirmed)
    #expect(counts(&state, demand: 1) == nil)
    state.confirmed()
    #expect(counts(&state, demand: 1) == 1)
  }

  @Test func aLargeDemandDoesNotWaitForConfirmations() {
    var state = PullState(window: 100)
    #expect(counts(&state, demand: 8) == 8)
    state.arrived()
    let isConfirmed = state.acknowledges(demand: 8, deadline: later)
    #expect(!isConfirmed)
  }

  @Test func whatIsLostIsAskedForAgain() {
    var state = PullState(window: 100)
    _ = counts(&state, demand: 2)
    state.arrived()
    _ = state.acknowledges(demand: 1, deadline: later)
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
    let (first, second) = (DispatchTime(uptimeNanoseconds: 10), DispatchTime(uptimeNanoseconds: 20))
    _ = state.next(demand: 2, buffered: 0, deadline: first)
    _ = state.next(demand: 4, buffered: 0, deadline: second)
    #expect(state.deadline == first)
    state.arrived()
    state.arrived()
    #expect(state.deadline == second)
  }

  @Test func aConfirmationHasADeadline() {
    var state = PullState(window: 100)
    let (first, second) = (DispatchTime(uptimeNanoseconds: 10), DispatchTime(uptimeNanoseconds: 20))
    _ = counts(&state, demand: 2)
    state.arrived()
    state.arrived()
    #expect(state.deadline == nil)
    _ = state.acknowledges(demand: 2, deadline: first)
    #expect(state.deadline == first)
    _ = state.acknowledges(demand: 1, deadline: second)
    state.confirmed()
    #expect(state.deadline == second)
    state.confirmed()
    #expect(state.deadline == nil)
  }
}

extension PullState {
  fileprivate mutating func next(demand: UInt, buffered: Int, deadline: DispatchTime) -> Pull? {
    guard let count = batch(demand: demand, buffered: buffered) else { return nil }
    return begin(count, deadline: deadline)
  }
}
