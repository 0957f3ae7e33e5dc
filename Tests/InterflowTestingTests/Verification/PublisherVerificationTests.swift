import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct PublisherVerificationTests {
  private typealias Options = PublisherVerification.Options

  @Test func aPublisherThatKeepsEveryRulePasses() async throws {
    let options = Options(deadline: .seconds(180))
    let report = try await PublisherVerification.verify(elements: 5, options: options) { count in
      FaultyPublisher(count: count)
    } failing: {
      PublisherUnderTest(FaultyPublisher(count: 0, fails: true))
    }
    #expect(report.outcomes.map(\.rule) == Rule.allCases)
    for outcome in report.outcomes where outcome.rule != .sendDuringASignalWaits {
      guard case .kept = outcome.verdict else {
        Issue.record("\(outcome.rule) was not checked: \(outcome.verdict)")
        continue
      }
    }
    #expect(report.description.contains("keeps \(Rule.allCases.count - 1) rules and breaks 0\n"))
    guard case .notApplicable("no closure that sends a value was given") = report[.sendDuringASignalWaits] else {
      Issue.record("\(report)")
      return
    }
  }

  @Test func noRoundsAndADeadlineThatNeverComes() async throws {
    let options = Options(rounds: -1, deadline: .seconds(Int64.max), rules: [.everythingIsDelivered])
    let report = try await PublisherVerification.verify(elements: 2, options: options) { (0..<$0).publisher }
    guard case .kept = report[.everythingIsDelivered] else {
      Issue.record("\(report)")
      return
    }
  }

  /// The threads' values all come before the completion, which a buffer holds back until it is requested.
  @Test func aCompletionThatWaitsForARequestFollowsTheValuesOfAllThreads() async {
    let options = Options(threads: 3, deadline: .seconds(20), rules: [.signalsAreSerial])
    let report = await PublisherVerification.examine(options: options) { count in
      let subject = PassthroughSubject<Int, Never>()
      let sending = Shared(0)
      return PublisherUnderTest(
        subject.buffer(size: .max, prefetch: .keepFull, whenFull: .dropNewest),
        drive: {
          sending.update { $0 += 1 }
          for number in 0..<count { subject.send(number) }
          let isLast = sending.update { number in
            number -= 1
            return number == 0
          }
          if isLast { subject.send(completion: .finished) }
        })
    }
    guard case .kept = report[.signalsAreSerial] else {
      Issue.record("\(report)")
      return
    }
  }

  private func sending(_ fault: FaultySubject.Fault?) async -> VerificationReport {
    let deadline: Duration = fault == .neverReturns ? .seconds(10) : .seconds(180)
    let options = Options(
      completes: false, surplus: .isDropped, deadline: deadline, rules: [.sendDuringASignalWaits])
    return await PublisherVerification.examine(options: options) { FaultySubject(fault).underTest(count: $0) }
  }

  @Test func aSubjectThatLetsAThreadWaitForItsTurnKeepsTheRule() async {
    let report = await sending(nil)
    guard case .kept = report[.sendDuringASignalWaits] else {
      Issue.record("\(report)")
      return
    }
  }

  @Test(arguments: [
    (FaultySubject.Fault.isLeftToTheDeliveringThread, "a value came on a thread that had not sent it"),
    (.comesAtOnce, "a value came while receive(_:) had not returned"),
    (.isLost, "0 of 1 values that other threads sent had come when they returned"),
    (.neverReturns, "a send from another thread did not return within 10.0 seconds"),
  ])
  func aSubjectThatDoesNotLetAThreadWaitIsCaught(_ fault: FaultySubject.Fault, message: String) async {
    let report = await sending(fault)
    guard case .broken(let breaches) = report[.sendDuringASignalWaits], let breach = breaches.first else {
      Issue.record("not caught: \(report)")
      return
    }
    if breach.setting == "one thread" { #expect(breach.message == message) }
  }

  private func cancelBeforeRequest(slips: Int) async -> VerificationReport {
    let slips = SlippingPublisher.Slips(slips)
    return await PublisherVerification.examine(options: Options(deadline: .seconds(180), rules: [.cancelBeforeRequest]))
    {
      count in
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

  private static func faulty(_ count: Int, _ rule: Rule) -> PublisherUnderTest {
    guard rule == .sendDuringASignalWaits else { return PublisherUnderTest(FaultyPublisher(count: count, fault: rule)) }
    return FaultySubject(.isLeftToTheDeliveringThread).underTest(count: count)
  }

  /// The rules whose faulty publisher loses a signal or blocks a thread, so that the check waits for the whole deadline.
  private static let breachesThatShowAtTheDeadline: Set<Rule> = [
    .completionNeedsNoDemand, .failureNeedsNoDemand, .requestsAddUp, .returnedDemandCounts, .requestInsideSubscription,
    .demandDoesNotOverflow, .requestsFromAnyThread, .requestInsideValue, .releasedAfterFailure, .requestDuringASignal,
    .subscribeDuringASignal, .cancelDuringASignal, .releasedAfterCompletion, .callsDuringRelease, .releasedAfterCancel,
  ]

  /// What each rule is for: there is a publisher that breaks it, and is caught.
  @Test(arguments: Rule.allCases)
  func aPublisherThatBreaksARuleIsCaught(_ rule: Rule) async {
    let options = Options(
      completes: rule != .sendDuringASignalWaits,
      deadline: Self.breachesThatShowAtTheDeadline.contains(rule) ? .seconds(10) : .seconds(180), rules: [rule])
    let report = await PublisherVerification.examine(options: options) { count in
      Self.faulty(count, rule)
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
