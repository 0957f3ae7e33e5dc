import Foundation
import Testing

@testable import FileIndexCore

@Suite("File reader")
struct FileReaderTests {
  let folder: TemporaryFolder
  let reader: FileReader

  init() throws {
    folder = try TemporaryFolder()
    reader = FileReader(root: folder.path)
  }

  @Test(
    "Counts lines as wc does: the line feeds",
    arguments: [("", 0), ("no end", 0), ("one\n", 1), ("one\ntwo", 1), ("\n\n\n", 3)])
  func lines(text: String, expected: Int) async throws {
    try folder.addFile("file", text)
    let file = try #require(await indexed("file"))
    #expect(file.lines == expected)
    #expect(file.bytes == text.utf8.count)
  }

  @Test("A file of several chunks is read to its end")
  func severalChunks() async throws {
    let line = String(repeating: "x", count: 99) + "\n"
    let lines = FileReader.chunkSize * 3 / 100 + 7
    let text = String(repeating: line, count: lines)
    try folder.addFile("large", text)
    var checksum = Checksum()
    Array(text.utf8).withUnsafeBytes { checksum.update($0) }
    #expect(
      await indexed("large")
        == IndexedFile(path: "large", bytes: lines * 100, lines: lines, checksum: checksum.value))
  }

  @Test("A file that is gone fails with the reason")
  func gone() async {
    #expect(await reader.outcome(of: .file("gone")) == .failed("gone", "\(SystemError(number: ENOENT))"))
  }

  @Test("A pipe in the place of a file is refused instead of waited for")
  func pipe() async throws {
    try folder.addPipe("pipe")
    #expect(await reader.outcome(of: .file("pipe")) == .failed("pipe", "not a regular file: named pipe"))
  }

  @Test("A folder in the place of a file is refused")
  func folderInPlace() async throws {
    try folder.addFolder("folder")
    #expect(await reader.outcome(of: .file("folder")) == .failed("folder", "a folder now, no longer a file"))
  }

  @Test("A file whose reading fails half way fails with the reason", .enabled(if: isReadable("/proc/self/mem")))
  func readingFails() async {
    // It opens like any file, and its first page cannot be read.
    let reader = FileReader(root: "/proc/self")
    #expect(await reader.outcome(of: .file("mem")) == .failed("mem", "\(SystemError(number: EIO))"))
  }

  @Test("Cancellation ends the reading between two chunks")
  func cancellation() async throws {
    try folder.addSparseFile("endless", size: 1 << 40)
    let reader = reader
    let task = Task { await reader.outcome(of: .file("endless")) }
    task.cancel()
    #expect(await task.value == .failed("endless", "reading was cancelled"))
  }

  @Test("What is no file passes through")
  func others() async {
    let failure = FailedEntry(path: "f", reason: "r")
    let skipped = SkippedEntry(path: "s", rule: .folderLink)
    #expect(await reader.outcome(of: .unreadable(failure)) == .failed(failure))
    #expect(await reader.outcome(of: .skipped(skipped)) == .skipped(skipped))
  }

  @Test("A file that is known with its stamp is not read")
  func known() async throws {
    try folder.addFile("file", "text", age: 1)
    let first = try #require(await indexed("file", FileReader(root: folder.path) { _, _ in nil }))
    let stamp = try #require(first.stamp)
    let before = IndexedFile(path: "file", bytes: 1, lines: 2, checksum: 3)
    let second = FileReader(root: folder.path) { $0 == "file" && $1 == stamp ? before : nil }
    #expect(await second.outcome(of: .file("file")) == .unchanged(before))
    try folder.addFile("file", "TEXT", age: 2)
    #expect(await indexed("file", second)?.bytes == 4)
  }

  @Test("A file that has just been written has no stamp, because it may change without another time")
  func justWritten() async throws {
    try folder.addFile("file", "text")
    let file = try #require(await indexed("file", FileReader(root: folder.path) { _, _ in nil }))
    #expect(file.stamp == nil)
  }

  private func indexed(_ path: EntryPath, _ other: FileReader? = nil) async -> IndexedFile? {
    guard case .indexed(let file) = await (other ?? reader).outcome(of: .file(path)) else { return nil }
    return file
  }
}

private func isReadable(_ path: String) -> Bool {
  FileManager.default.isReadableFile(atPath: path)
}

extension Outcome {
  fileprivate static func failed(_ path: EntryPath, _ reason: String) -> Outcome {
    .failed(FailedEntry(path: path, reason: reason))
  }
}
