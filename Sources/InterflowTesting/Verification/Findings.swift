import Foundation
import InterflowPrimitives

/// The breaches found so far, on any thread.
///
/// Each is written to the standard error when it is found: should the publisher end the process, the findings that lead
/// there are known.
final class Findings: @unchecked Sendable {  // `lock` guards all variables.
  typealias Rule = PublisherVerification.Rule
  typealias Breach = VerificationReport.Breach

  private let reported: Set<Rule>
  private let write: @Sendable (String) -> Void
  private let lock = Lock()
  private var breaches: [Rule: [Breach]] = [:]
  private var publisher = "The publisher"

  /// - Parameters:
  ///   - reported: The rules that the report includes. Breaches of others are kept too, as they show what is not safe.
  ///   - write: Receives a line for each breach of them.
  init(_ reported: Set<Rule>, write: @escaping @Sendable (String) -> Void = Findings.writeToStandardError) {
    self.reported = reported
    self.write = write
  }

  @Sendable
  static func writeToStandardError(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
  }

  /// The name of the publisher's type.
  var publisherName: String {
    get {
      lock.lock()
      defer { lock.unlock() }
      return publisher
    }
    set {
      lock.lock()
      defer { lock.unlock() }
      publisher = newValue
    }
  }

  /// - Parameter signals: What the subscriber saw; called without the lock, and only if it is needed.
  func record(_ rule: Rule, _ message: String, setting: String, signals: () -> [String]) {
    if self[rule, setting] { return }
    let breach = Breach(message: message, setting: setting, signals: signals())
    lock.lock()
    let known = breaches[rule, default: []]
    // One for each setting is enough.
    let isNew = !known.contains { $0.setting == setting }
    if isNew { breaches[rule] = known + [breach] }
    let publisher = publisher
    lock.unlock()
    guard isNew, reported.contains(rule) else { return }
    write("PublisherVerification: \(publisher) breaks \(rule.rawValue) with \(setting): \(message)")
  }

  func isReported(_ rule: Rule) -> Bool { reported.contains(rule) }

  subscript(rule: Rule) -> [Breach] {
    lock.lock()
    defer { lock.unlock() }
    return breaches[rule, default: []]
  }

  /// Whether a rule is broken with so many threads.
  subscript(rule: Rule, setting: String) -> Bool { self[rule].contains { $0.setting == setting } }
}
