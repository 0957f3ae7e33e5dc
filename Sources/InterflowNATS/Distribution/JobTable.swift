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

  private var phase = Phase.idle
  private var waiting: [Int: Waiter] = [:]
  private var last = 0
  /// The last number when the jobs were last looked at.
  private var lastSeen = 0

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
    waiting[last] = waiter
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

  /// Whether a job has waited since before the last call of this, so that its result may have been lost. To be called at
  /// intervals.
  mutating func needsLookup() -> Bool {
    let isOld = waiting.keys.contains { $0 <= lastSeen }
    lastSeen = last
    return isOld
  }

  /// - Returns: What waits for the job's result; `nil` if it has come before, or is not wanted any more.
  mutating func received(_ number: Int) -> Waiter? {
    waiting.removeValue(forKey: number)
  }

  mutating func forget(_ number: Int) -> Waiter? {
    waiting.removeValue(forKey: number)
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
    let all = Array(waiting.values)
    waiting = [:]
    return all
  }
}
