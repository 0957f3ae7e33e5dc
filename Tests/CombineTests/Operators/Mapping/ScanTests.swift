import Combine
import InterflowTestSupport
import Testing

@Suite struct ScanTests {
  private typealias Source = ManualPublisher<Int, TestError>

  @Test func eachValueGetsTheResultBefore() {
    let source = Source()
    let recorder = source.scan("") { $0 + "\($1)" }.recorded()
    for value in 1...3 { source.send(value) }
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "12", "123", "finished"])
  }

  @Test func demandPasses() {
    let source = Source()
    let recorder = Recorder<Int, TestError>(demand: .max(2), demandForEach: { .max($0) })
    source.scan(0, +).subscribe(recorder)
    #expect(source.requests == [.max(2)])
    #expect(source.send(3) == .max(3))
    #expect(source.send(4) == .max(7))
  }

  @Test func eachSubscriberStartsAfresh() {
    let publisher = [1, 2].publisher.map { $0 }.eraseToAnyPublisher().scan(10, +)
    #expect(publisher.recorded().values == [11, 13])
    #expect(publisher.recorded().values == [11, 13])
  }

  @Test func errorCancelsUpstreamBeforeItIsDelivered() {
    let source = Source()
    let recorder = source.tryScan(0) { sum, value -> Int in
      if value == 2 { throw TestError("thrown") }
      return sum + value
    }
    .recorded()
    recorder.onCompletion = { _ in #expect(source.cancellations == 1) }
    for value in 1...3 { source.send(value) }
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "thrown"])
  }

  @Test func valueFromInsideADeliveryIsAddedToItsResult() {
    let source = Source()
    let recorder = Recorder<Int, TestError>()
    recorder.onValue = { if $0 == 1 { source.send(10) } }
    source.scan(0, +).subscribe(recorder)
    source.send(1)
    source.send(100)
    #expect(recorder.log == ["1", "11", "111"])
  }

  @Test func upstreamsOwnSubscriptionIsHandedOnAndNothingIsHeldBack() {
    let source = Source(subscribes: false)
    let recorder = source.scan(0, +).recorded()
    #expect(source.send(1) == .none)
    source.sendSubscription()
    source.send(2)
    source.send(completion: .finished)
    source.send(3)
    source.sendSubscription()
    #expect(recorder.log == ["1", "3", "finished", "6"])
    #expect(recorder.subscriptions == ["ManualSubscription", "ManualSubscription"])
    #expect(source.cancellations == 0)
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Scan", isGuarded: false) { upstream, token in
      upstream.scan(0) {
        token.touch()
        return $0 + $1
      }
    }
    expectOperatorRules("TryScan", earlyValue: .passes) { upstream, token in
      upstream.tryScan(0) {
        token.touch()
        return $0 + $1
      }
    }
  }

  /// A result of several parts is replaced whole before one of them is released.
  @Test(arguments: [true, false]) func partOfAReplacedResultMaySend(throwing: Bool) {
    final class Part {
      let number: Int
      let onRelease: () -> Void
      init(_ number: Int, _ onRelease: @escaping () -> Void = {}) {
        self.number = number
        self.onRelease = onRelease
      }
      deinit { onRelease() }
    }
    let subject = PassthroughSubject<Int, Never>()
    var isSending = false
    var before: [[Int]] = []
    let next = { (parts: (Part, Part), value: Int) -> (Part, Part) in
      before.append([parts.0.number, parts.1.number])
      let first = value == 1 ? Part(1) { if isSending { subject.send(3) } } : Part(value)
      return (first, Part(value))
    }
    let initial = { (Part(0), Part(0)) }
    let cancellable =
      throwing
      ? subject.tryScan(initial(), next).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      : subject.scan(initial(), next).sink { _ in }
    subject.send(1)
    isSending = true
    for value in [2, 4] { subject.send(value) }
    withExtendedLifetime(cancellable) {}
    #expect(before == [[0, 0], [1, 1], [2, 2], [3, 3]])
  }
}
