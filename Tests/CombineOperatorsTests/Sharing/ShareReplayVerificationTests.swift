import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ShareReplayVerificationTests {
  @Test(arguments: [ReplayScope.forever, .whileConnected])
  func sharedSubjectFollowsTheRulesOfPublishers(scope: ReplayScope) async throws {
    try await PublisherVerification.verify(
      options: .patient,
      make: { count in
        let subject = PassthroughSubject<Int, TestError>()
        return PublisherUnderTest(subject.share(replay: 0, scope: scope)) {
          for number in 0..<count { subject.send(number) }
          subject.send(completion: .finished)
        } send: {
          subject.send(count)
        }
      },
      failing: {
        let subject = PassthroughSubject<Int, TestError>()
        return PublisherUnderTest(subject.share(replay: 1, scope: scope)) {
          subject.send(completion: .failure(TestError()))
        }
      })
  }

  /// When all have cancelled, the next subscriber makes upstream begin again.
  private static let forever = PublisherVerification.Options.patient.exempting(
    .cancelLeavesOthersAlone, because: "the stored values are delivered, and then all of upstream's")

  @Test(arguments: [ReplayScope.forever, .whileConnected])
  func replayedValuesFollowTheRulesOfPublishers(scope: ReplayScope) async throws {
    try await PublisherVerification.verify(
      options: scope == .forever ? Self.forever : .patient,
      make: { (0..<$0).publisher.share(replay: $0, scope: scope) },
      failing: { PublisherUnderTest(Fail<Int, TestError>(error: TestError()).share(replay: 1, scope: scope)) })
  }

  @Test func valuesOfALimitedAgeFollowTheRulesOfPublishers() async throws {
    try await PublisherVerification.verify(
      options: Self.forever,
      make: { (0..<$0).publisher.share(within: .seconds(1), scheduler: TestTimeline().scheduler) },
      failing: {
        PublisherUnderTest(
          Fail<Int, TestError>(error: TestError()).share(within: .seconds(1), scheduler: TestTimeline().scheduler))
      })
  }

  /// Time passes with each value, so that each subscriber finds values that are too old.
  @Test func valuesThatBecomeTooOldFollowTheRulesOfPublishers() async throws {
    try await PublisherVerification.verify(
      options: .patient,
      make: { count in
        let (subject, scheduler) = (PassthroughSubject<Int, TestError>(), VirtualScheduler())
        let shared = subject.share(within: .seconds(1), scheduler: scheduler)
        let send: @Sendable (Int) -> Void = {
          scheduler.advance(by: .seconds(2))
          subject.send($0)
          scheduler.advance(by: .seconds(2))
        }
        return PublisherUnderTest(shared) {
          for number in 0..<count { send(number) }
          subject.send(completion: .finished)
        } send: {
          send(count)
        }
      })
  }
}
