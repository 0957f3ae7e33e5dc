/// How a rule is put to the test. A rule may have several checks.
struct Check: Sendable {
  typealias Rule = PublisherVerification.Rule
  typealias Script = @Sendable (Trial) throws -> Void

  /// The publisher that a check is made with.
  enum Source {
    /// One of as many values as the user says.
    case some
    /// One of at most so many values.
    case number(Int)
    /// One of many values.
    case many
    /// One that fails.
    case failing
  }

  /// What is done with several threads.
  enum Crowd: Sendable {
    /// Each thread does what one thread does alone, all with the same publisher.
    case same
    /// Something of its own.
    case script(Script)
  }

  let rule: Rule
  let source: Source
  /// How many values it takes for the check to see anything.
  let fewest: Int
  let takesCompletion: Bool
  /// Whether the check sends values one by one.
  let takesSend: Bool
  /// Whether one round with several threads shows all that there is to see.
  let isSeenAtOnce: Bool
  let alone: Script?
  let crowd: Crowd

  init(
    _ rule: Rule, source: Source = .some, fewest: Int = 1, takesCompletion: Bool = false,
    takesSend: Bool = false, isSeenAtOnce: Bool = false, crowd: Crowd = .same, alone: Script?
  ) {
    self.rule = rule
    self.source = source
    self.fewest = fewest
    self.takesCompletion = takesCompletion
    self.takesSend = takesSend
    self.isSeenAtOnce = isSeenAtOnce
    self.alone = alone
    self.crowd = crowd
  }

  /// The first is what the others rest upon: that anything is delivered at all.
  static let all = signals + demand + cancellation + release + callOuts + sending
}
