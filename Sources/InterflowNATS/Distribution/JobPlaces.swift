/// The free places of one worker, and for which shards' jobs they wait. This is a state machine, without threads.
///
/// A place waits for a job of one shard. Where that shard has none, the place moves on to another one, so that a worker with
/// fewer places than there are shards gets jobs of all of them, and never more jobs than it has places. It comes back to a
/// shard that had none after so many jobs of others, of which it takes more where that shard has none again.
struct JobPlaces {
  /// Jobs of one shard to request.
  struct Request: Equatable {
    let shard: Int
    let count: Int
    /// Whether to wait for jobs. Otherwise, the shard may have some, and where it has none, others may.
    let waits: Bool
  }

  private struct Shard {
    /// How many places wait for its jobs.
    var requested = 0
    /// How many jobs of others come before it is looked at again, since it had none.
    var skips = 0
    /// How many that will be where it has none again.
    var nextSkips = 0
  }

  /// At most so many jobs of others come first, for each shard. A look at a shard without jobs takes milliseconds.
  private static let maxSkips = 8

  /// More are as good as no limit, and each takes its time where they are spread.
  private static let maxCount = 65_536

  private var shards: [Shard]
  private var free: Int
  /// Where to go on, so that each shard has its turn.
  private var next: Int

  /// - Parameter first: The shard with which to begin: workers begin with different ones.
  init(_ count: Int, shards: Int, first: Int) {
    free = min(count, Self.maxCount)
    self.shards = Array(repeating: Shard(), count: shards)
    next = first % shards
  }

  /// Requests jobs for all free places: of each shard that may have some and from which nothing has been requested, and
  /// otherwise of those from which the least has been.
  mutating func takeRequests() -> [Request] {
    if shards.count == 1 {
      guard free > 0 else { return [] }
      defer { free = 0 }
      shards[0].requested += free
      return [Request(shard: 0, count: free, waits: true)]
    }
    var counts: [Int: (count: Int, waits: Bool)] = [:]
    let candidates = order.filter { shards[$0].requested == 0 && shards[$0].skips == 0 }
    for (index, shard) in candidates.enumerated() where free > 0 {
      // Evenly, and what cannot be divided to the first ones.
      let count = (free + candidates.count - index - 1) / (candidates.count - index)
      counts[shard] = (count, false)
      request(count, of: shard)
    }
    while free > 0, let shard = order.min(by: { shards[$0].requested < shards[$1].requested }) {
      counts[shard, default: (0, true)].count += 1
      request(1, of: shard)
    }
    return counts.sorted { $0.key < $1.key }.map {
      Request(shard: $0.key, count: $0.value.count, waits: $0.value.waits)
    }
  }

  private var order: [Int] { (0..<shards.count).map { (next + $0) % shards.count } }

  private mutating func request(_ count: Int, of shard: Int) {
    shards[shard].requested += count
    free -= count
    next = (shard + 1) % shards.count
  }

  /// A job has arrived. One that was not waited for any more takes a place, too.
  mutating func received(from shard: Int) {
    for index in shards.indices where shards[index].skips > 0 { shards[index].skips -= 1 }
    (shards[shard].skips, shards[shard].nextSkips) = (0, 0)
    if shards[shard].requested > 0 { shards[shard].requested -= 1 } else { free -= 1 }
  }

  /// A shard has had no jobs for so many places.
  ///
  /// - Parameter hasWaited: Whether it was given time, in which others may have got some.
  mutating func ended(_ count: Int, from shard: Int, hasWaited: Bool) {
    refused(count, from: shard)
    if hasWaited { for index in shards.indices { shards[index].skips = 0 } }
    let skips = max(2 * shards.count, shards[shard].nextSkips)
    shards[shard].skips = skips
    shards[shard].nextSkips = min(2 * skips, Self.maxSkips * shards.count)
  }

  /// A shard has not served a request for so many places, and may have jobs.
  mutating func refused(_ count: Int, from shard: Int) {
    let count = min(count, shards[shard].requested)
    shards[shard].requested -= count
    free += count
  }

  /// A job has been answered, or given back.
  mutating func finished() {
    free += 1
  }
}
