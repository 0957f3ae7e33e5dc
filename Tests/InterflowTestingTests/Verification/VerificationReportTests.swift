import Foundation
import InterflowTesting
import Testing

@Suite struct VerificationReportTests {
  private typealias Options = PublisherVerification.Options

  /// A publisher that breaks one rule, checked with one thread for some rules.
  private func examine(_ fault: Rule, _ options: Options) async -> VerificationReport {
    var options = options
    options.threads = 1
    options.deadline = .seconds(1)
    return await PublisherVerification.examine(options: options) { count in
      PublisherUnderTest(FaultyPublisher(count: count, fault: fault))
    }
  }

  @Test func aReportShowsWhatBrokeAndTheSignals() async {
    let report = await examine(.nothingFollowsCancel, Options(rules: [.nothingFollowsCancel, .endComesOnce]))
    #expect(
      report.description == """
        InterflowTestingTests.FaultyPublisher keeps 1 rules and breaks 1

        PV301_nothingFollowsCancel (required, §1.8, §3.12)
          Nothing follows a cancellation from inside receive(_:).
          With one thread: a signal came where none may
            T1   subscription Feed
            T1 request(unlimited)
            T1   value 0
            T1 cancel()
            T1 cancel() returned
            T1   value 1
        """)
    #expect(!report.isPassed)
    #expect(report.broken == [.nothingFollowsCancel])
    #expect(report[.subscriptionComesOnce] == nil)
  }

  @Test func aRuleThatDoesNotApplyIsNotBroken() async {
    let options = Options(rules: [.endComesOnce, .subscriptionComesOnce])
      .exempting(.endComesOnce, because: "it likes to say so twice")
    let report = await examine(.endComesOnce, options)
    #expect(report.isPassed)
    guard case .notApplicable("it likes to say so twice") = report[.endComesOnce] else {
      Issue.record("\(report)")
      return
    }
    #expect(report.description.hasSuffix("Not checked:\n  PV106_endComesOnce: it likes to say so twice"))
  }

  @Test func whatDeliversNothingIsReportedOnceAndNotWaitedForAgain() async {
    let report = await examine(.everythingIsDelivered, Options())
    #expect(report.broken == [.everythingIsDelivered])
    let others = report.outcomes.filter { !$0.isBroken }
    #expect(others.count == Rule.allCases.count - 1)
    for outcome in others {
      guard case .notApplicable = outcome.verdict else {
        Issue.record("\(outcome.rule) should not have been checked")
        continue
      }
    }
  }

  @Test func whatWasCheckedWithOneThreadOnlyIsSaid() async {
    let options = Options(threads: 2, deadline: .seconds(1), rules: [.everythingIsDelivered, .requestsAddUp])
    let report = await PublisherVerification.examine(options: options) { PublisherUnderTest(ServesTheFirst(count: $0)) }
    #expect(report.broken == [.everythingIsDelivered])
    #expect(report.oneThreadReason == "as PV105_everythingIsDelivered is broken")
  }

  @Test func aPublisherThatCannotBeEmptyIsMadeWithoutValuesForOneRuleOnly() async {
    await #expect(processExitsWith: .success) {
      let options = Options(threads: 1).exempting(.completionNeedsNoDemand, because: "it is never empty")
      try await PublisherVerification.verify(options: options) { count in (1...count).publisher }
    }
  }

  @Test func aPublisherOfFewValuesIsCheckedForWhatTheyShow() async {
    let options = Options(maximum: 1, threads: 1).exempting(.completionNeedsNoDemand, because: "it has a value")
    let report = await PublisherVerification.examine(options: options) { _ in PublisherUnderTest(Just(1)) }
    guard case .notApplicable(let reason) = report[.requestsAddUp] else {
      Issue.record("\(report)")
      return
    }
    #expect(reason == "it takes 3 values to check, and the publisher has 1")
    guard case .notApplicable("no publisher that fails was given") = report[.failureEndsTheStream] else {
      Issue.record("\(report)")
      return
    }
    guard case .kept = report[.nothingFollowsCancel] else {
      Issue.record("\(report)")
      return
    }
  }

  @Test func oneThreadDoesNotShowWhatSeveralDo() async {
    let report = await examine(.requestsFromAnyThread, Options(rules: [.requestsFromAnyThread]))
    guard case .notApplicable("it takes several threads to check") = report[.requestsFromAnyThread] else {
      Issue.record("\(report)")
      return
    }
  }

  @Test func aCallThatNeverReturnsIsGivenUp() async {
    let forever = DispatchSemaphore(value: 0)
    let report = await PublisherVerification.examine(
      options: Options(threads: 1, deadline: .milliseconds(100), rules: [.everythingIsDelivered])
    ) { count in
      // Not while the report asks for the publisher's name.
      PublisherUnderTest(
        Deferred {
          if count > 0 { forever.wait() }
          return Just(1)
        })
    }
    #expect(report.broken == [.everythingIsDelivered])
    #expect(report.description.contains("did not return"))
    forever.signal()
  }

  @Test func rulesHaveIdentifiersOfTheirOwn() {
    let numbers = Rule.allCases.map { $0.rawValue.prefix(5) }
    #expect(Set(numbers).count == Rule.allCases.count)
    #expect(numbers == numbers.sorted())
    for rule in Rule.allCases {
      #expect(rule.rawValue.dropFirst(6) == "\(rule)")
      #expect(rule.reference.hasPrefix("§"))
      #expect(rule.summary.hasSuffix("."))
    }
  }
}
