import InterflowPrimitives

/// One run of a check: its scripts together on one publisher, each on a thread of its own.
///
/// The threads make the publisher and clean up, too: everything of the user's that might not return.
final class CheckRun: @unchecked Sendable {  // `lock` guards all variables.
  private let check: Check
  private let setting: String
  private let scripts: [Check.Script]
  private let round: Int
  private let options: PublisherVerification.Options
  private let count: Int
  private let make: @Sendable () -> PublisherUnderTest
  private let threads: TrialThreads
  private let findings: Findings
  private let rendezvous: Rendezvous
  private let lock = Lock()
  private var publisher: PublisherUnderTest?
  private var trials: [Trial] = []

  init(
    _ check: Check, setting: String, scripts: [Check.Script], round: Int, options: PublisherVerification.Options,
    count: Int, make: @escaping @Sendable () -> PublisherUnderTest, threads: TrialThreads, findings: Findings
  ) {
    self.check = check
    self.setting = setting
    self.scripts = scripts
    self.round = round
    self.options = options
    self.count = count
    self.make = make
    self.threads = threads
    self.findings = findings
    rendezvous = Rendezvous(scripts.count)
  }

  /// Runs the script of a thread, and returns when all have.
  func run(_ index: Int) {
    if rendezvous.arrive() {
      let publisher = make()
      withLock { self.publisher = publisher }
      rendezvous.proceed()
    }
    guard let publisher = withLock({ publisher }) else { return }
    let trial = Trial(
      check, setting: setting, publisher: publisher, count: count, round: round, options: options, fresh: make,
      rendezvous: scripts.count > 1 ? rendezvous : nil, threads: threads, findings: findings)
    withLock { trials.append(trial) }
    try? scripts[index](trial)
    // A cancellation might disturb a script that still runs.
    guard rendezvous.leave() else { return }
    for trial in withLock({ trials.take() }) { trial.cleanUp() }
    // Its `deinit` may not return, and the thread that waits for this one has no time limit.
    releaseOutsideLock(withLock { self.publisher.take() })
  }

  /// What the subscriber saw that was made last.
  var signals: [String] { withLock({ trials.last })?.signals ?? [] }

  private func withLock<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }
}

extension Array {
  /// Removes all elements, and returns them.
  fileprivate mutating func take() -> [Element] {
    defer { self = [] }
    return self
  }
}
