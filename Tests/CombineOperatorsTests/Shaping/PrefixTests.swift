import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct PrefixTests {
  @Test func valuesBeforeAFailureOfAMergeAreDelivered() {
    let record = Record<Int, TestError>(output: [7], completion: .failure(TestError("no")))
    let merged = record.merge(with: Empty(completeImmediately: false))
    #expect(merged.prefix(while: { _ in true }, behavior: .inclusive).recorded().log == ["7", "no"])
    #expect(merged.materialize().dematerialize().recorded().log == ["7", "no"])
    #expect(merged.retryWhen { errors in errors.tryMap { throw $0 } }.recorded().log == ["7", "no"])
  }

  @Test func valueThatEndsItIsDeliveredOrNot() {
    let subject = PassthroughSubject<Int, Never>()
    let inclusive = subject.prefix(while: { $0 < 3 }, behavior: .inclusive).recorded()
    let exclusive = subject.prefix(while: { $0 < 3 }, behavior: .exclusive).recorded()
    for value in [1, 3, 2] { subject.send(value) }
    #expect(inclusive.log == ["1", "3", "finished"])
    #expect(exclusive.log == ["1", "finished"])
  }

  @Test func lastValueCancelsUpstream() {
    let source = TestPublisher<Int, Never>(keepsSubscribers: true)
    let recorder = source.prefix(while: { _ in false }, behavior: .inclusive).recorded()
    source.send(1)
    #expect(recorder.log == ["1", "finished"])
    #expect(source.cancellations.count == 1)
  }

  @Test func valueInsideTheLastIsDropped() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = RecordingSubscriber<Int, Never>()
    recorder.onValue = { if $0 == 3 { subject.send(1) } }
    subject.prefix(while: { $0 < 3 }, behavior: .inclusive).subscribe(recorder)
    for value in [2, 3, 2] { subject.send(value) }
    #expect(recorder.log == ["2", "3", "finished"])
  }

  @Test func durationEndsTheStream() {
    let timeline = TestTimeline()
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = subject.prefix(duration: .seconds(5), on: timeline.scheduler).recorded()
    timeline.advance(by: .seconds(4))
    subject.send(1)
    timeline.advance(by: .seconds(1))
    subject.send(2)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func inclusivePrefixFollowsTheRulesOfOperators() {
    expectOperatorRules("PrefixWhile.Subscription<Int, TestError>", subscribesFirst: false) { upstream, token in
      upstream.prefix(
        while: { _ in
          token.touch()
          return true
        }, behavior: .inclusive)
    }
  }

  @Test func inclusivePrefixFollowsTheRulesOfPublishers() async throws {
    try await PublisherVerification.verify(
      options: .patient,
      make: { count in
        (0..<(count == 0 ? 0 : count + 9)).publisher.prefix(while: { $0 < count - 1 }, behavior: .inclusive)
      })
  }
}
