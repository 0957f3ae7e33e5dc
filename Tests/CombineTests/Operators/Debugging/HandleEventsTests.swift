import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct HandleEventsTests {
  private typealias Source = TestPublisher<Int, TestError>

  private final class Log {
    var lines: [String] = []
  }

  private func watch<P: Publisher>(_ publisher: P, _ log: Log) -> Publishers.HandleEvents<P> {
    publisher.handleEvents(
      receiveSubscription: { log.lines.append("subscription \($0)") },
      receiveOutput: { log.lines.append("value \($0)") },
      receiveCompletion: { log.lines.append("completion \($0)") },
      receiveCancel: { log.lines.append("cancel") },
      receiveRequest: { log.lines.append("request \($0)") })
  }

  @Test func closuresHearOfSignalsBeforeTheSubscriber() {
    let log = Log()
    let recorder = RecordingSubscriber<Int, Never>(
      initialDemand: .max(1),
      demandForEach: { value in
        log.lines.append("- \(value)")
        return value == 1 ? .max(2) : .none
      })
    recorder.onSubscription = { log.lines.append("- \($0)") }
    recorder.onCompletion = { log.lines.append("- \($0)") }
    watch([1, 2].publisher, log).subscribe(recorder)
    #expect(
      log.lines == [
        "subscription [1, 2]", "- HandleEvents", "request max(1)", "value 1", "- 1", "request max(2)", "value 2", "- 2",
        "completion finished", "- finished",
      ])
  }

  @Test func requestAndCancellationAreHeardBeforeUpstream() {
    let (log, source) = (Log(), Source(keepsSubscribers: true))
    source.onRequest = { log.lines.append("- request \($0)") }
    source.onCancel = { log.lines.append("- cancel") }
    let recorder = watch(source, log).recorded()
    recorder.cancel()
    recorder.cancel()
    recorder.request(.max(1))
    #expect(
      log.lines == [
        "subscription TestSubscription", "request unlimited", "- request unlimited", "cancel", "- cancel",
      ])
  }

  @Test func cancellationAfterTheEndIsNotHeard() {
    let (log, source) = (Log(), Source(keepsSubscribers: true))
    let recorder = watch(source, log).recorded(demand: .none)
    source.send(completion: .failure(TestError()))
    recorder.cancel()
    recorder.request(.max(1))
    source.send(1)
    source.send(completion: .finished)
    #expect(log.lines == ["subscription TestSubscription", "completion failure(test error)"])
  }

  @Test func demandOfAValueThatCancelsIsNotHeard() {
    let (log, source) = (Log(), Source(keepsSubscribers: true))
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { _ in .max(3) })
    recorder.onValue = { [unowned recorder] _ in recorder.cancel() }
    watch(source, log).subscribe(recorder)
    source.send(1)
    #expect(log.lines == ["subscription TestSubscription", "request max(1)", "value 1", "cancel"])
  }

  @Test func withoutClosuresEverythingPasses() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.handleEvents().recorded(demand: .max(2))
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(source.requests == [.max(2)])
    #expect(recorder.log == ["1", "test error"])
  }

  @Test func cancelFromInsideTheOutputClosureStopsTheStream() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>()
    source.handleEvents(receiveOutput: { [unowned recorder] in if $0 == 1 { recorder.cancel() } }).subscribe(recorder)
    source.send(1)
    source.send(2)
    #expect(source.cancellations.count == 1)
    #expect(!recorder.values.contains(2))
  }

  @Test func cancelFromInsideTheCompletionClosureKeepsTheCompletionBack() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>()
    source.handleEvents(receiveCompletion: { [unowned recorder] _ in recorder.cancel() }).subscribe(recorder)
    source.send(completion: .finished)
    #expect(recorder.log.isEmpty)
  }

  @Test(arguments: [true, false])
  func closuresGoThoughAnUpstreamKeepsTheStage(completes: Bool) {
    let lifetime = LifetimeCounter()
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    func watched(_ token: LifetimeCounter.Token) -> RecordingSubscriber<Int, TestError> {
      source.handleEvents(
        receiveSubscription: { _ in token.touch() }, receiveOutput: { _ in token.touch() },
        receiveCompletion: { _ in token.touch() }, receiveCancel: { token.touch() },
        receiveRequest: { _ in token.touch() }
      )
      .recorded()
    }
    let recorder = watched(lifetime.make())
    #expect(lifetime.count == 1)
    if completes { source.send(completion: .finished) } else { recorder.cancel() }
    #expect(lifetime.count == 0)
    #expect(source.send(1) == .none)
  }

  @Test func keepsTheRules() {
    expectOperatorRules("HandleEvents", earlyValue: .passes) { upstream, token in
      upstream.handleEvents(
        receiveSubscription: { _ in token.touch() }, receiveOutput: { _ in token.touch() },
        receiveCompletion: { _ in token.touch() }, receiveCancel: { token.touch() },
        receiveRequest: { _ in token.touch() })
    }
  }

  @Test func otherThreadMayCallDuringEveryClosure() {
    let source = PassthroughSubject<Int, TestError>()
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandForEach: { _ in .max(1) })
    let calls = Shared(0)
    let call = { [unowned recorder] () -> Void in
      calls.update { $0 += 1 }
      #expect(onOtherThread { _ = "\(String(describing: recorder.subscription))" })
    }
    source.handleEvents(
      receiveSubscription: { _ in call() }, receiveOutput: { _ in call() }, receiveCompletion: { _ in call() },
      receiveCancel: { call() }, receiveRequest: { _ in call() }
    )
    .subscribe(recorder)
    source.send(1)
    recorder.cancel()
    #expect(calls.value == 5)
  }
}
