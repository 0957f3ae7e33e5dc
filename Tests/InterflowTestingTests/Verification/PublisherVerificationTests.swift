import Foundation
import InterflowTesting
import Testing

@Suite struct PublisherVerificationTests {
  private typealias Options = PublisherVerification.Options

  @Test func aPublisherThatKeepsEveryRulePasses() async throws {
    let report = try await PublisherVerification.verify(elements: 5) { count in
      FaultyPublisher(count: count)
    } failing: {
      PublisherUnderTest(FaultyPublisher(count: 0, fails: true))
    }
    #expect(report.outcomes.map(\.rule) == Rule.allCases)
    for outcome in report.outcomes {
      guard case .kept = outcome.verdict else {
        Issue.record("\(outcome.rule) was not checked: \(outcome.verdict)")
        continue
      }
    }
    #expect(report.description.hasSuffix("keeps \(Rule.allCases.count) rules and breaks 0"))
  }

  /// What each rule is for: there is a publisher that breaks it, and is caught.
  @Test(arguments: Rule.allCases)
  func aPublisherThatBreaksARuleIsCaught(_ rule: Rule) async {
    // A lost signal is waited for in vain, however long; this is not the time that a signal has to come in.
    let options = Options(deadline: .seconds(1), rules: [rule])
    let report = await PublisherVerification.examine(options: options) { count in
      PublisherUnderTest(FaultyPublisher(count: count, fault: rule))
    } failing: {
      PublisherUnderTest(FaultyPublisher(count: 0, fails: true, fault: rule))
    }
    guard case .broken(let breaches) = report[rule], let breach = breaches.first else {
      Issue.record("not caught: \(report)")
      return
    }
    #expect(report.broken == [rule])
    #expect(!breach.message.isEmpty)
    #expect(!breach.signals.isEmpty)
    #expect(report.description.contains(rule.rawValue))
  }
}
