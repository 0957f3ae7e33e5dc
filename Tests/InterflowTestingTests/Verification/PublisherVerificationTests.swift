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

  private func cancelBeforeRequest(slips: Int) async -> VerificationReport {
    let slips = SlippingPublisher.Slips(slips)
    return await PublisherVerification.examine(options: Options(rules: [.cancelBeforeRequest])) { count in
      PublisherUnderTest(SlippingPublisher(count: count, slips: slips))
    }
  }

  @Test func aSignalOnItsWayWhenItIsCancelledBreaksNoRule() async {
    for slips in [1, 3] {
      let report = await cancelBeforeRequest(slips: slips)
      #expect(report.broken == [], "\(report)")
    }
  }

  @Test func aSignalAfterEveryCancellationBreaksTheRule() async {
    let report = await cancelBeforeRequest(slips: .max)
    #expect(report.broken == [.cancelBeforeRequest])
    guard case .broken(let breaches) = report[.cancelBeforeRequest], let breach = breaches.first else { return }
    #expect(breach.message.contains("21 times in a row"))
    #expect(breach.signals.contains { $0.hasSuffix("finished") })
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
