import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("Publishers.Sequence")
struct SequenceTests {
  @Suite("Demand")
  struct DemandTests {
    @Test func deliversEverythingOnUnlimitedDemand() {
      let recorder = RecordingSubscriber<Int, Never>()
      (1...5).publisher.subscribe(recorder)
      #expect(recorder.log == ["1", "2", "3", "4", "5", "finished"])
    }

    @Test func requestsAddUpAndNoMoreIsDelivered() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
      (1...10).publisher.subscribe(recorder)
      #expect(recorder.values == [1, 2])
      recorder.request(.max(1))
      recorder.request(.max(3))
      #expect(recorder.values == [1, 2, 3, 4, 5, 6])
      recorder.request(.unlimited)
      #expect(recorder.values == Array(1...10))
      #expect(recorder.isFinished)
    }

    @Test func demandReturnedWithAValueIsServedInTheSameRun() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1)) { $0 == 2 ? .none : .max(1) }
      (1...10).publisher.subscribe(recorder)
      #expect(recorder.values == [1, 2])
      #expect(!recorder.isFinished)
    }

    @Test func theCompletionComesRightAfterTheLastValue() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
      [1, 2].publisher.subscribe(recorder)
      #expect(recorder.log == ["1", "2", "finished"])
      recorder.request(.max(1))
      #expect(recorder.log == ["1", "2", "finished"])
    }

    @Test func anEmptySequenceFinishesWithoutDemand() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      [Int]().publisher.subscribe(recorder)
      #expect(recorder.subscriptionNames == ["Empty"])
      #expect(recorder.log == ["finished"])
    }

    @Test func aRequestFromInsideReceiveDoesNotNest() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
      var depth = 0
      var deepest = 0
      recorder.onValue = { _ in
        depth += 1
        deepest = max(deepest, depth)
        recorder.request(.max(1))
        depth -= 1
      }
      (1...100).publisher.subscribe(recorder)
      #expect(recorder.values == Array(1...100))
      #expect(deepest == 1)
    }

    @Test func aMillionElementsOneAtATimeDoNotGrowTheStack() {
      let byRequest = Counter { $0.request(.max(1)) }
      (0..<longStreamCount).publisher.subscribe(byRequest)
      #expect(byRequest.count == longStreamCount)
      #expect(byRequest.isFinished)

      let byReturn = Counter(more: .max(1)) { _ in }
      (0..<longStreamCount).publisher.subscribe(byReturn)
      #expect(byReturn.count == longStreamCount)
      #expect(byReturn.isFinished)
    }

    @Test func demandAtTheLimitOfWhatCanBeCountedIsServed() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(.max)) { _ in .max(.max) }
      recorder.onValue = { _ in recorder.request(.max(.max)) }
      (1...3).publisher.subscribe(recorder)
      #expect(recorder.log == ["1", "2", "3", "finished"])
    }

    @Test func requestsFromSeveralThreadsAreServedInOrderAndWithoutLoss() {
      for _ in 0..<50 {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        (0..<1_000).publisher.subscribe(recorder)
        inParallel(4) { _ in for _ in 0..<100 { recorder.request(.max(2)) } }
        #expect(recorder.values == Array(0..<800))
        #expect(!recorder.isFinished)
      }
    }

    @Test func aRequestThatFindsAnotherThreadDeliveringIsServedByIt() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      let busy = BusyThread()
      recorder.onValue = { if $0 == 0 { busy.stay() } }
      (0..<5).publisher.subscribe(recorder)
      busy.start { recorder.request(.max(1)) }
      recorder.request(.max(2))
      #expect(recorder.values == [0])
      busy.release()
      #expect(recorder.values == [0, 1, 2])
    }

    @Test func anInfiniteSequenceIsDrawnFromAsDemanded() {
      var drawn = 0
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(3))
      sequence(first: 0) {
        drawn += 1
        return $0 + 1
      }.publisher.subscribe(recorder)
      #expect(recorder.values == [0, 1, 2])
      // One ahead, to know whether the last delivered is the last there is.
      #expect(drawn <= 3)
    }

    @Test func aRequestForNothingDoesNothing() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      recorder.onSubscription = { $0.request(.none) }
      [1, 2].publisher.subscribe(recorder)
      recorder.request(.none)
      #expect(recorder.log.isEmpty)
      recorder.request(.max(1))
      #expect(recorder.log == ["1"])
    }
  }

  @Suite("Cancellation and lifetime")
  struct Lifetime {
    @Test func cancellingFromInsideReceiveStopsAtOnce() {
      let recorder = RecordingSubscriber<Int, Never>()
      recorder.onValue = { if $0 == 3 { recorder.cancel() } }
      (1...10).publisher.subscribe(recorder)
      #expect(recorder.log == ["1", "2", "3"])
    }

    @Test func cancellingFromInsideTheLastValueSuppressesTheCompletion() {
      let recorder = RecordingSubscriber<Int, Never>()
      recorder.onValue = { if $0 == 3 { recorder.cancel() } }
      (1...3).publisher.subscribe(recorder)
      #expect(recorder.log == ["1", "2", "3"])
    }

    @Test func nothingFollowsCancellation() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
      (1...3).publisher.subscribe(recorder)
      recorder.cancel()
      recorder.request(.unlimited)
      #expect(recorder.log == ["1"])
    }

    @Test func cancellingFromAnotherThreadStopsAnInfiniteSequence() {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      let busy = BusyThread()
      recorder.onValue = { if $0 == 10 { busy.stay() } }
      sequence(first: 0) { $0 + 1 }.publisher.subscribe(recorder)
      busy.start { recorder.request(.unlimited) }
      recorder.cancel()
      #expect(busy.release())
      #expect(recorder.values.count == 11)
    }

    @Test(arguments: ["completion", "cancellation", "cancellation inside", "cancellation before a request"])
    func aSubscriptionThatIsKeptKeepsNothingElseAlive(ending: String) {
      let lifetime = LifetimeCounter()
      var subscription: (any Subscription)?
      do {
        let token = lifetime.make()
        let elements = (0..<3).map { _ in lifetime.make() }
        elements.publisher.subscribe(
          AnySubscriber(
            receiveSubscription: {
              subscription = $0
              if ending != "cancellation before a request" { $0.request(.max(1)) }
            },
            receiveValue: { _ in
              token.touch()
              if ending == "cancellation inside" { subscription?.cancel() }
              return .none
            }))
        if ending == "completion" { subscription?.request(.unlimited) } else { subscription?.cancel() }
      }
      #expect(lifetime.count == 0)
      withExtendedLifetime(subscription) {}
    }

    @Test func requestsAndCancellationsOfSeveralThreadsRelease() {
      for _ in 0..<100 {
        let lifetime = LifetimeCounter()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        do {
          let token = lifetime.make()
          (0..<1_000).publisher.map { value in
            token.touch()
            return value
          }.subscribe(recorder)
        }
        inParallel(3) { thread in
          for _ in 0..<20 { recorder.request(.max(5)) }
          if thread == 0 { recorder.cancel() }
        }
        #expect(recorder.values == Array(0..<recorder.values.count))
        #expect(lifetime.count == 0)
      }
    }
  }

  @Test func theSubscriptionIsDescribedByTheSequenceUntilTheEnd() {
    for ending in ["completion", "cancellation"] {
      var inside: [String] = []
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
      recorder.onValue = { [unowned recorder] _ in inside.append("\(recorder.subscription!)") }
      [1, 2].publisher.subscribe(recorder)
      #expect(recorder.subscriptionNames == ["[1, 2]"])
      #expect(inside == ["[1, 2]"])
      if ending == "completion" { recorder.request(.unlimited) } else { recorder.cancel() }
      #expect(recorder.subscription.map { "\($0)" } == "Sequence")
    }
  }

  @Test func describingDeliversNothing() {
    for _ in 0..<300 {
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      let asker = Shared<Thread?>(nil)
      let strangers = Shared(0)
      recorder.onValue = { _ in if asker.value !== Thread.current { strangers.update { $0 += 1 } } }
      (0..<50).publisher.subscribe(recorder)
      inParallel(2) { thread in
        if thread == 0 {
          asker.update { $0 = Thread.current }
          for _ in 0..<50 { recorder.request(.max(1)) }
        } else {
          while recorder.completions == 0 { _ = "\(recorder.subscription!)" }
        }
      }
      #expect(recorder.values == Array(0..<50))
      #expect(strangers.value == 0)
    }
  }

  @Test func describingWhileItEndsReleasesTheSequence() {
    for _ in 0..<300 {
      let lifetime = LifetimeCounter()
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
      do {
        let token = lifetime.make()
        AnySequence(
          sequence(first: 0) {
            token.touch(); return $0 + 1
          }
        ).publisher.subscribe(recorder)
      }
      inParallel(3) { thread in
        if thread == 0 { recorder.cancel() } else { _ = "\(recorder.subscription!)" }
      }
      #expect(lifetime.count == 0)
    }
  }

  @Test func equalSequencesMakeEqualPublishers() {
    #expect([1, 2].publisher == [1, 2].publisher)
    #expect([1, 2].publisher != [1].publisher)
  }

  /// Counts values without keeping them.
  final class Counter: Subscriber {
    typealias Input = Int
    typealias Failure = Never

    var count = 0
    var isFinished = false
    private var subscription: (any Subscription)?
    private let more: Subscribers.Demand
    private let onValue: (any Subscription) -> Void

    init(more: Subscribers.Demand = .none, onValue: @escaping (any Subscription) -> Void) {
      self.more = more
      self.onValue = onValue
    }

    func receive(subscription: any Subscription) {
      self.subscription = subscription
      subscription.request(.max(1))
    }

    func receive(_ input: Int) -> Subscribers.Demand {
      count += 1
      if let subscription { onValue(subscription) }
      return more
    }

    func receive(completion: Subscribers.Completion<Never>) {
      isFinished = true
    }
  }
}
