@testable import InterflowNATS
import Testing

@Suite(.timeLimit(.minutes(60))) struct JobTableTests {
  private struct Broken: Error {}

  private typealias Table = JobTable<String>

  /// Whether the end asks for a clean-up.
  private func cleansUp(_ table: inout Table) -> Bool { table.end().cleansUp }

  private func prepared(_ table: inout Table) -> Bool { table.prepared() }

  private func failed(_ table: inout Table) -> [String] { table.failed(Broken()).sorted() }

  private func expectAdmitted(_ admission: Table.Admission, as expected: Int, first: Bool) {
    guard case .admitted(let number, let isFirst) = admission else {
      Issue.record("it was refused")
      return
    }
    #expect(number == expected)
    #expect(isFirst == first)
  }

  @Test func theFirstJobAloneBringsThePreparation() {
    var table = Table()
    expectAdmitted(table.admit("a"), as: 1, first: true)
    expectAdmitted(table.admit("b"), as: 2, first: false)
    #expect(prepared(&table))
    expectAdmitted(table.admit("c"), as: 3, first: false)
    #expect(table.count == 3)
  }

  @Test func aResultIsMatchedOnce() {
    var table = Table()
    _ = table.admit("a")
    _ = table.admit("b")
    #expect(table.received(2) == "b")
    #expect(table.received(2) == nil)
    #expect(table.received(7) == nil)
    #expect(table.received(1) == "a")
    #expect(table.count == 0)
  }

  @Test func aForgottenJobHasNoResult() {
    var table = Table()
    _ = table.admit("a")
    #expect(table.forget(1) == "a")
    #expect(table.received(1) == nil)
  }

  @Test func aFailureReachesWhoWaitsAndWhoComes() {
    var table = Table()
    _ = table.admit("a")
    _ = table.prepared()
    _ = table.admit("b")
    #expect(failed(&table) == ["a", "b"])
    #expect(failed(&table).isEmpty)
    guard case .refused(let error) = table.admit("c") else {
      Issue.record("it was admitted")
      return
    }
    #expect(error is Broken)
    #expect(cleansUp(&table))
  }

  @Test func aFailureDuringThePreparationIsCleanedUpAtTheEnd() {
    var table = Table()
    _ = table.admit("a")
    #expect(failed(&table) == ["a"])
    #expect(prepared(&table))
    #expect(cleansUp(&table))
  }

  @Test func nothingIsCleanedUpWithoutJobs() {
    var table = Table()
    #expect(cleansUp(&table) == false)
    guard case .refused(let error) = table.admit("a") else {
      Issue.record("it was admitted")
      return
    }
    #expect(error is CancellationError)
  }

  @Test func whoPreparesCleansUpWhereTheEndComesBefore() {
    var table = Table()
    _ = table.admit("a")
    let end = table.end()
    #expect(end.waiters == ["a"])
    #expect(!end.cleansUp)
    let isWanted = prepared(&table)
    #expect(!isWanted)
    #expect(cleansUp(&table) == false)
  }

  @Test func theEndCleansUpOnce() {
    var table = Table()
    _ = table.admit("a")
    _ = table.prepared()
    let end = table.end()
    #expect(end.waiters == ["a"])
    #expect(end.cleansUp)
    #expect(cleansUp(&table) == false)
    #expect(failed(&table).isEmpty)
  }

  @Test func identifiersAreReadAsTheyAreWritten() {
    let id = JobID(run: "A-1", number: 12)
    #expect(JobID(id.text) == id)
    #expect(JobID("A-1") == nil)
    #expect(JobID("A.1.2") == nil)
    #expect(JobID("A.x") == nil)
  }
}
