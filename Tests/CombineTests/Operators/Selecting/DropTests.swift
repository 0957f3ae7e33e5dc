import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct DropTests {
  private let numbers = Publishers.SetFailureType<_, TestError>(upstream: (1...4).publisher)

  @Test func firstValuesAreLeftOut() {
    #expect(numbers.dropFirst().recorded().log == ["2", "3", "4", "finished"])
    #expect(numbers.dropFirst(3).recorded().log == ["4", "finished"])
    #expect(numbers.dropFirst(5).recorded().log == ["finished"])
    #expect(numbers.dropFirst(0).recorded().log == ["1", "2", "3", "4", "finished"])
  }

  @Test func failurePasses() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.dropFirst(2) }
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
  }

  @Test func valuesToBeLeftOutAreAskedForInAddition() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(3), demandForEach: { _ in .max(1) })
    source.dropFirst(2).subscribe(recorder)
    #expect(source.requests == [.max(5)])
    #expect(source.send(1) == .none)
    #expect(source.send(2) == .none)
    #expect(source.send(3) == .max(1))
    recorder.request(.max(7))
    #expect(source.requests == [.max(5), .max(1), .max(7)])
    #expect(recorder.log == ["3"])
  }

  @Test func valuesAreLeftOutBeforeThereIsDemand() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = subject.dropFirst(2).recorded(demand: .none)
    subject.send(1)
    subject.send(2)
    recorder.request(.max(1))
    subject.send(3)
    subject.send(4)
    #expect(recorder.log == ["3"])
  }

  @Test func nothingIsAskedForWhereNothingIsWanted() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.dropFirst(0) }
    #expect(source.requests.isEmpty)
    recorder.request(.unlimited)
    #expect(source.requests == [.unlimited])
  }

  @Test func limitlessDemandStaysLimitless() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    _ = source.recorded { $0.dropFirst(2) }
    #expect(source.requests == [.unlimited])
  }

  @Test func valueSentFromInsideAValueIsCountedOnce() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.dropFirst() }
    recorder.onValue = { [unowned source] in if $0 < 4 { source.send($0 + 1) } }
    source.send(1)
    source.send(2)
    #expect(recorder.log == ["2", "3", "4"])
  }

  @Test func negativeCountTrapsWhenSubscribedTo() async {
    let negative = Empty<Int, Never>().dropFirst(-1)
    #expect(negative.count == -1)
    await #expect(processExitsWith: .failure) { Empty<Int, Never>().dropFirst(-1).subscribe(RecordingSubscriber()) }
  }

  @Test func equalUpstreamsAndCountsMakeEqualPublishers() {
    #expect(numbers.dropFirst(1) == numbers.dropFirst())
    #expect(numbers.dropFirst(1) != numbers.dropFirst(2))
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Drop", earlyValue: .passes) { upstream, _ in upstream.dropFirst(2) }
    expectOperatorRules("Drop", feed: [1, 2, 3, 4, 5], earlyValue: .passes) { upstream, _ in upstream.dropFirst() }
  }
}
