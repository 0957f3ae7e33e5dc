extension PublisherVerification {
  /// What is known of the publisher under test, and how much is to be done.
  public struct Options: Sendable {
    /// What becomes of values for which there is no demand.
    public enum Surplus: Sendable {
      /// They are buffered, or not produced, until they are requested.
      case waits
      /// They are dropped, as in a subject.
      case isDropped
    }

    /// The most values that the publisher can deliver, such as 1 for a `Future`; `nil` for any number.
    ///
    /// A rule that takes more values to check is not applicable.
    public var maximum: Int?

    /// Whether the publisher completes after its values. Of one that does not, only its values are waited for.
    public var completes: Bool

    /// What becomes of values for which there is no demand.
    public var surplus: Surplus

    /// How many values show that requests do not recurse.
    public var manyElements: Int

    /// How many threads a check with several threads has; with fewer than two there is none.
    public var threads: Int

    /// How often each check with several threads is repeated.
    public var rounds: Int

    /// How long a signal is waited for before it counts as lost.
    public var deadline: Duration

    /// The rules that are checked.
    public var rules: Set<Rule>

    /// The rules that do not apply to the publisher, and why.
    public private(set) var exemptions: [Rule: String] = [:]

    /// Options for a publisher of any number of values that produces them on request, and completes.
    public init(
      maximum: Int? = nil, completes: Bool = true, surplus: Surplus = .waits, manyElements: Int = 2_000,
      threads: Int = 4, rounds: Int = 10, deadline: Duration = .seconds(180), rules: Set<Rule> = Set(Rule.allCases)
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
