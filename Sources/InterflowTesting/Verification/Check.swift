/// A check of a rule. A rule may have several checks.
struct Check: Sendable {
  typealias Rule = PublisherVerification.Rule
  typealias Script = @Sendable (Trial) throws -> Void

  /// The publisher that a check is made with.
  enum Source {
    /// One with the number of values that the user has set.
    case some
    /// One with at most this many values.
    case number(Int)
    /// One with many values.
    case many
    /// One that fails.
    case failing
  }

  /// How the check runs with several threads.
  enum ThreadedRun: Sendable {
    /// Each thread runs the script for one thread, all with the same publisher.
    case same
    /// A separate script.
    case script(Script)
    /// Not at all.
    case never
  }

  let rule: Rule
  let source: Source
  /// How many values the check needs.
  let minimumCount: Int
  let needsCompletion: Bool
  /// Whether the check sends values one by one.
  let needsSend: Bool
  /// Whether one round with several threads is enough.
  let needsOneRound: Bool
  let withOneThread: Script?
  let withSeveralThreads: ThreadedRun

  init(
    _ rule: Rule, source: Source = .some, minimumCount: Int = 1, needsCompletion: Bool = false,
    needsSend: Bool = false, needsOneRound: Bool = false,
    withSeveralThreads: ThreadedRun = .same, withOneThread: Script?
  ) {
    self.rule = rule
    self.source = source
    self.minimumCount = minimumCount
    self.needsCompletion = needsCompletion
    self.needsSend = needsSend
    self.needsOneRound = needsOneRound
    self.withOneThread = withOneThread
    self.withSeveralThreads = withSeveralThreads
  }

  /// The checks of all rules.
  static let all = signals + demand + cancellation + release + callOuts + sending

  /// The rules whose checks show, with calls one after the other, whether a publisher is safe with several threads.
  ///
  /// One that breaks any of them has no lock, or not where it needs one: two threads at once might corrupt memory, or wait
  /// for each other.
  static let rulesOfSafety: [Rule] = [
    .signalsAreSerial, .requestDuringASignal, .cancelDuringASignal, .callsDuringRelease,
  ]

  /// All checks: first whether everything is delivered, then those of safety.
  static let inOrder =
    all.filter { $0.rule == .everythingIsDelivered } + all.filter { rulesOfSafety.contains($0.rule) }
    + all.filter { $0.rule != .everythingIsDelivered && !rulesOfSafety.contains($0.rule) }
}
