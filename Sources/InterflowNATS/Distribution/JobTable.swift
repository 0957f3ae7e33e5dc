/// A job of a run that a server has stored.
struct StoredJob {
  let number: Int
  /// Its number in the stream of jobs of its shard.
  let sequence: UInt64
}

/// The jobs of one run whose results have not come. This is a state machine, without threads.
struct JobTable<Waiter> {
  private enum Phase {
    /// No job has been admitted.
    case idle
    /// The first job has been admitted, and its caller prepares to receive results.
    case preparing
    case receiving
    /// No result can come any more.
    case failed(any Error)
    case over
  }

  enum Admission {
    /// - Parameter first: Whether the caller has to prepare to receive results.
    case admitted(number: Int, first: Bool)
    case refused(any Error)
  }

  private struct Job {
    let waiter: Waiter
    /// How often results had been looked up when it was admitted.
    let admission: Int
    /// Where it is in the streams of jobs; `nil` until a server has said that it has stored the job.
    var place: (shard: Int, sequence: UInt64)?
    /// The lookup with which it is looked for next.
    var nextLook: Int
    /// Whether it was no longer in the stream of jobs when it was last looked for there.
    var isGone = false

    init(_ waiter: Waiter, admission: Int) {
      self.waiter = waiter
      self.admission = admission
      nextLook = admission + 2
    }
  }

  /// How many lookups pass at most until a job is looked for again.
  private static var maxPause: Int { 12 }

  private var phase = Phase.idle
  private var waiting: [Int: Job] = [:]
  private var last = 0
  /// How often results have been looked up.
  private(set) var lookups = 0

  /// How many jobs wait for their results.
  var count: Int { waiting.count }

  mutating func admit(_ waiter: Waiter) -> Admission {
    var first = false
    switch phase {
    case .idle:
      phase = .preparing
      first = true
    case .preparing, .receiving: break
    case .failed(let error): return .refused(error)
    case .over: return .refused(CancellationError())
    }
    last += 1
    waiting[last] = Job(waiter, admission: lookups)
    return .admitted(number: last, first: first)
  }

  /// - Returns: Whether results are still wanted.
  mutating func prepared() -> Bool {
    switch phase {
    case .preparing:
      phase = .receiving
      return true
    case .idle, .receiving, .failed: return true
    case .over: return false
    }
  }

  /// A server has stored a job.
  mutating func stored(_ number: Int, in shard: Int, at sequence: UInt64) {
    waiting[number]?.place = (shard, sequence)
  }

  /// Counts a lookup. To be called at intervals.
  ///
  /// - Returns: Whether a job has waited since before the last call of this, so that its result may have been lost.
  mutating func beginLookup() -> Bool {
    lookups += 1
    return waiting.values.contains { lookups - $0.admission > 1 }
  }

  /// The stored jobs that are to be looked for, in each shard: those that have gone first, and then those for which it has
  /// been time for longest. The longer one waits, the more seldom it is looked for, so that jobs that take their time cost a
  /// request now and then.
  ///
  /// - Parameters:
  ///   - count: How many shards there are.
  ///   - limit: How many jobs of each at most.
  func jobsToLookFor(inEachOf count: Int, atMost limit: Int) -> [[StoredJob]] {
    var due: [[(job: StoredJob, order: Int)]] = Array(repeating: [], count: count)
    for (number, job) in waiting where job.nextLook <= lookups {
      guard let place = job.place else { continue }
      due[place.shard].append((StoredJob(number: number, sequence: place.sequence), job.isGone ? -1 : job.nextLook))
    }
    return due.map { jobs in jobs.sorted { $0.order < $1.order }.prefix(limit).map(\.job) }
  }

  func isWaiting(_ number: Int) -> Bool { waiting[number] != nil }

  /// Jobs were in the stream of jobs, or were not: then a worker has stored the result of each, unless it was lost.
  mutating func lookedFor(_ numbers: [Int], areGone: Bool) {
    for number in numbers {
      guard var job = waiting[number] else { continue }
      job.isGone = areGone
      // After as long again as it has waited.
      job.nextLook = lookups + (areGone ? 1 : min(max(1, lookups - job.admission - 1), Self.maxPause))
      waiting[number] = job
    }
  }

  /// Jobs that had gone when they were last looked for, and are still, though all results have been passed on that were
  /// stored then: nobody does them.
  ///
  /// - Parameter gone: Those that are not in the stream of jobs.
  /// - Returns: What waits for them.
  mutating func takeLost(_ gone: [Int]) -> [Waiter] {
    gone.filter { waiting[$0]?.isGone == true }.compactMap { waiting.removeValue(forKey: $0)?.waiter }
  }

  /// - Returns: What waits for the job's result; `nil` if it has come before, or is not wanted any more.
  mutating func received(_ number: Int) -> Waiter? {
    waiting.removeValue(forKey: number)?.waiter
  }

  mutating func forget(_ number: Int) -> Waiter? {
    waiting.removeValue(forKey: number)?.waiter
  }

  /// No result can come any more.
  ///
  /// - Returns: Those that wait.
  mutating func failed(_ error: any Error) -> [Waiter] {
    switch phase {
    case .idle, .preparing, .receiving: phase = .failed(error)
    case .failed, .over: return []
    }
    return takeAll()
  }

  /// Results are not wanted any more.
  ///
  /// - Returns: Those that wait.
  mutating func end() -> [Waiter] {
    phase = .over
    return takeAll()
  }

  private mutating func takeAll() -> [Waiter] {
    let all = waiting.values.map(\.waiter)
    waiting = [:]
    return all
  }
}
