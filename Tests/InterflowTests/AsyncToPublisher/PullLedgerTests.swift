import Combine
import InterflowPrimitives
import Testing

@testable import Interflow

@Suite struct PullLedgerTests {
  @Test func firstDemandStartsOnce() {
    let ledger = PullLedger()
    #expect(ledger.opened() == .nothing)
    #expect(ledger.requested(.max(1)) == .start)
    #expect(ledger.requested(.max(2)) == .nothing)
    #expect(ledger.takeBatch() == 3)
    #expect(ledger.takeBatch() == 0)
  }

  @Test func demandBeforeTheSubscriberKnowsWaits() {
    let ledger = PullLedger()
    #expect(ledger.requested(.max(1)) == .nothing)
    #expect(ledger.opened() == .start)
  }

  @Test func demandWakesAParkedTaskOnce() {
    let ledger = running()
    #expect(ledger.parks() == true)
    #expect(ledger.requested(.max(1)) == .resume)
    #expect(ledger.requested(.max(1)) == .nothing)
    #expect(ledger.parks() == false)
  }

  @Test func demandSaturates() {
    let ledger = running()
    _ = ledger.requested(.max(.max))
    _ = ledger.requested(.max(.max))
    let batch = ledger.takeBatch()
    #expect(batch == PackedDemand.unlimited)
    #expect(PullLedger.batch(batch, afterValueRequesting: .none) == batch)
    #expect(PullLedger.batch(2, afterValueRequesting: .max(3)) == 4)
    #expect(PullLedger.batch(2, afterValueRequesting: .unlimited) == PackedDemand.unlimited)
  }

  @Test func cancellationBeforeTheStartReleasesEverything() throws {
    let ledger = PullLedger()
    let cancelled = ledger.cancelled()
    let ending = try #require(cancelled)
    #expect(!ending.resumes)
    #expect(ending.releasesSubscriber)
    #expect(ending.releasesIterator)
    #expect(ledger.cancelled() == nil)
    #expect(ledger.requested(.max(1)) == .nothing)
    #expect(ledger.opened() == .nothing)
  }

  @Test func cancellationWakesAParkedTask() throws {
    let ledger = running()
    #expect(ledger.parks() == true)
    let cancelled = ledger.cancelled()
    let ending = try #require(cancelled)
    #expect(ending.resumes)
    #expect(ending.releasesSubscriber)
    #expect(!ending.releasesIterator)
    #expect(ledger.isExhausted == true)
  }

  @Test func cancellationDuringDeliveryLeavesTheReleaseToTheTask() throws {
    let ledger = running()
    #expect(ledger.beginDelivery() == true)
    let cancelled = ledger.cancelled()
    let ending = try #require(cancelled)
    #expect(!ending.releasesSubscriber)
    #expect(ledger.endDelivery() == false)
    #expect(ledger.beginDelivery() == false)
    #expect(ledger.finished() == false)
  }

  @Test func abandonedTaskServesWhatWasAskedAndThenEnds() {
    let ledger = PullLedger()
    _ = ledger.opened()
    _ = ledger.requested(.max(1))
    #expect(ledger.wasAbandoned() == nil)
    #expect(ledger.isExhausted == false)
    #expect(ledger.takeBatch() == 1)
    #expect(ledger.isExhausted == true)
    #expect(ledger.parks() == false)
  }

  @Test func abandonedWhileParkedOrUnaskedEndsAtOnce() {
    let parked = running()
    #expect(parked.parks() == true)
    #expect(parked.wasAbandoned()?.resumes == true)
    #expect(PullLedger().wasAbandoned()?.releasesIterator == true)
  }

  private func running() -> PullLedger {
    let ledger = PullLedger()
    _ = ledger.opened()
    _ = ledger.requested(.max(1))
    _ = ledger.takeBatch()
    return ledger
  }
}
