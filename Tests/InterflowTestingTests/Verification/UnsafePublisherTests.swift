import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

/// The verification ends, and the process survives it, also with publishers that are not fit for what it does.
@Suite struct UnsafePublisherTests {
  private typealias Options = PublisherVerification.Options

  /// Until a wait times out.
  private static let deadline = Duration.seconds(hasThreadSanitizer ? 20 : 5)

  /// A rule that takes several threads to check, and was not checked, since they would not have been safe.
  private func expectNotSafe(
    _ report: VerificationReport, _ rule: Rule, location: SourceLocation = #_sourceLocation
  ) {
    guard case .notApplicable(let reason) = report[rule] else {
      Issue.record("\(rule) was checked: \(report)", sourceLocation: location)
      return
    }
    #expect(reason.contains("might corrupt memory"), sourceLocation: location)
  }

  @Test(.disabled(if: hasThreadSanitizer, "it has a race"), arguments: [false, true])
  func aTextbookCountdown(hasFlag: Bool) async {
    let report = await PublisherVerification.examine {
      PublisherUnderTest(TextbookCountdown(start: $0, hasFlag: hasFlag))
    }
    let expected: Set<Rule> = [
      .signalsAreSerial, .completionNeedsNoDemand, .requestsDoNotRecurse, .endComesOnce, .callsDuringRelease,
    ]
    #expect(expected.isSubset(of: report.broken), "\(report)")
    let released =
      hasFlag ? "the subscriber was deallocated twice" : "a signal came while the subscriber was deallocated"
    #expect(report.description.contains(released), "\(report)")
    expectNotSafe(report, .cancelDuringDelivery)
    expectNotSafe(report, .requestsFromAnyThread)
    #expect(report.oneThreadReason?.contains("might corrupt memory") == true)
  }

  @Test(.disabled(if: hasThreadSanitizer, "it has a race"))
  func anUnlockedArrayAsBuffer() async {
    let report = await PublisherVerification.examine { count in
      let subject = UnlockedBuffer()
      return PublisherUnderTest(subject) {
        for number in 0..<count { subject.send(number) }
        subject.finish()
      } send: {
        subject.send(count)
      }
    }
    let expected: Set<Rule> = [.signalsAreSerial, .sendDuringASignalWaits]
    #expect(expected.isSubset(of: report.broken), "\(report)")
    expectNotSafe(report, .cancelDuringDelivery)
    expectNotSafe(report, .requestsFromAnyThread)
  }

  /// Also where the rules that show it are not among those that are checked.
  @Test(
    .disabled(if: hasThreadSanitizer, "it has a race"), arguments: [Rule.cancelDuringDelivery, .requestsFromAnyThread])
  func whatIsNotSafeIsNotCheckedAlone(_ rule: Rule) async {
    let report = await PublisherVerification.examine(options: Options(rules: [rule])) {
      PublisherUnderTest(TextbookCountdown(start: $0))
    }
    // The rule that it breaks is in the report as well, since otherwise it would seem to be in order.
    #expect(report.broken == [.signalsAreSerial])
    expectNotSafe(report, rule)
  }

  @Test func aLockHeldWhileCallingOut() async {
    let report = await PublisherVerification.examine { PublisherUnderTest(LockedCountdown(start: $0)) }
    let expected: Set<Rule> = [.requestInsideValue, .nothingFollowsCancel, .requestDuringASignal, .cancelDuringASignal]
    #expect(expected.isSubset(of: report.broken), "\(report)")
    expectNotSafe(report, .cancelDuringDelivery)
  }

  @Test(arguments: SilentPublisher.Fault.allCases)
  func whatDoesNotAnswer(_ fault: SilentPublisher.Fault) async {
    let options = Options(deadline: Self.deadline)
    let report = await PublisherVerification.examine(options: options) {
      PublisherUnderTest(SilentPublisher(count: $0, fault: fault))
    }
    switch fault {
    case .deliversNothing, .requestDoesNotReturn: #expect(report.broken == [.everythingIsDelivered])
    case .sendsNoSubscription: #expect(report.broken == [.subscriptionComesFirst, .everythingIsDelivered])
    case .cancelDoesNotReturn:
      #expect(report.broken.contains(.cancelDuringASignal), "\(report)")
      #expect(report.description.contains("as 12 waits timed out"))
    }
  }

  @Test func whatIsEndlessForFewValuesAtATime() async {
    await #expect(processExitsWith: .success) {
      alarm(120)
      let options = Options(
        threads: 1, deadline: UnsafePublisherTests.deadline,
        rules: [.everythingIsDelivered, .signalsAreSerial, .requestsFromAnyThread])
      let report = await PublisherVerification.examine(options: options) {
        PublisherUnderTest(EndlessCountdown(start: $0))
      }
      #expect(report.broken == [.requestsFromAnyThread], "\(report)")
    }
  }

  @Test func tasksThatDeliverWithoutEndLeaveThePoolFree() async {
    await #expect(processExitsWith: .success) {
      alarm(300)
      let delivered = Shared(0)
      let options = Options(completes: false, threads: 1, deadline: .seconds(180), rules: [.everythingIsDelivered])
      let report = await PublisherVerification.examine(options: options) { _ in
        PublisherUnderTest(EndlessTasks(count: 2 * ProcessInfo.processInfo.activeProcessorCount, delivered: delivered))
      }
      #expect(report.isPassed, "\(report)")
      while delivered.value < 50_000 { await Task.yield() }
    }
  }

  @Test func aCompletionThatComesWithoutEndEndsTheCheck() async {
    await #expect(processExitsWith: .success) {
      alarm(300)
      let options = Options(threads: 1, deadline: .milliseconds(500), rules: [.subscribeDuringASignal])
      let report = await PublisherVerification.examine(options: options) { _ in
        PublisherUnderTest(EndlessCompletion())
      }
      #expect(report.broken == [.subscribeDuringASignal], "\(report)")
    }
  }

  @Test func aDeinitThatDoesNotReturnEndsTheCheck() async {
    await #expect(processExitsWith: .success) {
      alarm(300)
      let options = Options(threads: 1, deadline: .milliseconds(500), rules: [.everythingIsDelivered])
      let report = await PublisherVerification.examine(options: options) { _ in PublisherUnderTest(WaitingInDeinit()) }
      #expect(report.broken == [.everythingIsDelivered], "\(report)")
    }
  }

  @Test func whatComesAfterTheVerificationIsNotReported() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let publisher = StubbornPublisher(values: 5)
      let options = Options(completes: false, threads: 1, rules: [.everythingIsDelivered, .subscriptionComesOnce])
      let report = await PublisherVerification.examine(elements: 5, options: options) { _ in
        PublisherUnderTest(publisher)
      }
      #expect(report.isPassed)
      publisher.sendSubscriptionsAgain()
    }
    #expect(!String(decoding: result.standardErrorContent, as: UTF8.self).contains("breaks"))
  }

  @Test func aClosureThatMakesNothing() async {
    let options = Options(deadline: .milliseconds(100))
    let report = await PublisherVerification.examine(options: options) { _ in
      DispatchSemaphore(value: 0).wait()
      return PublisherUnderTest(Just(1))
    }
    #expect(report.broken == [.everythingIsDelivered])
    #expect(report.description.contains("the closure that makes the publisher did not return within 0.1 seconds"))
  }

  @Test(arguments: ForgetfulPublisher.Manner.allCases)
  func whatServesEachRequestAgain(_ manner: ForgetfulPublisher.Manner) async {
    let options = Options(manyElements: 1_000, deadline: Self.deadline)
    let report = await PublisherVerification.examine(options: options) {
      PublisherUnderTest(ForgetfulPublisher(count: $0, manner: manner))
    }
    switch manner {
    case .inPlace: #expect(report.broken.contains(.signalsAreSerial), "\(report)")
    case .elsewhere: #expect(report.description.contains("until 32 threads waited for each other"), "\(report)")
    case .endlessly: #expect(report.broken == [.everythingIsDelivered])
    }
  }
}
