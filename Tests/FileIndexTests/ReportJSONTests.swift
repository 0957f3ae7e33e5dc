import Foundation
import Testing

@testable import FileIndexCore

@Suite("Report as JSON")
struct ReportJSONTests {
  @Test("The keys and their order are fixed")
  func complete() throws {
    #expect(
      try ReportJSON(.sample).text() == """
        {
          "bytes" : 1600,
          "check" : true,
          "extensions" : [
            {
              "bytes" : 1500,
              "extension" : "swift",
              "files" : 2,
              "lines" : 15
            },
            {
              "bytes" : 100,
              "extension" : "",
              "files" : 1,
              "lines" : 1
            }
          ],
          "failed" : 1,
          "failures" : [
            {
              "path" : "lost",
              "reason" : "broken link"
            }
          ],
          "filesPerSecond" : 6,
          "folder" : "folder",
          "format" : 1,
          "indexed" : 3,
          "interrupted" : false,
          "largest" : [
            {
              "bytes" : 1200,
              "cksum" : 7,
              "lines" : 12,
              "path" : "a.swift"
            },
            {
              "bytes" : 300,
              "cksum" : 7,
              "lines" : 3,
              "path" : "sub/B.Swift"
            },
            {
              "bytes" : 100,
              "cksum" : 7,
              "lines" : 1,
              "path" : "LICENSE"
            }
          ],
          "lines" : 16,
          "seconds" : 0.5,
          "skipped" : [
            {
              "path" : ".git",
              "reason" : "folder of a tool, left out unless --all is given"
            }
          ],
          "walked" : 4
        }

        """)
  }

  @Test("Lists do not depend on the order of arrival")
  func order() throws {
    let failures = ["c", "a", "b"].map { Outcome.failed(FailedEntry(path: EntryPath($0), reason: "lost")) }
    var forwards = IndexReport(folder: ".")
    var backwards = IndexReport(folder: ".")
    for failure in failures { forwards.add(failure) }
    for failure in failures.reversed() { backwards.add(failure) }
    #expect(try ReportJSON(forwards).text() == ReportJSON(backwards).text())
  }

  @Test("Names of any kind make valid JSON")
  func names() throws {
    var report = IndexReport(folder: "fol\"der\\")
    report.add(.failed(FailedEntry(path: "new\nline \u{1B}", reason: "tab\t")))
    let object = try JSONSerialization.jsonObject(with: Data(ReportJSON(report).text().utf8)) as? [String: Any]
    let failures = try #require(object?["failures"] as? [[String: String]])
    #expect(object?["folder"] as? String == "fol\"der\\")
    #expect(failures == [["path": "new\nline \u{1B}", "reason": "tab\t"]])
  }
}
