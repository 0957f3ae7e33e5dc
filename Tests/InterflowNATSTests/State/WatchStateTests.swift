@testable import InterflowNATS
import Testing

@Suite struct WatchStateTests {
  private func fail(_ state: inout WatchState, isMissing: Bool) -> WatchState.Failure {
    let number = state.begin()
    return state.failed(number, isMissing: isMissing)
  }

  @Test func isCompleteAtOnceWhereThereAreNoKeys() {
    var state = WatchState()
    let number = state.begin()
    let result1 = state.created(number, pending: 0, delivered: 0)
    #expect(result1)
  }

  @Test func isCompleteWithTheMessageThatNoneFollows() {
    var state = WatchState()
    let number = state.begin()
    let result2 = state.created(number, pending: 2, delivered: 0)
    #expect(!result2)
    let result3 = state.arrived(number, sequence: 1, pending: 1)
    #expect(result3 == .deliver(completes: false))
    let result4 = state.arrived(number, sequence: 2, pending: 0)
    #expect(result4 == .deliver(completes: true))
    let result5 = state.arrived(number, sequence: 3, pending: 0)
    #expect(result5 == .deliver(completes: false))
  }

  @Test func messagesThatAreFasterThanTheAnswerComplete() {
    var state = WatchState()
    let number = state.begin()
    let result6 = state.arrived(number, sequence: 1, pending: 0)
    #expect(result6 == .deliver(completes: true))
    let result7 = state.created(number, pending: 0, delivered: 0)
    #expect(!result7)
  }

  @Test func isNotCompleteWhileWhatWasSentIsOnItsWay() {
    var state = WatchState()
    let number = state.begin()
    let result8 = state.created(number, pending: 0, delivered: 1)
    #expect(!result8)
    let result9 = state.arrived(number, sequence: 1, pending: 0)
    #expect(result9 == .deliver(completes: true))
  }

  @Test func beginsAgainWhereMessagesAreLost() {
    var state = WatchState()
    let number = state.begin()
    _ = state.created(number, pending: 3, delivered: 0)
    let result10 = state.arrived(number, sequence: 1, pending: 2)
    #expect(result10 == .deliver(completes: false))
    let result11 = state.arrived(number, sequence: 3, pending: 0)
    #expect(result11 == .restart)
  }

  @Test func beginsAgainWhereTheServerHasSentMoreThanArrived() {
    var state = WatchState()
    let number = state.begin()
    _ = state.created(number, pending: 0, delivered: 0)
    let result12 = state.reported(number, last: 0)
    #expect(result12 == .nothing)
    let result13 = state.reported(number, last: 1)
    #expect(result13 == .restart)
  }

  @Test func isCompleteWhereTheServerHasNothingMoreToSend() {
    var state = WatchState()
    let number = state.begin()
    let early = state.reported(number, last: 0)
    #expect(early == .nothing, "it is being made")
    _ = state.created(number, pending: 2, delivered: 0)
    // The second was replaced before it was sent.
    let arrival = state.arrived(number, sequence: 1, pending: 1)
    #expect(arrival == .deliver(completes: false))
    let report = state.reported(number, last: 1)
    #expect(report == .complete)
    let again = state.reported(number, last: 1)
    #expect(again == .nothing)
  }

  @Test func beginsAgainWhereNothingIsHeard() {
    var state = WatchState()
    let number = state.begin()
    let result14 = state.timePassed()
    #expect(!result14, "it is being made")
    _ = state.created(number, pending: 0, delivered: 0)
    let result15 = state.timePassed()
    #expect(!result15)
    _ = state.reported(number, last: 0)
    let result16 = state.timePassed()
    #expect(!result16)
    let result17 = state.timePassed()
    #expect(result17)
  }

  @Test func ignoresWhatTheConsumerBeforeHasLeft() {
    var state = WatchState()
    let old = state.begin()
    _ = state.created(old, pending: 0, delivered: 0)
    let new = state.begin()
    let result18 = state.arrived(old, sequence: 1, pending: 0)
    #expect(result18 == .ignore)
    let result19 = state.reported(old, last: 7)
    #expect(result19 == .nothing)
    let result20 = state.failed(old, isMissing: true)
    #expect(result20 == .ignore)
    let result21 = state.arrived(new, sequence: 1, pending: 0)
    #expect(result21 == .deliver(completes: true))
  }

  @Test func aFirstFailureEndsIt() {
    var state = WatchState()
    let result22 = fail(&state, isMissing: false)
    #expect(result22 == .end)
  }

  @Test func laterFailuresAreTriedAgainUnlessTheBucketIsGone() {
    var state = WatchState()
    let number = state.begin()
    _ = state.created(number, pending: 0, delivered: 0)
    for _ in 0..<100 {
      let result23 = fail(&state, isMissing: false)
      #expect(result23 == .retry)
    }
    for _ in 1..<WatchState.maxMissing {
      let result24 = fail(&state, isMissing: true)
      #expect(result24 == .retry)
    }
    let result25 = fail(&state, isMissing: true)
    #expect(result25 == .end)
  }

  @Test func doesNothingAfterItsEnd() {
    var state = WatchState()
    let number = state.begin()
    let result26 = state.end()
    #expect(result26)
    let result27 = state.end()
    #expect(!result27)
    let result28 = state.created(number, pending: 0, delivered: 0)
    #expect(!result28)
    let result29 = state.arrived(number, sequence: 1, pending: 0)
    #expect(result29 == .ignore)
    let result30 = state.timePassed()
    #expect(!result30)
  }
}
