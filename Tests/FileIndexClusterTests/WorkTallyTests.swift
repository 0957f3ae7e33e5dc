@testable import FileIndexCluster
import FileIndexCore
import Testing

@Suite struct WorkTallyTests {
  private let start = ContinuousClock.now

  private func job(_ name: String) -> FileJob { FileJob(EntryPath(name)) }

  @Test func saysWhoHasReadHowMany() {
    var tally = WorkTally()
    for worker in [1, 2, 1, 3, 1, 9] as [Int32] { tally.received(from: worker, at: start) }
    let lines = tally.lines([(1, false), (2, true), (3, true), (4, true)])
    #expect(
      lines.prefix(6) == [
        "worker 1 has read 3 files, and died", "worker 2 has read 1 files", "worker 3 has read 1 files",
        "worker 4 has read 0 files", "worker 9, which was started elsewhere, has read 1 files",
        "workers that lived have read from 0 to 1 files",
      ])
    #expect(tally.count(of: 1) == 3)
  }

  @Test func silenceBeginsAtTheFirstResult() {
    var tally = WorkTally()
    #expect(tally.lines([]).contains("for 0 ms at most, no result arrived"))
    for time in [5_000, 5_700, 6_000] { tally.received(from: 1, at: start + .milliseconds(time)) }
    #expect(tally.lines([]).contains("for 700 ms at most, no result arrived"))
  }

  @Test func countsJobsThatWereBegunAgain() {
    var tally = WorkTally()
    for name in ["a", "b", "a", "c", "a", "b"] { tally.begun(job(name)) }
    #expect(tally.lines([]).last == "2 files were begun more than once, and counted once")
  }
}
