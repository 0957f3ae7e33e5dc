@testable import FileIndexCore

extension IndexedFile {
  init(path: EntryPath, bytes: Int) {
    self.init(path: path, bytes: bytes, lines: bytes / 100, checksum: 7)
  }
}

extension IndexReport {
  /// Three files, a failure and a skipped folder, in half a second.
  static var sample: IndexReport {
    var report = IndexReport(folder: "folder")
    report.add(.indexed(IndexedFile(path: "a.swift", bytes: 1_200)))
    report.add(.indexed(IndexedFile(path: "sub/B.Swift", bytes: 300)))
    report.add(.failed(FailedEntry(path: "lost", reason: "broken link")))
    report.add(.indexed(IndexedFile(path: "LICENSE", bytes: 100)))
    report.add(.skipped(SkippedEntry(path: ".git", rule: .toolFolder)))
    report.walked = 4
    report.elapsed = .milliseconds(500)
    return report
  }
}
