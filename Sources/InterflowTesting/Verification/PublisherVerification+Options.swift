extension PublisherVerification {
  /// The properties of the publisher under test, and the extent of the checks.
  public struct Options: Sendable {
    /// What the publisher does with values for which there is no demand.
    public enum Surplus: Sendable {
      /// They are buffered, or not produced, until they are requested.
      case waits
      /// They are dropped, as in a subject.
      case isDropped
    }

    /// The most values that the publisher can deliver, such as 1 for a `Future`; `nil` for any number.
    ///
    /// A rule whose check needs more values is not applicable.
    public var maximum: Int?

    /// Whether the publisher completes after its values. If not, the checks wait only for its values.
    public var completes: Bool

    /// What the publisher does with values for which there is no demand.
    public var surplus: Surplus

    /// How many values the check of recursive requests uses.
    public var manyElements: Int

    /// How many threads a check with several threads uses, ten at most; if fewer than two, there are no such checks.
    public var threads: Int

    /// How often each check with several threads is repeated.
    public var rounds: Int

    /// How long a check waits, by default ten seconds, before a signal counts as lost, or a call as one that does not
    /// return.
    ///
    /// Once something was lost, the others wait two seconds at most, or four times as long as the longest wait so far
    /// that was answered.
    public var deadline: Duration

    /// The rules that are checked.
    public var rules: Set<Rule>

    /// The rules that do not apply to the publisher, and why.
    public private(set) var exemptions: [Rule: String] = [:]

    /// Options for a publisher of any number of values that produces them on request, and completes.
    public init(
      maximum: Int? = nil, completes: Bool = true, surplus: Surplus = .waits, manyElements: Int = 2_000,
      threads: Int = 4, rounds: Int = 10, deadline: Duration = .seconds(10), rules: Set<Rule> = Set(Rule.allCases)
    ) {
      self.maximum = maximum
      self.completes = completes
      self.surplus = surplus
      self.manyElements = manyElements
      self.threads = threads
      self.rounds = rounds
      self.deadline = deadline
      self.rules = rules
    }

    /// The same options without a rule that does not apply to the publisher.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - reason: Why it does not apply, for the report.
    public func exempting(_ rule: Rule, because reason: String) -> Options {
      var options = self
      options.exemptions[rule] = reason
      return options
    }
  }
}
