import Foundation

/// The options of the command line.
package struct Options: Equatable, Sendable {
  /// How many files may be read at a time.
  package static let jobsRange = 1...256

  package enum Command: Equatable, Sendable {
    case index
    case watch
  }

  package var command = Command.index
  package var folder = EntryPath(".")
  /// Two for each core: while one read waits for the disk, another can use the core.
  package var jobs = min(max(ProcessInfo.processInfo.activeProcessorCount * 2, 4), jobsRange.upperBound)
  /// The file of the database.
  package var database: String?
  /// The file of a page that shows what the pipelines have done.
  package var trace: String?
  package var writesJSON = false
  package var includesToolFolders = false
  package var showsHelp = false

  package init() {}

  /// Parses the arguments that follow the program's name.
  package init(_ arguments: some Sequence<String>) throws(UsageError) {
    var folder: String?
    var takesOptions = true
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      guard takesOptions, argument.hasPrefix("-"), argument != "-" else {
        if argument == "watch", takesOptions, folder == nil, command == .index {
          command = .watch
          continue
        }
        if let folder { throw .severalFolders(folder, argument) }
        folder = argument
        continue
      }
      switch argument {
      case "--": takesOptions = false
      case "--help", "-h": showsHelp = true
      case "--json": writesJSON = true
      case "--all": includesToolFolders = true
      case "--database": database = try Self.database(rest.next())
      case _ where argument.hasPrefix("--database="):
        database = try Self.database(String(argument.dropFirst("--database=".count)))
      case "--trace": trace = try Self.trace(rest.next())
      case _ where argument.hasPrefix("--trace="):
        trace = try Self.trace(String(argument.dropFirst("--trace=".count)))
      case "--jobs", "-j": jobs = try Self.jobs(rest.next())
      case _ where argument.hasPrefix("--jobs="): jobs = try Self.jobs(String(argument.dropFirst("--jobs=".count)))
      default: throw .unknownOption(argument)
      }
    }
    if let folder {
      if folder.isEmpty { throw .emptyFolder }
      self.folder = EntryPath(folder)
    }
    if command == .watch, database == nil, !showsHelp { throw .watchWithoutDatabase }
  }

  private static func database(_ text: String?) throws(UsageError) -> String {
    guard let text, !text.isEmpty else { throw .databaseMissing }
    return text
  }

  private static func trace(_ text: String?) throws(UsageError) -> String {
    guard let text, !text.isEmpty else { throw .traceMissing }
    return text
  }

  private static func jobs(_ text: String?) throws(UsageError) -> Int {
    guard let text else { throw .jobsMissing }
    guard let jobs = Int(text), jobsRange.contains(jobs) else { throw .jobsInvalid(text) }
    return jobs
  }

  /// The output of `--help`.
  package static let help = """
    Usage: file-index [--jobs N] [--json] [--all] [--database FILE] [--trace FILE]
                      [FOLDER]
           file-index watch --database FILE [--json] [FOLDER]

    Reads every file of FOLDER (by default the current folder) and reports the largest
    files, totals by extension, and what could not be read. With watch, reports what the
    database has of FOLDER, and again whenever a run stores something, until Ctrl-C.
    A folder of that name is given as ./watch.

      --jobs N, -j N   read up to N files at a time, from \(jobsRange.lowerBound) to \(jobsRange.upperBound); by default two
                       for each core, and at least four
      --json           write the report as JSON
      --all            enter .git and .build too, which are otherwise left out
      --database FILE  keep the results in an SQLite database, and read only files that have
                       changed since the run before: whose size, times or inode differ, or
                       that had changed within two seconds before they were read
      --trace FILE     write a page of HTML that shows what the pipelines have done: the files
                       that were walked, the results, and the statements of the database
      --help, -h       print this

    The columns can be checked with the standard tools: bytes with 'wc -c', lines with
    'wc -l', cksum with 'cksum'. Links to files are read; links to folders are not
    followed. Pipes, sockets, devices and broken links count as failed. The report goes
    to standard output, progress and errors to standard error.

    Exit status:
      0    indexed; files that failed are named in the report. Or watched until Ctrl-C
      1    files walked are not files indexed + files failed, or the report could not
           be written (a reader that closes the pipe early is no error)
      2    the command line makes no sense
      3    FOLDER does not exist, is not a folder or cannot be read
      4    the database cannot be used
      130  interrupted with Ctrl-C; the report covers what was read until then
    """
}
