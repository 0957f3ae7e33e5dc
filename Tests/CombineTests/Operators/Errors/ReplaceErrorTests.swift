import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ReplaceErrorTests {
  private typealias Source = TestPublisher<Int, TestError>

  @Test func valueStandsInForTheError() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.replaceError(with: 9).recorded()
    source.send(1)
    source.send(completion: .failure(TestError()))
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["1", "9", "finished"])
    #expect(recorder.subscriptionNames == ["ReplaceError"])
  }

  @Test func finishPasses() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.replaceError(with: 9).recorded(demand: .none)
    source.send(completion: .finished)
    #expect(recorder.log == ["finished"])
  }

  @Test func valueWaitsUntilItIsAskedFor() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.replaceError(with: 9).recorded(demand: .max(1))
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["1"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "9", "finished"])
  }

  @Test func demandThatIsLeftIsEnoughForTheValue() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.replaceError(with: 9).recorded(demand: .max(2))
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["1", "9", "finished"])
  }

  @Test func cancellationDropsTheValueThatWaits() {
    let counter = LifetimeCounter()
    let source = TestPublisher<LifetimeCounter.Token, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .none) { $0.replaceError(with: counter.make()) }
    source.send(completion: .failure(TestError()))
    source.releaseSubscribers()
    #expect(counter.count == 1)
    recorder.cancel()
    #expect(counter.count == 0)
    recorder.request(.max(1))
    #expect(recorder.log.isEmpty)
    #expect(source.cancellations.isEmpty)
  }

  @Test func cancelInsideTheValueKeepsTheCompletionBack() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.replaceError(with: 9).recorded()
    recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["9"])
  }

  @Test func equatableWherePublishersAre() {
    #expect(Just(1).replaceError(with: 2) == Just(1).replaceError(with: 2))
    let source = Fail<Int, TestError>(error: TestError())
    #expect(Publishers.ReplaceError(upstream: source, output: 1) != .init(upstream: source, output: 2))
  }

  @Test func keepsTheRulesOfItsUpstream() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.replaceError(with: 9).recorded()
    source.subscription?.sendSubscription()
    #expect(source.cancellations.count == 1)
    recorder.cancel()
    recorder.cancel()
    #expect(source.cancellations.count == 2)
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(recorder.log.isEmpty)
  }
}
