import FileIndexCore
import Foundation

/// The options of the command line.
struct ClusterOptions: Sendable {
  enum Role: Equatable, Sendable {
    case coordinator
    /// - Parameter attached: Whether it ends with its standard input.
    case worker(attached: Bool)
  }

  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  var role = Role.coordinator
  var urls = ["nats://127.0.0.1:4222"]
  var name = "FILE_INDEX"
  var workers = 4
  var jobs = 2
  var replicas = 1
  var includesToolFolders = false
  var half: String?
  /// The page of HTML that a coordinator writes.
  var trace: String?
  /// The file in which a worker keeps its recording.
  var recording: String?
  var showsHelp = false
  var folder = "."

  init(_ arguments: some Sequence<String>) throws(Problem) {
    var folders: [String] = []
    var rest = arguments.makeIterator()
    func value(of option: String) throws(Problem) -> String {
      guard let value = rest.next(), !value.isEmpty else {
        throw Problem(description: "expected a value after \(option), found nothing")
      }
      return value
    }
    func number(of option: String, in range: ClosedRange<Int>) throws(Problem) -> Int {
      let text = try value(of: option)
      guard let number = Int(text), range.contains(number) else {
        throw Problem(
          description: "expected a whole number from \(range.lowerBound) to \(range.upperBound) after \(option), "
            + "found '\(text)'")
      }
      return number
    }
    while let argument = rest.next() {
      switch argument {
      case "--help", "-h": showsHelp = true
      case "--nats": urls = try value(of: argument).split(separator: ",").map(String.init)
      case "--name": name = try value(of: argument)
      case "--workers": workers = try number(of: argument, in: 0...64)
      case "--jobs": jobs = try number(of: argument, in: Options.jobsRange)
      case "--replicas": replicas = try number(of: argument, in: 1...5)
      case "--all": includesToolFolders = true
      case "--when-half": half = try value(of: argument)
      case "--trace": trace = try value(of: argument)
      case _ where argument.hasPrefix("--trace=") && argument.count > 8: trace = String(argument.dropFirst(8))
      case "--recording": recording = try value(of: argument)
      case "--attached": role = .worker(attached: true)
      case "worker" where folders.isEmpty && role == .coordinator: role = .worker(attached: false)
      case _ where argument.hasPrefix("-"): throw Problem(description: "unknown option '\(argument)'")
      default: folders.append(argument)
      }
    }
    if folders.count > 1 { throw Problem(description: "expected one folder, found \(folders.count)") }
    folder = folders.first ?? "."
  }

  /// The arguments of a worker that belongs to a coordinator with these options.
  ///
  /// - Parameter recording: Where it keeps its recording; nil for nowhere.
  func workerArguments(recording: String?) -> [String] {
    (recording.map { ["--recording", $0] } ?? []) + [
      "worker", "--attached", "--nats", urls.joined(separator: ","), "--name", name, "--jobs", "\(jobs)",
      "--replicas", "\(replicas)", folder,
    ]
  }

  static let help = """
    Usage: file-index-cluster [--workers N] [--nats URL] [--jobs N] [--all] [FOLDER]
           file-index-cluster worker [--nats URL] [--jobs N] [FOLDER]

    Does what file-index does, but other processes read the files: it walks FOLDER, hands
    the files to workers over NATS, and reports what they have found. The second form is
    one more worker, perhaps on another machine that has the same FOLDER.

      --workers N        start N workers of its own, by default 4
      --nats URL,URL...  the servers, by default nats://127.0.0.1:4222
      --name NAME        the work that coordinator and workers share, by default FILE_INDEX
      --jobs N           how many files a worker reads at a time, by default 2
      --replicas N       how many servers of the cluster hold each job and each result
      --all              enter .git and .build too, which are otherwise left out
      --when-half TEXT   run TEXT with sh when half of the files are indexed; WORKERS has the
                         process identifiers of the workers, the one that has read most first, and
                         LEADER the name of the server that leads the jobs
      --trace FILE       write a page of HTML that shows what coordinator and workers have done,
                         and which message went where
      --help, -h         print this

    The exit status is that of file-index.
    """
}
