import Testing

@testable import Combine

@Suite("RunLedger")
struct RunLedgerTests {
  /// The ledger behind a reference, since expectations copy what they look at.
  final class Ledger {
    private let ledger = RunLedger()
    var isCancelled: Bool { ledger.isCancelled }
    func request(_ demand: Subscribers.Demand) -> Bool { ledger.request(demand) }
    func takeBatch() -> UInt { ledger.takeBatch() }
    func rest() -> Bool { ledger.rest() }
    func cancel() -> Bool { ledger.cancel() }
    func end() -> Bool { ledger.end() }
  }

  @Test func theFirstRequestRunsAndOthersAddToIt() {
    let ledger = Ledger()
    #expect(ledger.request(.max(2)))
    #expect(!ledger.request(.max(3)))
    #expect(ledger.takeBatch() == 5)
    #expect(ledger.takeBatch() == 0)
    #expect(ledger.rest())
    #expect(ledger.request(.max(1)))
  }

  @Test func whoRunsMayNotRestWhileDemandIsLeft() {
    let ledger = Ledger()
    #expect(ledger.request(.max(1)))
    #expect(ledger.takeBatch() == 1)
    #expect(!ledger.request(.max(1)))
    #expect(!ledger.rest())
    #expect(ledger.takeBatch() == 1)
    #expect(ledger.rest())
  }

  @Test func whoRunsReleasesAfterACancellation() {
    let ledger = Ledger()
    #expect(ledger.request(.max(1)))
    #expect(!ledger.cancel())
    #expect(ledger.isCancelled)
    #expect(!ledger.rest())
    #expect(!ledger.end())
    #expect(!ledger.request(.max(1)))
  }

  @Test func whoCancelsReleasesWhenNobodyRuns() {
    let ledger = Ledger()
    #expect(ledger.cancel())
    #expect(!ledger.cancel())
    #expect(!ledger.request(.unlimited))
  }

  @Test func theEndComesOnce() {
    let ledger = Ledger()
    #expect(ledger.request(.unlimited))
    #expect(ledger.end())
    #expect(!ledger.end())
    #expect(!ledger.cancel())
  }

  @Test func demandTooLargeToCountIsUnlimited() {
    let ledger = Ledger()
    #expect(ledger.request(.max(.max)))
    #expect(!ledger.request(.max(.max)))
    #expect(!ledger.request(.unlimited))
    let batch = ledger.takeBatch()
    #expect(batch == RunLedger.unlimited)
    #expect(RunLedger.settle(batch, .max(1)) == batch)
    #expect(RunLedger.settle(3, .max(2)) == 4)
    #expect(RunLedger.settle(3, .none) == 2)
    #expect(RunLedger.settle(1, .unlimited) == RunLedger.unlimited)
  }
}
