import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

/// Two subscribers of one publisher, the second of which comes later.
@Suite struct SharingMarbleTests {
  private let timeline = TestTimeline()

  /// - Parameters:
  ///   - cancellation: When the first cancels.
  ///   - first: What the first receives.
  ///   - arrival: When the second subscribes.
  ///   - late: What the second receives.
  private func expect<P: Publisher<String, TestError>>(
    _ shared: P, cancelling cancellation: Double = .infinity, first: String, late arrival: Double, _ late: String,
    line: Int = #line
  ) throws {
    let subscribers = (0..<2).map { _ in RecordingSubscriber<String, TestError>(on: timeline) }
    let scheduler = timeline.scheduler
    shared.subscribe(subscribers[0])
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(arrival))) { shared.subscribe(subscribers[1]) }
    if cancellation < .infinity {
      scheduler.schedule(after: scheduler.now.advanced(by: .seconds(cancellation))) { subscribers[0].cancel() }
    }
    timeline.advance(by: .seconds(30))
    for (subscriber, diagram) in zip(subscribers, [first, late]) {
      try timeline.expect(subscriber, toHaveReceived: diagram, error: TestError(), line: line)
    }
  }

  private func source(_ diagram: String = "-a-b-c-#") throws -> MarblePublisher<String, TestError> {
    try timeline.cold(diagram, error: TestError())
  }

  @Test func latestValueComesFirst() throws {
    try expect(source().share(replay: 1), first: "-a-b-c-#", late: 4, "----bc-#")
  }

  @Test func latestValuesComeFirst() throws {
    try expect(source().share(replay: 2), first: "-a-b-c-#", late: 4, "----(ab)c-#")
  }

  @Test func valuesAreThereAfterTheEnd() throws {
    try expect(source().share(replay: 2), first: "-a-b-c-#", late: 9, "---------(bc#)")
  }

  @Test func subscriberAfterTheEndBeginsAgain() throws {
    try expect(
      source().share(replay: 2, scope: .whileConnected), first: "-a-b-c-#", late: 9, "----------a-b-c-#")
  }

  @Test func subscriberAfterAllOthersBeginsAgain() throws {
    try expect(
      source().share(replay: 2, scope: .whileConnected), cancelling: 4, first: "-a-b", late: 6, "-------a-b-c-#")
  }

  @Test func oldValuesAreNotDelivered() throws {
    try expect(
      source("-a--b--|").share(within: .seconds(3), scheduler: timeline.scheduler), first: "-a--b--|", late: 6,
      "------b|")
  }

  @Test func replaySubjectBuffersTheLatest() throws {
    let subject = ReplaySubject<String, TestError>(bufferSize: 1)
    let cancellable = try source().sink {
      subject.send(completion: $0)
    } receiveValue: {
      subject.send($0)
    }
    try expect(subject, first: "-a-b-c-#", late: 4, "----bc-#")
    withExtendedLifetime(cancellable) {}
  }
}
