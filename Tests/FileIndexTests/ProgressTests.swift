import Testing

@testable import FileIndexCore

@Suite("Progress")
struct ProgressTests {
  let start = ContinuousClock().now
  let sample = Progress.Counts(.sample)

  @Test("On a terminal one line is written over, at most ten times a second")
  func terminal() {
    var progress = Progress(style: .terminal)
    #expect(progress.begin(folder: "x", jobs: 2) == "Indexing x, up to 2 files at a time")
    #expect(progress.update(sample, at: start) == "\r\u{1B}[K4 files walked, 3 indexed, 1 failed")
    #expect(progress.update(sample, at: start + .milliseconds(99)) == nil)
    #expect(progress.update(sample, at: start + .milliseconds(100)) != nil)
    #expect(progress.end(sample) == "\r\u{1B}[K")
  }

  @Test("Elsewhere there is a plain line every two seconds, and one at the end")
  func log() {
    var progress = Progress(style: .log)
    #expect(progress.begin(folder: "x", jobs: 2) == "Indexing x, up to 2 files at a time\n")
    #expect(progress.update(sample, at: start) == nil)
    #expect(progress.update(sample, at: start + .milliseconds(1_999)) == nil)
    #expect(progress.update(sample, at: start + .seconds(2)) == "4 files walked, 3 indexed, 1 failed\n")
    #expect(progress.end(Progress.Counts(IndexReport(folder: "x"))) == "0 files walked, 0 indexed\n")
  }
}
