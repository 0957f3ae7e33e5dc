import Foundation
import Testing

@testable import FileIndexCore

@Suite("Folder cursor")
struct FolderCursorTests {
  @Test("Meets every file of the tree, with its path from the root")
  func meetsEveryFile() throws {
    let folder = try TemporaryFolder()
    try folder.addFolder("a/b")
    try folder.addFolder("empty")
    for name in ["top", "a/inner", "a/b/deep"] { try folder.addFile(name) }
    #expect(try walk(folder) == [.file("a/b/deep"), .file("a/inner"), .file("top")])
  }

  @Test("An empty folder has no entries")
  func emptyFolder() throws {
    #expect(try walk(TemporaryFolder()) == [])
  }

  @Test("A tree deeper than the limit of open folders is walked to its end")
  func deepTree() throws {
    let folder = try TemporaryFolder()
    let depth = FolderCursor.openLimit * 2 + 3
    let path = Array(repeating: "d", count: depth).joined(separator: "/")
    try folder.addFolder(path)
    try folder.addFile(path + "/bottom")
    #expect(try walk(folder) == [.file("\(path)/bottom")])
  }

  @Test("Names that are not UTF-8 lead to their files")
  func invalidName() async throws {
    let folder = try TemporaryFolder()
    let name = [0x66, 0xFF, 0].map { CChar(bitPattern: $0) }
    let path = folder.path.appending(EntryPath(name))
    let descriptor = path.withCString { open($0, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600) }
    try #require(descriptor >= 0, "the file system refuses such names")
    close(descriptor)
    #expect(try walk(folder) == [.file(EntryPath(name))])
    guard case .indexed = await FileReader(root: folder.path).outcome(of: .file(EntryPath(name))) else {
      Issue.record("the file was not opened under its name")
      return
    }
  }

  @Suite("Links")
  struct Links {
    @Test("A link to a file counts as a file")
    func toFile() throws {
      let folder = try TemporaryFolder()
      try folder.addFile("file")
      try folder.addLink("link", to: "file")
      #expect(try walk(folder) == [.file("file"), .file("link")])
    }

    @Test("A link to a folder is skipped, so a loop does not trap the walk")
    func toFolder() throws {
      let folder = try TemporaryFolder()
      try folder.addLink("loop", to: ".")
      #expect(try walk(folder) == [.skipped(SkippedEntry(path: "loop", rule: .folderLink))])
    }

    @Test("A broken link is named with where it leads and why that fails")
    func broken() throws {
      let folder = try TemporaryFolder()
      try folder.addLink("broken", to: "nowhere")
      try folder.addLink("self", to: "self")
      #expect(
        try walk(folder) == [
          .unreadable("broken", "broken link to nowhere: \(SystemError(number: ENOENT))"),
          .unreadable("self", "broken link to self: \(SystemError(number: ELOOP))"),
        ])
    }

    @Test("A link as the root is followed")
    func root() throws {
      let folder = try TemporaryFolder()
      try folder.addFolder("real")
      try folder.addFile("real/file")
      try folder.addLink("link", to: "real")
      #expect(try walk(folder, below: "link") == [.file("file")])
    }
  }

  @Suite("Special files")
  struct SpecialFiles {
    @Test("A pipe is refused, directly and through a link")
    func pipe() throws {
      let folder = try TemporaryFolder()
      try folder.addPipe("pipe")
      try folder.addLink("through", to: "pipe")
      #expect(
        try walk(folder) == [
          .unreadable("pipe", "not a regular file: named pipe"),
          .unreadable("through", "link to not a regular file: named pipe"),
        ])
    }

    @Test("A device is refused")
    func device() throws {
      let folder = try TemporaryFolder()
      try folder.addLink("device", to: "/dev/null")
      #expect(try walk(folder) == [.unreadable("device", "link to not a regular file: character device")])
    }
  }

  @Suite("Rules")
  struct Rules {
    @Test("Folders of tools are skipped and named")
    func skipped() throws {
      let folder = try folderWithTools()
      #expect(
        try walk(folder) == [
          .skipped(SkippedEntry(path: ".git", rule: .toolFolder)),
          .skipped(SkippedEntry(path: "sub/.build", rule: .toolFolder)),
        ])
    }

    @Test("With everything asked for they are walked")
    func included() throws {
      #expect(try walk(folderWithTools(), all: true) == [.file(".git/config"), .file("sub/.build/object")])
    }

    @Test("A file of that name is a file")
    func file() throws {
      let folder = try TemporaryFolder()
      try folder.addFile(".git")
      #expect(try walk(folder) == [.file(".git")])
    }

    @Test("Files of the program itself are skipped, and others of their names are not")
    func ownFiles() throws {
      let folder = try TemporaryFolder()
      try folder.addFolder("sub")
      for name in ["own", "other", "sub/own"] { try folder.addFile(name) }
      #expect(
        try walk(folder, ownFiles: ["own"]) == [
          .file("other"), .file("sub/own"), .skipped(SkippedEntry(path: "own", rule: .ownDatabase)),
        ])
    }

    private func folderWithTools() throws -> TemporaryFolder {
      let folder = try TemporaryFolder()
      try folder.addFolder(".git")
      try folder.addFolder("sub/.build")
      try folder.addFile(".git/config")
      try folder.addFile("sub/.build/object")
      return folder
    }
  }

  @Suite("Folders that go away")
  struct Vanishing {
    @Test("A root that is gone is one failed entry")
    func root() throws {
      let folder = try TemporaryFolder()
      #expect(
        try walk(folder, below: "gone") == [.unreadable(".", "folder not read: \(SystemError(number: ENOENT))")])
    }
  }
}

/// Everything that a walk meets, in an order that does not depend on the file system.
private func walk(
  _ folder: TemporaryFolder, below name: String? = nil, all: Bool = false, ownFiles: Set<EntryPath> = []
) throws -> [WalkedEntry] {
  let root = name.map { EntryPath(folder.location($0)) } ?? folder.path
  var cursor = FolderCursor(root: root, includesToolFolders: all, ownFiles: ownFiles)
  var entries: [WalkedEntry] = []
  while let entry = cursor.next() { entries.append(entry) }
  return entries.sorted { "\($0)" < "\($1)" }
}

extension WalkedEntry {
  fileprivate static func unreadable(_ path: EntryPath, _ reason: String) -> WalkedEntry {
    .unreadable(FailedEntry(path: path, reason: reason))
  }
}
