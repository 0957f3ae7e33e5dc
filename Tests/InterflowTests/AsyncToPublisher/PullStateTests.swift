import Combine
import InterflowPrimitives
import Testing

@testable import Interflow

@Suite struct PullStateTests {
  @Test func firstDemandStartsOnce() {
    let state = PullState()
    #expect(state.opened() == .nothing)
    #expect(state.requested(.max(1)) == .start)
    #expect(state.requested(.max(2)) == .nothing)
    #expect(state.takeBatch() == 3)
    #expect(state.takeBatch() == 0)
  }

  @Test func demandBeforeTheSubscriptionHasBeenSentStartsNothing() {
    let state = PullState()
    #expect(state.requested(.max(1)) == .nothing)
    #expect(state.opened() == .start)
  }

  @Test func demandWakesAParkedTaskOnce() {
    let state = running()
    #expect(state.parks() == true)
    #expect(state.requested(.max(1)) == .resume)
    #expect(state.requested(.max(1)) == .nothing)
    #expect(state.parks() == false)
  }

  @Test func demandSaturates() {
    let state = running()
    _ = state.requested(.max(.max))
    _ = state.requested(.max(.max))
    let batch = state.takeBatch()
    #expect(batch == PackedDemand.unlimited)
    #expect(PullState.batch(batch, afterValueRequesting: .none) == batch)
    #expect(PullState.batch(2, afterValueRequesting: .max(3)) == 4)
    #expect(PullState.batch(2, afterValueRequesting: .unlimited) == PackedDemand.unlimited)
  }

  @Test func cancellationBeforeTheStartReleasesEverything() throws {
    let state = PullState()
    let cancelled = state.cancelled()
    let ending = try #require(cancelled)
    #expect(!ending.resumes)
    #expect(ending.releasesSubscriber)
    #expect(ending.releasesIterator)
    #expect(state.cancelled() == nil)
    #expect(state.requested(.max(1)) == .nothing)
    #expect(state.opened() == .nothing)
  }

  @Test func cancellationWakesAParkedTask() throws {
    let state = running()
    #expect(state.parks() == true)
    let cancelled = state.cancelled()
    let ending = try #require(cancelled)
    #expect(ending.resumes)
    #expect(ending.releasesSubscriber)
    #expect(!ending.releasesIterator)
    #expect(state.isExhausted == true)
  }

  @Test func cancellationDuringDeliveryLeavesTheReleaseToTheTask() throws {
    let state = running()
    #expect(state.beginDelivery() == true)
    let cancelled = state.cancelled()
    let ending = try #require(cancelled)
    #expect(!ending.releasesSubscriber)
    #expect(state.endDelivery() == false)
    #expect(state.beginDelivery() == false)
    #expect(state.finished() == false)
  }

  @Test func abandonedTaskServesTheRemainingDemandAndThenEnds() {
    let state = PullState()
    _ = state.opened()
    _ = state.requested(.max(1))
    #expect(state.wasAbandoned() == nil)
    #expect(state.isExhausted == false)
    #expect(state.takeBatch() == 1)
    #expect(state.isExhausted == true)
    #expect(state.parks() == false)
  }

  @Test func abandonedWhileParkedOrBeforeTheFirstRequestEndsAtOnce() {
    let parked = running()
    #expect(parked.parks() == true)
    #expect(parked.wasAbandoned()?.resumes == true)
    #expect(PullState().wasAbandoned()?.releasesIterator == true)
  }

  private func running() -> PullState {
    let state = PullState()
    _ = state.opened()
    _ = state.requested(.max(1))
    _ = state.takeBatch()
    return state
  }
}
