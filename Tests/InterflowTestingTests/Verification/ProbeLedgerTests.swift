@testable import InterflowTesting
import Testing

@Suite struct ProbeLedgerTests {
  private typealias Signal = ProbeLedger.Signal

  private var ledger = ProbeLedger()

  /// What a signal breaks that begins, and returns at once.
  private mutating func passes(
    _ signal: Signal, on thread: UInt = 1, returning more: Subscribers.Demand = .none
  ) -> [Rule] {
    let broken = ledger.begins(signal, on: thread, stack: 1_000).map(\.rule)
    ledger.returns(more, on: thread)
    return broken
  }

  @Test mutating func aRegularStreamBreaksNothing() {
    #expect(passes(.subscription) == [])
    ledger.requests(.max(1), on: 1)
    #expect(passes(.value, returning: .max(2)) == [])
    #expect(passes(.value, on: 2) == [])
    #expect(passes(.value, on: 3) == [])
    #expect(passes(.end) == [])
    #expect(ledger.received == 3)
    #expect(ledger.requested == .max(3))
  }

  @Test mutating func whatComesBeforeTheSubscription() {
    #expect(passes(.value) == [.subscriptionComesFirst, .valuesNeverExceedDemand])
    #expect(passes(.end) == [.subscriptionComesFirst])
  }

  @Test mutating func whatComesTwiceAndAfterTheEnd() {
    #expect(passes(.subscription) == [])
    #expect(passes(.subscription) == [.subscriptionComesOnce])
    ledger.requests(.unlimited, on: 1)
    #expect(passes(.end) == [])
    #expect(passes(.value) == [.nothingFollowsTheEnd])
    #expect(passes(.end) == [.endComesOnce])
  }

  @Test mutating func demandIsCreditedBeforeItIsUsedAndNeverLost() {
    #expect(passes(.subscription) == [])
    ledger.requests(.max(1), on: 1)
    ledger.requests(.max(1), on: 2)
    #expect(passes(.value) == [])
    #expect(passes(.value) == [])
    #expect(passes(.value) == [.valuesNeverExceedDemand])
    ledger.requests(.unlimited, on: 1)
    #expect(passes(.value) == [])
  }

  @Test mutating func signalsOfTwoThreadsAtOnce() {
    #expect(passes(.subscription) == [])
    ledger.requests(.unlimited, on: 1)
    #expect(ledger.begins(.value, on: 1, stack: 0) == [])
    #expect(ledger.begins(.value, on: 1, stack: 0) == [], "a delivery inside a delivery is on one thread")
    #expect(ledger.begins(.value, on: 2, stack: 0).map(\.rule) == [.signalsAreSerial])
    ledger.returns(.none, on: 2)
    ledger.returns(.none, on: 1)
    #expect(ledger.begins(.value, on: 2, stack: 0).map(\.rule) == [.signalsAreSerial])
    ledger.returns(.none, on: 2)
    ledger.returns(.none, on: 1)
    #expect(passes(.value, on: 2) == [])
  }

  @Test mutating func anotherThreadInsideTheSubscription() {
    #expect(ledger.begins(.subscription, on: 1, stack: 0) == [])
    ledger.requests(.max(2), on: 1)
    #expect(passes(.value, on: 1) == [])
    #expect(passes(.value, on: 2) == [.signalsWaitForTheSubscription])
  }

  @Test mutating func whoAsksFromAnotherThreadInsideTheSubscriptionMayBeServedThere() {
    #expect(ledger.begins(.subscription, on: 1, stack: 0) == [])
    ledger.requests(.max(2), on: 2)
    #expect(passes(.value, on: 2) == [])
  }

  @Test mutating func silence() {
    #expect(passes(.subscription) == [])
    ledger.requests(.unlimited, on: 1)
    ledger.cancelled(on: 2)
    #expect(passes(.value) == [], "a signal may have been on its way")
    #expect(ledger.signalsAfterCancel == 1)
    #expect(ledger.signalsAfterCancelOnSameThread == 0)
    ledger.expectsSilence(under: .nothingFollowsCancel)
    ledger.expectsSilence(under: .requestAfterCancel)
    #expect(passes(.value) == [.nothingFollowsCancel])
    #expect(passes(.end) == [.nothingFollowsCancel])
    #expect(ledger.signalsAfterCancel == 3)
    ledger.cancelled(on: 1)
    _ = passes(.value, on: 2)
    #expect(ledger.signalsAfterCancelOnSameThread == 1)
  }

  @Test mutating func theStackIsMeasuredForEachThread() {
    ledger.requests(.unlimited, on: 1)
    _ = ledger.begins(.subscription, on: 1, stack: 5_000)
    _ = ledger.begins(.value, on: 2, stack: 9_000_000)
    #expect(ledger.stackGrowth == 0)
    _ = ledger.begins(.value, on: 1, stack: 3_000)
    _ = ledger.begins(.value, on: 2, stack: 8_999_000)
    #expect(ledger.stackGrowth == 2_000)
  }
}
