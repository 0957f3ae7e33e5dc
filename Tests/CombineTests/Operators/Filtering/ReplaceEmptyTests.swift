import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ReplaceEmptyTests {
  @Test func valueTakesThePlaceOfNone() {
    #expect(Empty<Int, TestError>().replaceEmpty(with: 7).recorded().log == ["7", "finished"])
  }

  @Test func valuesPass() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { .max($0) })
    source.replaceEmpty(with: 7).subscribe(recorder)
    #expect(source.requests == [.max(1)])
    #expect(source.send(2) == .max(2))
    source.send(completion: .finished)
    #expect(recorder.log == ["2", "finished"])
  }

  @Test func failureIsNotReplaced() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.replaceEmpty(with: 7) }
    source.send(completion: .failure(TestError()))
    source.send(completion: .finished)
    #expect(recorder.log == ["test error"])
  }

  @Test func valueWaitsForDemand() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.replaceEmpty(with: 7) }
    source.send(completion: .finished)
    #expect(recorder.log.isEmpty)
    recorder.request(.max(1))
    #expect(recorder.log == ["7", "finished"])
    #expect(source.requests.isEmpty)
  }

  @Test func endWithoutDemandAfterValuesPassesAtOnce() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .max(1)) { $0.replaceEmpty(with: 7) }
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func cancellationWhileTheValueWaitsDropsIt() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.replaceEmpty(with: 7) }
    source.send(completion: .finished)
    recorder.cancel()
    recorder.request(.max(1))
    #expect(recorder.log.isEmpty)
  }

  @Test func signalsAfterTheEndAreIgnoredWhileTheValueWaits() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.replaceEmpty(with: 7) }
    source.send(completion: .finished)
    #expect(source.send(1) == .none)
    source.send(completion: .failure(TestError()))
    recorder.request(.max(1))
    #expect(recorder.log == ["7", "finished"])
  }

  @Test func equalUpstreamsAndValuesMakeEqualPublishers() {
    let empty = Empty<Int, Never>()
    #expect(empty.replaceEmpty(with: 1) == empty.replaceEmpty(with: 1))
    #expect(empty.replaceEmpty(with: 1) != empty.replaceEmpty(with: 2))
  }

  @Test func keepsTheRules() {
    expectOperatorRules("ReplaceEmpty") { upstream, _ in upstream.replaceEmpty(with: 7) }
  }

  private protocol Numbered { var number: Int { get } }

  private struct Number: Numbered { let number: Int }

  private final class SendsWhenReleased: Numbered {
    let number = 7
    var send = {}

    deinit { send() }
  }

  @Test func releasingThePlaceholderMaySend() {
    let source = PassthroughSubject<any Numbered, Never>()
    var placeholder: SendsWhenReleased? = SendsWhenReleased()
    placeholder?.send = { source.send(Number(number: 2)) }
    var received: [Int] = []
    var publisher: Publishers.ReplaceEmpty? = source.replaceEmpty(with: placeholder!)
    let cancellable = publisher!.sink { received.append($0.number) }
    (placeholder, publisher) = (nil, nil)
    source.send(Number(number: 1))
    #expect(received == [2, 1])
    cancellable.cancel()
  }
}
