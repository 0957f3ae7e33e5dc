import Testing

@testable import FileIndexCore

@Suite("Report as a table")
struct ReportTableTests {
  @Test("Everything has its section")
  func complete() {
    #expect(
      ReportTable(.sample).text == """
        Index of folder

        cksum  bytes  lines  largest files
            7  1,200     12  a.swift
            7    300      3  sub/B.Swift
            7    100      1  LICENSE

        files  bytes  lines  extension
            2  1,500     15  .swift
            1    100      1  (none)
            3  1,600     16  in all

        Failed: 1
          lost: broken link

        Skipped: 1
          .git: folder of a tool, left out unless --all is given

        3 files in 0.50 s: 6 files a second
        Check: 4 walked, 3 indexed + 1 failed: equal

        """)
  }

  @Test("An empty folder is called empty, and the check holds")
  func empty() {
    #expect(
      ReportTable(IndexReport(folder: "folder")).text == """
        Nothing to index in folder

        0 files in 0.00 s: 0 files a second
        Check: 0 walked, 0 indexed + 0 failed: equal

        """)
  }

  @Test("A part says that it is one, and how much was under way")
  func interrupted() {
    var report = IndexReport.sample
    report.walked = 6
    report.ending = .interrupted
    let text = ReportTable(report).text
    #expect(text.hasPrefix("Part of folder: interrupted"))
    #expect(text.hasSuffix("No check: 6 walked, 3 indexed + 1 failed, 2 under way when interrupted\n"))
  }

  @Test("A run that has not ended says so")
  func unfinished() {
    var report = IndexReport.sample
    report.walked = 6
    report.ending = .unfinished
    let text = ReportTable(report).text
    #expect(text.hasPrefix("Part of folder: the run has not ended"))
    #expect(text.hasSuffix("No check: 6 walked, 3 indexed + 1 failed, 2 under way\n"))
  }

  @Test("A run with a database says what it did not read again")
  func reuse() {
    var report = IndexReport.sample
    report.reuse = IndexReport.Reuse(unchanged: 2, removed: 1_000)
    let line =
      "Database: 1 files read, 2 skipped because they have not changed, 1,000 removed because they are gone\n"
    #expect(ReportTable(report).text.contains(line))
  }

  @Test("A check that fails cannot be overlooked")
  func checkFailed() {
    var report = IndexReport.sample
    report.walked = 5
    #expect(ReportTable(report).text.hasSuffix("CHECK FAILED: 5 walked, 3 indexed + 1 failed: 1 apart\n"))
  }

  @Test("Many extensions are summed up in one row")
  func manyExtensions() {
    var report = IndexReport(folder: "folder")
    for number in 1...20 {
      report.add(.indexed(IndexedFile(path: "file.x\(number)", bytes: number * 100)))
    }
    let text = ReportTable(report).text
    #expect(text.contains("    1     700      7  .x7\n    6   2,100     21  6 others\n   20  21,000    210  in all\n"))
  }

  @Test("Names that would break the lines are escaped")
  func escaped() {
    var report = IndexReport(folder: "folder")
    report.add(.failed(FailedEntry(path: "two\nlines", reason: "lost")))
    #expect(ReportTable(report).text.contains("  two\\nlines: lost\n"))
  }
}
