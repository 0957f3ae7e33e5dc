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

  @Test("Sorted by bytes")
  func order() {
    #expect(["b", "a/c", "a"].map { EntryPath($0) }.sorted() == ["a", "a/c", "b"])
  }
}
