import Testing

@testable import FileIndexCore

@Suite("File stamp")
struct FileStampTests {
  @Test("Times within two seconds of now, before or after, cannot be relied on")
  func reliable() {
    let stamp = FileStamp(inode: 1, size: 1, modified: 10_000_000_000, changed: 0)
    #expect(stamp.isReliable(at: 12_000_000_001))
    #expect(!stamp.isReliable(at: 12_000_000_000))
    #expect(!stamp.isReliable(at: 10_000_000_000))
    #expect(!stamp.isReliable(at: 8_000_000_000))
    #expect(stamp.isReliable(at: 7_999_999_999))
  }

  @Test("Times that are centuries away can be relied on", arguments: [Int64.min, .max])
  func farAway(modified: Int64) {
    let stamp = FileStamp(inode: 1, size: 1, modified: modified, changed: 0)
    #expect(stamp.isReliable(at: 2_000_000_000_000_000_000))
    #expect(stamp.isReliable(at: -2_000_000_000_000_000_000))
  }

  @Test("Every part of it can tell a change", arguments: ["content", "size", "time", "file"])
  func changes(what: String) throws {
    let folder = try TemporaryFolder()
    try folder.addFile("file", "text", age: 1)
    let before = try stamp(folder)
    #expect(try stamp(folder) == before)
    switch what {
    case "content": try folder.addFile("file", "TEXT")
    case "size": try folder.addFile("file", "longer", age: 1)
    case "time": try folder.addFile("file", "text", age: 2)
    default:
      // As editors do: another file takes the name. The old one stays, or its number could be taken again.
      try folder.addFile("other", "text", age: 1)
      try folder.exchange("other", "file")
    }
    #expect(try stamp(folder) != before)
  }

  private func stamp(_ folder: TemporaryFolder) throws -> FileStamp {
    FileStamp(try FileDescriptor(opening: EntryPath(folder.location("file")), flags: 0).status())
  }
}
