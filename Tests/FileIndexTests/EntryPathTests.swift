import FileIndexCore
import Testing

@Suite("Entry path")
struct EntryPathTests {
  @Test("Appending puts one slash between")
  func appending() {
    #expect(EntryPath("a").appending("b") == "a/b")
    #expect(EntryPath("a/").appending("b") == "a/b")
    #expect(EntryPath("/").appending("b") == "/b")
    #expect(EntryPath.here.appending("b") == "b")
  }

  @Test(
    "The extension is what follows the last dot of the name, in lower case",
    arguments: [
      ("a.swift", "swift"), ("x/README.MD", "md"), ("a.tar.gz", "gz"), ("Makefile", ""), (".gitignore", ""),
      ("dir.d/file", ""), ("dir.d/.hidden", ""), ("trailing.", ""), ("", ""),
    ])
  func fileExtension(path: String, expected: String) {
    #expect(EntryPath(path).fileExtension == expected)
  }

  @Test("A description keeps to one line")
  func description() {
    #expect(EntryPath("a\nb\u{1B}c").description == "a\\nb\\u{1B}c")
    #expect(EntryPath("grün 文").description == "grün 文")
  }

  @Test("Relative to a folder that it is below, and to no other")
  func relative() {
    #expect(EntryPath("/a/b/c").relative(to: "/a") == "b/c")
    #expect(EntryPath("/a/b").relative(to: "/") == "a/b")
    #expect(EntryPath("/ab/c").relative(to: "/a") == nil)
    #expect(EntryPath("/a").relative(to: "/a") == nil)
  }

  @Test("Resolved, a link is what it leads to, and what does not exist is nothing")
  func resolved() throws {
    let folder = try TemporaryFolder()
    try folder.addFolder("sub")
    try folder.addLink("link", to: "sub")
    #expect(EntryPath(folder.location("link")).resolved == EntryPath(folder.location("sub")).resolved)
    #expect(EntryPath(folder.location("sub/..")).resolved == folder.path.resolved)
    #expect(EntryPath(folder.location("gone")).resolved == nil)
  }

  @Test("Sorted by bytes")
  func order() {
    #expect(["b", "a/c", "a"].map { EntryPath($0) }.sorted() == ["a", "a/c", "b"])
  }
}
