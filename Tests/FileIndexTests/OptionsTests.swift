import FileIndexCore
import Testing

@Suite("Options")
struct OptionsTests {
  @Test("Without arguments the current folder is indexed")
  func defaults() throws {
    let options = try Options([])
    #expect(options == Options())
    #expect(options.folder == ".")
    #expect(options.jobs >= 4)
  }

  @Test("Every option is understood, in any order")
  func everything() throws {
    let options = try Options(["--json", "folder", "--all", "--jobs", "7", "-h"])
    #expect(options.folder == "folder")
    #expect(options.jobs == 7)
    #expect(options.writesJSON && options.includesToolFolders && options.showsHelp)
  }

  @Test("The number of jobs may be joined to its option", arguments: [["--jobs=3"], ["-j", "3"], ["--jobs", "3"]])
  func jobs(arguments: [String]) throws {
    #expect(try Options(arguments).jobs == 3)
  }

  @Test("A database may be joined to its option", arguments: [["--database", "a.sqlite"], ["--database=a.sqlite"]])
  func database(arguments: [String]) throws {
    #expect(try Options(arguments).database == "a.sqlite")
    #expect(try Options([]).database == nil)
  }

  @Test("A trace may be joined to its option", arguments: [["--trace", "a.html"], ["--trace=a.html"]])
  func trace(arguments: [String]) throws {
    #expect(try Options(arguments).trace == "a.html")
  }

  @Test("The first argument may be watch; after it or --, or with a path, that is a folder")
  func watch() throws {
    let options = try Options(["--database", "d", "watch", "watch"])
    #expect(options.command == .watch)
    #expect(options.folder == "watch")
    #expect(try Options(["--", "watch"]).command == .index)
    #expect(try Options(["./watch"]).command == .index)
  }

  @Test("After -- a folder may look like an option")
  func endOfOptions() throws {
    #expect(try Options(["--", "--json"]).folder == "--json")
  }

  @Test(
    "Mistakes are named, with what was expected",
    arguments: [
      (
        ["--jbos", "3"],
        "unknown option '--jbos'; expected --jobs N, --json, --all, --database FILE, --trace FILE or --help"
      ),
      (["--jobs"], "expected a number after --jobs, found nothing"),
      (["--jobs", "0"], "expected a whole number from 1 to 256 after --jobs, found '0'"),
      (["--jobs=many"], "expected a whole number from 1 to 256 after --jobs, found 'many'"),
      (["--jobs", "257"], "expected a whole number from 1 to 256 after --jobs, found '257'"),
      (["a", "b"], "expected one folder, found 'a' and 'b'"),
      ([""], "expected a folder, found an empty argument"),
      (["--database"], "expected a file after --database, found nothing"),
      (["--database="], "expected a file after --database, found nothing"),
      (["--trace"], "expected a file after --trace, found nothing"),
      (["--trace="], "expected a file after --trace, found nothing"),
      (["watch", "a"], "expected --database FILE with watch: it shows what a database has"),
    ])
  func mistakes(arguments: [String], message: String) {
    let error = #expect(throws: UsageError.self) { try Options(arguments) }
    #expect(error?.description == message)
  }
}
