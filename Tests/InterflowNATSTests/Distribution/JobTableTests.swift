@testable import InterflowNATS
import Testing

@Suite struct JobTableTests {
  private struct Broken: Error {}

  private typealias Table = JobTable<String>

  private func ended(_ table: inout Table) -> [String] { table.end().sorted() }

  private func needsLookup(_ table: inout Table) -> Bool { table.beginLookup() }

  private func takeLost(_ gone: [Int], _ table: inout Table) -> [String] { table.takeLost(gone) }

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

  @Test func aJobThatHasWaitedSinceTheLastLookIsOld() {
    var table = Table()
    #expect(!needsLookup(&table))
    _ = table.admit("a")
    #expect(!needsLookup(&table))
    _ = table.admit("b")
    #expect(needsLookup(&table))
    _ = table.received(1)
    #expect(needsLookup(&table))
    _ = table.received(2)
    #expect(!needsLookup(&table))
  }

  private func numbersToLookFor(_ table: Table, in shard: Int = 0, atMost limit: Int = .max) -> [Int] {
    table.jobsToLookFor(inEachOf: 2, atMost: limit)[shard].map(\.number)
  }

  @Test func aStoredJobIsLookedForMoreSeldomTheLongerItWaits() {
    var table = Table()
    _ = table.admit("a")
    _ = table.admit("b")
    table.stored(1, in: 0, at: 10)
    let rounds = (0...40).filter { _ in
      _ = table.beginLookup()
      // The other one's number is not known.
      let numbers = numbersToLookFor(table)
      #expect(numbers.allSatisfy { $0 == 1 })
      table.lookedFor(numbers, areGone: false)
      return !numbers.isEmpty
    }
    #expect(rounds == [1, 2, 4, 8, 16, 28, 40])
    table.stored(2, in: 0, at: 11)
    #expect(table.jobsToLookFor(inEachOf: 2, atMost: 9).map { $0.map(\.sequence) } == [[11], []])
  }

  @Test func jobsThatAreManyHaveTheirTurns() {
    var table = Table()
    for number in 1...5 {
      _ = table.admit("\(number)")
      table.stored(number, in: number % 2, at: UInt64(number))
    }
    for _ in 0..<2 { _ = table.beginLookup() }
    let first = numbersToLookFor(table, in: 1, atMost: 2)
    table.lookedFor(first, areGone: false)
    _ = table.beginLookup()
    let second = numbersToLookFor(table, in: 1, atMost: 2)
    // For which there was no room the last time comes first.
    #expect(!first.contains(second[0]))
    table.lookedFor([second[1]], areGone: true)
    _ = table.beginLookup()
    // And what has gone comes before all others.
    #expect(numbersToLookFor(table, in: 1, atMost: 1) == [second[1]])
    #expect(numbersToLookFor(table, in: 0).sorted() == [2, 4])
  }

  @Test func aJobIsLostThatHasGoneTwiceWithoutAResult() {
    var table = Table()
    for name in ["a", "b", "c"] { _ = table.admit(name) }
    for number in 1...3 { table.stored(number, in: 0, at: UInt64(number)) }
    for _ in 0..<2 { _ = table.beginLookup() }
    #expect(numbersToLookFor(table).sorted() == [1, 2, 3])
    #expect(takeLost([1, 2], &table) == [])
    table.lookedFor([3], areGone: false)
    table.lookedFor([1, 2], areGone: true)
    #expect(numbersToLookFor(table).isEmpty)
    _ = table.beginLookup()
    #expect(numbersToLookFor(table, atMost: 2).sorted() == [1, 2])
    #expect(table.received(1) == "a")
    #expect(!table.isWaiting(1))
    #expect(takeLost([1, 2, 3], &table) == ["b"])
    #expect(takeLost([1, 2, 3], &table) == [])
    #expect(table.received(2) == nil)
    #expect(table.count == 1)
  }

  @Test func aJobThatIsBackIsNotLost() {
    var table = Table()
    _ = table.admit("a")
    table.stored(1, in: 0, at: 1)
    table.lookedFor([1], areGone: true)
    table.lookedFor([1], areGone: false)
    #expect(takeLost([1], &table) == [])
    #expect(table.received(1) == "a")
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
  }

  @Test func aFailureDuringThePreparationLeavesItWanted() {
    var table = Table()
    _ = table.admit("a")
    #expect(failed(&table) == ["a"])
    #expect(prepared(&table))
  }

  @Test func nothingIsAdmittedAfterTheEnd() {
    var table = Table()
    #expect(ended(&table) == [])
    guard case .refused(let error) = table.admit("a") else {
      Issue.record("it was admitted")
      return
    }
    #expect(error is CancellationError)
  }

  @Test func whatIsPreparedAfterTheEndIsNotWanted() {
    var table = Table()
    _ = table.admit("a")
    #expect(ended(&table) == ["a"])
    let isWanted = prepared(&table)
    #expect(!isWanted)
  }

  @Test func theEndReachesThoseThatWaitOnce() {
    var table = Table()
    _ = table.admit("a")
    _ = table.prepared()
    #expect(ended(&table) == ["a"])
    #expect(ended(&table) == [])
    #expect(failed(&table).isEmpty)
  }

  @Test func identifiersAreReadAsTheyAreWritten() {
    let id = JobID(run: "A-1", number: 12)
    #expect(JobID(id.text) == id)
    #expect(JobID("A-1") == nil)
    #expect(JobID("A.1.2") == nil)
    #expect(JobID("A.x") == nil)
    // No part of a subject.
    #expect(JobID("*.1") == nil)
    #expect(JobID("a b.1") == nil)
    #expect(JobID(String(repeating: "a", count: 3_600) + ".1") == nil)
  }
}
