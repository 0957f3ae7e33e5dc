/// Asks the server that leads a bucket about keys that a watch has not found, since a server that has fallen behind may not
/// have them yet: one key after the other, since there may be many.
///
/// `@unchecked Sendable`: only the watch's queue uses the variables.
final class Confirmation: @unchecked Sendable {
  /// After so many requests in a row that no server has answered, nothing is asked before the watch begins again.
  private static let mostFailures = 20

  private let bucket: Bucket
  private let prefix: String
  private let revision: @Sendable (String) -> UInt64
  private let missing: @Sendable (String, UInt64) -> Void

  private var keys: [String] = []
  /// How often keys have been given.
  private var round = 0
  private var isAsking = false
  private var failures = 0

  /// - Parameters:
  ///   - prefix: What the keys begin with in the bucket.
  ///   - revision: Gives the last revision of a key that is known.
  ///   - missing: Called on the watch's queue with a key that has no revision, and with the one that was known before the
  ///     server was asked.
  init(
    _ bucket: Bucket, prefix: String = "", revision: @escaping @Sendable (String) -> UInt64,
    missing: @escaping @Sendable (String, UInt64) -> Void
  ) {
    self.bucket = bucket
    self.prefix = prefix
    self.revision = revision
    self.missing = missing
  }

  /// Asks about these keys, and about no others any more.
  func ask(_ keys: [String], _ watch: BucketWatch) {
    self.keys = keys
    round += 1
    failures = 0
    askNext(watch)
  }

  /// Asks about nothing any more.
  func end() {
    keys = []
    round += 1
  }

  private func askNext(_ watch: BucketWatch) {
    guard !isAsking, let key = keys.popLast() else { return }
    isAsking = true
    let (revision, round) = (revision(key), round)
    Task { [bucket, prefix, weak watch] in
      let isMissing = await bucket.isMissing(prefix + key)
      guard let queue = watch?.queue else { return }
      let goOn: @Sendable () -> Void = { [weak watch] in
        if let watch { self.answered(isMissing, key, revision, round, watch) }
      }
      // Without an answer, servers are given time, as for an election.
      if isMissing == nil { queue.async(after: BucketWatch.pause, goOn) } else { queue.async(goOn) }
    }
  }

  private func answered(_ isMissing: Bool?, _ key: String, _ revision: UInt64, _ round: Int, _ watch: BucketWatch) {
    isAsking = false
    if let isMissing {
      failures = 0
      if isMissing { missing(key, revision) }
    } else if round == self.round {
      failures += 1
      // Behind the others, which may be answered.
      keys = failures < Self.mostFailures ? [key] + keys : []
    }
    askNext(watch)
  }
}
