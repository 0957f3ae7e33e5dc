/// Looks up in one shard what has not been delivered to a run: results, and jobs that have gone without one.
///
/// The run is not retained while it waits for a server. What fails is tried again with the next lookup.
struct ShardLookup<Input: Sendable, Output: Sendable> {
  /// Limits of one lookup, which comes before those of results that were stored meanwhile.
  private static var maxJobCount: Int { 100 }
  private static var maxByteCount: Int { 1 << 20 }

  private let work: NATSWork<Input, Output>
  private let shard: WorkShard
  private let index: Int
  /// `nil` when it has been released.
  private let run: @Sendable () -> DistributedRun<Input, Output>?

  init(
    _ work: NATSWork<Input, Output>, _ shard: WorkShard, _ index: Int,
    run: @escaping @Sendable () -> DistributedRun<Input, Output>?
  ) {
    self.work = work
    self.shard = shard
    self.index = index
    self.run = run
  }

  func lookUp() async {
    guard let (name, last) = run().map({ ($0.name, $0.lastStored(in: index)) }) else { return }
    do throws(NATSError) {
      // What has been stored since the lookup before may be delivered still.
      let tookAll = try await work.takeStoredResults(ofRun: name, in: shard, upTo: last) { message in
        guard let run = run() else { return false }
        run.received(message.bytes, id: message.headers["Nats-Msg-Id"], subject: message.subject)
        return true
      }
      let (present, gone) = await lookForJobs(of: name)
      if tookAll { run()?.endLost(gone) }
      // After the jobs: a result is stored before its job is removed, so it is not a later one than the last.
      let state = try await shard.results.state()
      run()?.lookedUp(index, lastStored: state.lastSequence, present: present, gone: gone)
    } catch {}
  }

  /// Looks for jobs until a request fails: another one would wait for as long.
  ///
  /// - Returns: The numbers of jobs that are stored, and of those that are not.
  private func lookForJobs(of name: String) async -> (present: [Int], gone: [Int]) {
    var (present, gone): ([Int], [Int]) = ([], [])
    var byteCount = 0
    for job in run()?.jobsToLookFor(in: index, atMost: Self.maxJobCount) ?? [] where byteCount <= Self.maxByteCount {
      guard let run = run() else { break }
      // Its result may have come meanwhile.
      guard run.isWaiting(job.number) else { continue }
      do throws(NATSError) {
        let stored = try await work.storedJob(JobID(run: name, number: job.number), at: job.sequence)
        if stored == nil { gone.append(job.number) } else { present.append(job.number) }
        byteCount += stored?.bytes.count ?? 0
      } catch {
        break
      }
    }
    return (present, gone)
  }
}

extension DistributedRun {
  fileprivate func lastStored(in shard: Int) -> UInt64 {
    lock.lock()
    defer { lock.unlock() }
    return lastStored[shard]
  }

  fileprivate func jobsToLookFor(in shard: Int, atMost limit: Int) -> [(number: Int, sequence: UInt64)] {
    lock.lock()
    defer { lock.unlock() }
    return table.jobsToLookFor(in: shard, atMost: limit)
  }

  fileprivate func isWaiting(_ number: Int) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return table.isWaiting(number)
  }

  fileprivate func lookedUp(_ shard: Int, lastStored last: UInt64, present: [Int], gone: [Int]) {
    lock.lock()
    lastStored[shard] = last
    table.lookedFor(present, areGone: false)
    table.lookedFor(gone, areGone: true)
    lock.unlock()
  }
}
