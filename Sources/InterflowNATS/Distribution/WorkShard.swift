import Foundation

/// The streams of one shard of a work. A job and its result are in the same one.
struct WorkShard: Sendable {
  let jobs: NATSStream<Data>
  let results: NATSStream<Data>
  /// What the subjects of jobs and of results begin with.
  private let subjects: Subjects

  private struct Subjects {
    let work: String
    /// The part for the shard. It says how many there are, so that nobody has streams in common with a process that says
    /// another number. One shard has none, as before there were shards.
    let part: String

    func jobs(_ run: String) -> String { "\(work).jobs.\(part)\(run)" }
    func results(_ run: String, _ kind: String) -> String { "\(work).results.\(part)\(run).\(kind)" }
  }

  /// What follows the name of the work in that of the stream of results.
  private static let suffixOfResults = "_RESULTS"
  /// The first shard has the names of a work without shards, so that others with another number find it.
  private static func suffix(_ number: Int) -> String { number == 1 ? "" : "_SHARD\(number)" }
  /// How long the longest suffix is.
  static let maxSuffixLength = (suffixOfResults + suffix(maxCount)).utf8.count

  static let maxCount = 64

  /// Creates the streams, or uses those of that name.
  ///
  /// - Parameters:
  ///   - number: The shard's number, from one on.
  ///   - work: The name of the work.
  init(
    _ number: Int, of work: String, _ settings: NATSWorkSettings, _ connection: NATSConnection
  ) async throws(NATSError) {
    subjects = Subjects(work: work, part: settings.shards == 1 ? "" : "\(number)of\(settings.shards).")
    jobs = try await NATSStream(
      connection, work + Self.suffix(number), subjects: [subjects.jobs("*")], settings: settings.jobs, coding: .data)
    results = try await NATSStream(
      connection, work + Self.suffixOfResults + Self.suffix(number), subjects: [subjects.results("*", "*")],
      settings: settings.results, coding: .data)
  }

  func subject(ofJobsOf run: String) -> String { subjects.jobs(run) }

  /// - Parameter kind: The kind of reply; all if it is `*`.
  func subject(ofResultsOf run: String, kind: String = "*") -> String { subjects.results(run, kind) }

  /// How many shards a work has whose first stream has a subject; `nil` where it is none of a work's.
  static func count(inSubject subject: String, of work: String) -> Int? {
    let prefix = "\(work).jobs."
    guard subject.hasPrefix(prefix) else { return nil }
    let parts = subject.dropFirst(prefix.count).split(separator: ".")
    if parts == ["*"] { return 1 }
    guard parts.count == 2, parts[1] == "*", let range = parts[0].firstRange(of: "of") else { return nil }
    return Int(parts[0][range.upperBound...])
  }
}

extension JobID {
  /// The shard of a job, which is the same in all processes and versions: the FNV-1a hash of its identifier, with its bits
  /// mixed, as identifiers differ in the last few characters.
  func shard(of count: Int) -> Int {
    if count == 1 { return 0 }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
    return Int((hash ^ hash >> 33) % UInt64(count))
  }
}
