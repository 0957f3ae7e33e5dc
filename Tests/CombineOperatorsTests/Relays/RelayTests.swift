import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct RelayTests {
  @Test func currentValueIsDeliveredFirst() {
    let relay = CurrentValueRelay(1)
    let recorder = relay.recorded()
    relay.accept(2)
    #expect(relay.value == 2)
    #expect(recorder.values == [1, 2])
    #expect(relay.recorded().values == [2])
  }

  @Test func passthroughStoresNothing() {
    let relay = PassthroughRelay<Int>()
    relay.accept(1)
    let recorder = relay.recorded()
    relay.accept(2)
    #expect(recorder.values == [2])
  }

  @Test func emptyValueNeedsNoArgument() {
    let relay = PassthroughRelay<Void>()
    let recorder = relay.recorded()
    relay.accept()
    #expect(recorder.values.count == 1)
  }

  @Test func relaysFinishWhenTheyAreReleased() {
    var current: CurrentValueRelay<Int>? = CurrentValueRelay(1)
    var passing: PassthroughRelay<Int>? = PassthroughRelay()
    let recorders = [current?.recorded(), passing?.recorded()]
    #expect(recorders.allSatisfy { $0?.completions == 0 })
    current = nil
    passing = nil
    #expect(recorders.allSatisfy { $0?.isFinished == true })
  }

  @Test func completionOfAPublisherIsIgnored() {
    let (current, passing) = (CurrentValueRelay(0), PassthroughRelay<Int>())
    let recorders = [current.recorded(), passing.recorded()]
    let cancellables = [
      [1, 2].publisher.subscribe(current), [1, 2].publisher.subscribe(passing), current.subscribe(Just(3)),
      passing.subscribe(Just(3)),
    ]
    #expect(recorders.map(\.log) == [["0", "1", "2", "3"], ["1", "2", "3"]])
    current.accept(4)
    passing.accept(4)
    #expect(recorders.allSatisfy { $0.values.last == 4 })
    withExtendedLifetime(cancellables) {}
  }

  @Test func relayReceivesFromAnotherUntilCancelled() {
    let (source, target) = (PassthroughRelay<Int>(), CurrentValueRelay(0))
    let cancellable = target.subscribe(source)
    source.accept(1)
    cancellable.cancel()
    source.accept(2)
    #expect(target.value == 1)
  }
}
