import InterflowPrimitives

/// The breaches found so far, on any thread.
final class Findings: @unchecked Sendable {  // `lock` guards `breaches`.
  typealias Rule = PublisherVerification.Rule

  private let rules: Set<Rule>
  private let lock = Lock()
  private var breaches: [Rule: [VerificationReport.Breach]] = [:]

  /// - Parameter rules: The rules that count.
  init(_ rules: Set<Rule>) {
    self.rules = rules
  }

  func record(_ rule: Rule, _ message: String, setting: String, signals: [String]) {
    lock.lock()
    defer { lock.unlock() }
    let known = breaches[rule, default: []]
    // One for each setting is enough.
    guard rules.contains(rule), !known.contains(where: { $0.setting == setting }) else { return }
    breaches[rule] = known + [VerificationReport.Breach(message: message, setting: setting, signals: signals)]
  }

  subscript(rule: Rule) -> [VerificationReport.Breach] {
    lock.lock()
    defer { lock.unlock() }
    return breaches[rule, default: []]
  }
}
