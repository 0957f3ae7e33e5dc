/// Looks up in one shard what has not been delivered to a run: results, and jobs that have gone without one.
///
/// The run is not retained while it waits for a server. What fails is tried again with the next lookup.
struct ShardLookup<Input: Sendable, Output: Sendable> {
  private let work: NATSWork<Input, Output>
  private let index: Int
  private let jobs: [StoredJob]
  /// `nil` when it has been released.
  private let run: @Sendable () -> DistributedRun<Input, Output>?

  init(
    _ work: NATSWork<Input, Output>, _ index: Int, _ jobs: [StoredJob],
    run: @escaping @Sendable () -> DistributedRun<Input, Output>?
  ) {
    self.work = work
    self.index = index
    self.jobs = jobs
    self.run = run
  }

  func lookUp() async {
    guard let (name, last) = run().map({ ($0.name, $0.lastStored(in: index)) }) else { return }
    do throws(NATSError) {
      let shard = work.shards[index]
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
    } catch {
      run()?.lookupFailed(in: index)
    }
  }

  /// Looks for jobs until a request fails: another one would wait for as long.
  ///
  /// - Returns: The numbers of jobs that are stored, and of those that are not.
  private func lookForJobs(of name: String) async -> (present: [Int], gone: [Int]) {
    var (present, gone): ([Int], [Int]) = ([], [])
    var byteCount = 0
    for job in jobs where byteCount < ShardLookupState.maxByteCount {
      // Its result may have come meanwhile.
      guard run()?.isWaiting(job.number) == true else { continue }
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

/// What a run keeps of the lookups in one shard.
struct ShardLookupState {
  /// For how many jobs one lookup asks at most, whose answers have the jobs' bytes.
  static var maxJobCount: Int { 100 }
  /// How many bytes of answers are enough for one lookup.
  static var maxByteCount: Int { 8 << 20 }

  /// The number of the last result of any run when results were last looked up.
  var lastStored: UInt64 = 0
  var isRunning = false
}

extension DistributedRun {
  fileprivate func lastStored(in shard: Int) -> UInt64 {
    lock.lock()
    defer { lock.unlock() }
    return lookups[shard].lastStored
  }

  fileprivate func isWaiting(_ number: Int) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return table.isWaiting(number)
  }

  fileprivate func lookedUp(_ shard: Int, lastStored last: UInt64, present: [Int], gone: [Int]) {
    lock.lock()
    lookups[shard] = ShardLookupState(lastStored: last)
    table.lookedFor(present, areGone: false)
    table.lookedFor(gone, areGone: true)
    lock.unlock()
  }

  fileprivate func lookupFailed(in shard: Int) {
    lock.lock()
    lookups[shard].isRunning = false
    lock.unlock()
  }
}
