import Testing

@testable import FileIndexCore

@Suite("Index report")
struct IndexReportTests {
  @Test("Totals and extensions add up")
  func totals() {
    let report = IndexReport.sample
    #expect(report.totals == .init(files: 3, bytes: 1_600, lines: 16))
    #expect(report.byExtension["swift"] == .init(files: 2, bytes: 1_500, lines: 15))
    #expect(report.rankedExtensions.map(\.name) == ["swift", ""])
  }

  @Test("Consistent when walked = indexed + failed; what is skipped does not count")
  func check() {
    var report = IndexReport.sample
    #expect(report.isConsistent)
    report.walked += 1
    #expect(!report.isConsistent)
    #expect(report.missing == 1)
  }

  @Test("Files a second are files over seconds, and none in no time")
  func speed() {
    #expect(IndexReport.sample.filesPerSecond == 6)
    #expect(IndexReport(folder: ".").filesPerSecond == 0)
  }

  @Test("The largest files are kept, equals by path, in whatever order they come")
  func largest() {
    let files = [("b", 5), ("a", 5), ("c", 9), ("d", 1)].map { IndexedFile(path: EntryPath($0), bytes: $1) }
    for offered in [files, files.reversed()] {
      var largest = LargestFiles(limit: 3)
      for file in offered { largest.add(file) }
      #expect(largest.files.map(\.path) == ["c", "a", "b"])
    }
  }
}
