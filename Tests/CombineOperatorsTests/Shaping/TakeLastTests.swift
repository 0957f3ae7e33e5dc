import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct TakeLastTests {
  @Test func lastValuesAreDeliveredAtTheEnd() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorders = [subject.suffix(2).recorded(), subject.takeLast(2).recorded(), subject.suffix(9).recorded()]
    for value in 1...3 { subject.send(value) }
    #expect(recorders.map(\.log.count) == [0, 0, 0])
    subject.send(completion: .finished)
    #expect(recorders.map(\.values) == [[2, 3], [2, 3], [1, 2, 3]])
    #expect(recorders.map(\.isFinished) == [true, true, true])
  }

  @Test func failureIsDeliveredWithoutThem() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = subject.suffix(2).recorded(demand: .none)
    subject.send(1)
    subject.send(completion: .failure(TestError("no")))
    #expect(recorder.log == ["no"])
  }

  @Test func valuesWaitForDemand() {
    let recorder = (1...5).publisher.suffix(3).recorded(demand: .max(2))
    #expect(recorder.values == [3, 4])
    #expect((1...5).publisher.suffix(0).recorded().log == ["finished"])
  }

  @Test func unlimitedDemandIsRequestedAtOnce() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.suffix(2).recorded()
    #expect(source.requests.first == .unlimited)
    #expect((1...3).publisher.share().suffix(2).recorded().values == [2, 3])
    recorder.cancel()
  }

  @Test func releaseOfAnOlderValueMaySendAnother() {
    let subject = PassthroughSubject<ReportsRelease, Never>()
    let recorder = subject.suffix(2).recorded()
    subject.send(ReportsRelease(1) { subject.send(ReportsRelease(4)) })
    for number in 2...3 { subject.send(ReportsRelease(number)) }
    subject.send(completion: .finished)
    #expect(recorder.values.map(\.number) == [3, 4])
  }

  @Test func followsTheRulesOfPublishers() async throws {
    try await PublisherVerification.verify(
      options: .patient, make: { (0..<$0 + 3).publisher.suffix($0) },
      failing: { PublisherUnderTest(Fail<Int, TestError>(error: TestError()).suffix(2)) })
  }
}
