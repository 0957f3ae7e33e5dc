/// What the verification of a publisher has found, rule by rule.
public struct VerificationReport: Sendable {
  /// What shows that a rule is broken.
  public struct Breach: Sendable {
    /// What happened.
    public let message: String
    /// Whether it happened with one thread, or with several.
    public let setting: String
    /// The signals and requests up to then, as the subscriber saw them, each after the thread that it was on.
    public let signals: [String]
  }

  /// What is known of a rule.
  public enum Verdict: Sendable {
    /// No breach was found.
    case kept
    /// It is broken.
    case broken([Breach])
    /// It was not checked.
    case notApplicable(reason: String)
  }

  /// A rule, and what is known of it.
  public struct Outcome: Sendable {
    /// The rule.
    public let rule: PublisherVerification.Rule
    /// What is known of it.
    public let verdict: Verdict

    /// Whether the rule is broken.
    public var isBroken: Bool {
      if case .broken = verdict { true } else { false }
    }
  }

  /// The type of the publisher.
  public let publisher: String

  /// What is known of each rule that was to be checked, in the order of the rules.
  public let outcomes: [Outcome]

  /// The rules that are broken.
  public var broken: [PublisherVerification.Rule] { outcomes.filter(\.isBroken).map(\.rule) }

  /// Whether no rule is broken.
  public var isPassed: Bool { broken.isEmpty }

  /// What is known of a rule; `nil` where it was not to be checked.
  public subscript(rule: PublisherVerification.Rule) -> Verdict? {
    outcomes.first { $0.rule == rule }?.verdict
  }
}

extension VerificationReport: CustomStringConvertible {
  /// The rules that are broken with what shows it; the number of those that are kept, and why others do not apply.
  public var description: String {
    var lines: [String] = []
    let kept = outcomes.count { if case .kept = $0.verdict { true } else { false } }
    let broken = outcomes.filter(\.isBroken)
    lines.append("\(publisher) keeps \(kept) rules and breaks \(broken.count)")
    for outcome in broken {
      guard case .broken(let breaches) = outcome.verdict else { continue }
      lines.append("")
      lines.append("\(outcome.rule.rawValue) (\(outcome.rule.kind.rawValue), \(outcome.rule.reference))")
      lines.append("  \(outcome.rule.summary)")
      for breach in breaches {
        lines.append("  With \(breach.setting): \(breach.message)")
        lines += breach.signals.map { "    \($0)" }
      }
    }
    let others = outcomes.compactMap { outcome in
      if case .notApplicable(let reason) = outcome.verdict { "  \(outcome.rule.rawValue): \(reason)" } else { nil }
    }
    if !others.isEmpty { lines += ["", "Not checked:"] + others }
    return lines.joined(separator: "\n")
  }
}

/// Thrown where a publisher breaks a rule; describes every rule that it breaks.
public struct VerificationFailure: Error, CustomStringConvertible {
  /// What the verification has found.
  public let report: VerificationReport

  /// The rules that are broken, and the signals that show it.
  public var description: String { report.description }
}
