/// The result of the verification of a publisher, for each rule.
public struct VerificationReport: Sendable {
  /// A breach of a rule.
  public struct Breach: Sendable {
    /// A description of the breach.
    public let message: String
    /// The number of threads, as text.
    public let setting: String
    /// The signals and requests up to then, as the subscriber saw them, each with its thread.
    public let signals: [String]
  }

  /// The result for a rule.
  public enum Verdict: Sendable {
    /// No breach was found.
    case kept
    /// It is broken.
    case broken([Breach])
    /// It was not checked.
    case notApplicable(reason: String)
  }

  /// A rule and its result.
  public struct Outcome: Sendable {
    /// The rule.
    public let rule: PublisherVerification.Rule
    /// The result.
    public let verdict: Verdict

    /// Whether the rule is broken.
    public var isBroken: Bool {
      if case .broken = verdict { true } else { false }
    }
  }

  /// The type of the publisher.
  public let publisher: String

  /// The result for each rule that the options include, in the order of the rules.
  ///
  /// Another rule is among them if it is broken so that rules of the options could not be checked.
  public let outcomes: [Outcome]

  /// Why rules were checked with one thread only, if several would not have been safe or the checks ended early; `nil`
  /// otherwise.
  ///
  /// A rule that is kept then, is kept with one thread.
  public let oneThreadReason: String?

  /// The rules that are broken.
  public var broken: [PublisherVerification.Rule] { outcomes.filter(\.isBroken).map(\.rule) }

  /// Whether no rule is broken.
  public var isPassed: Bool { broken.isEmpty }

  /// The result for a rule; `nil` if the options do not include it.
  public subscript(rule: PublisherVerification.Rule) -> Verdict? {
    outcomes.first { $0.rule == rule }?.verdict
  }
}

extension VerificationReport: CustomStringConvertible {
  /// The broken rules with their breaches, the number of rules that are kept, and why others were not checked.
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
    if let oneThreadReason { lines += ["", "Not checked with several threads: \(oneThreadReason)"] }
    return lines.joined(separator: "\n")
  }
}

/// Thrown if a publisher breaks a rule; describes every rule that it breaks.
public struct VerificationFailure: Error, CustomStringConvertible {
  /// The result of the verification.
  public let report: VerificationReport

  /// The description of the report.
  public var description: String { report.description }
}
