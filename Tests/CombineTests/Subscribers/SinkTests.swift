import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("Sink")
struct SinkTests {
  typealias Sink = Subscribers.Sink<Int, TestError>

  @Suite("Signals")
  struct Signals {
    @Test func asksForEverythingAndCallsTheClosures() {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      var log: [String] = []
      let cancellable = upstream.sink {
        log.append("\($0)")
      } receiveValue: {
        log.append("\($0)")
      }
      #expect(upstream.requests == [.unlimited])
      #expect(upstream.send(1) == .none)
      #expect(upstream.send(2) == .none)
      upstream.send(completion: .failure(TestError()))
      #expect(log == ["1", "2", "failure(test error)"])
      withExtendedLifetime(cancellable) {}
    }

    @Test func theCompletionIsDeliveredOnceAndNothingFollowsIt() {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      var log: [String] = []
      let sink = Sink {
        log.append("\($0)")
      } receiveValue: {
        log.append("\($0)")
      }
      upstream.subscribe(sink)
      upstream.send(completion: .finished)
      upstream.send(completion: .failure(TestError()))
      upstream.send(1)
      #expect(log == ["finished"])
      sink.cancel()
      #expect(upstream.cancellations.isEmpty)
    }

    @Test func aSecondSubscriptionIsCancelled() {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let sink = Sink { _ in
      } receiveValue: { _ in
      }
      upstream.subscribe(sink)
      upstream.subscription?.sendSubscription()
      #expect(upstream.cancellations.count == 1)
      #expect(upstream.requests == [.unlimited])
    }

    @Test func aSubscriptionThatComesAfterTheEndIsCancelled() {
      for ends in [0, 1] {
        let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true, sendsSubscriptions: false)
        let sink = Sink { _ in
        } receiveValue: { _ in
        }
        upstream.subscribe(sink)
        if ends == 0 { sink.cancel() } else { sink.receive(completion: .finished) }
        upstream.subscription?.sendSubscription()
        #expect(upstream.cancellations.count == 1)
        #expect(upstream.requests == [])
      }
    }

    @Test func signalsThatComeWithoutASubscriptionAreDelivered() {
      var log: [String] = []
      let sink = Sink {
        log.append("\($0)")
      } receiveValue: {
        log.append("\($0)")
      }
      _ = sink.receive(1)
      sink.receive(completion: .finished)
      sink.receive(completion: .finished)
      _ = sink.receive(2)
      #expect(log == ["1", "finished"])
    }

    @Test func nothingFollowsCancellation() {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      var log: [String] = []
      let cancellable = upstream.sink {
        log.append("\($0)")
      } receiveValue: {
        log.append("\($0)")
      }
      upstream.send(1)
      cancellable.cancel()
      cancellable.cancel()
      upstream.send(2)
      upstream.send(completion: .finished)
      #expect(log == ["1"])
      #expect(upstream.cancellations.count == 1)
    }

    @Test func cancellingFromInsideAValueStopsAtOnce() {
      var cancellable: AnyCancellable?
      var values: [Int] = []
      let subject = PassthroughSubject<Int, Never>()
      cancellable = subject.sink {
        values.append($0)
        cancellable?.cancel()
        subject.send($0 + 1)
      }
      subject.send(1)
      #expect(values == [1])
    }

    @Test func deallocatingTheCancellableCancels() {
      let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
      do {
        let cancellable = upstream.sink { _ in }
        withExtendedLifetime(cancellable) {}
      }
      #expect(upstream.cancellations.count == 1)
    }

    @Test func theClosuresAreThoseOfTheInitialiserUntilTheEnd() {
      var log: [String] = []
      let sink = Sink {
        log.append("\($0)")
      } receiveValue: {
        log.append("\($0)")
      }
      sink.receiveValue(1)
      sink.receiveCompletion(.finished)
      #expect(log == ["1", "finished"])
      sink.cancel()
      sink.receiveValue(2)
      sink.receiveCompletion(.finished)
      #expect(log == ["1", "finished"])
    }
  }

  @Suite("Lifetime")
  struct Lifetime {
    @Test(arguments: ["completion", "cancellation"])
    func aSinkThatIsKeptHasLetGoOfItsClosures(ending: String) {
      let lifetime = LifetimeCounter()
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let sink = {
        let token = lifetime.make()
        return Sink { _ in
          token.touch()
        } receiveValue: { _ in
          token.touch()
        }
      }()
      upstream.subscribe(sink)
      upstream.send(1)
      #expect(lifetime.count == 1)
      if ending == "completion" { upstream.send(completion: .finished) } else { sink.cancel() }
      #expect(lifetime.count == 0)
      withExtendedLifetime(sink) {}
    }

    @Test(arguments: ["completion", "cancellation"])
    func aSinkThatIsKeptHasLetGoOfItsSubscription(ending: String) {
      final class Held: Subscription {
        let token: LifetimeCounter.Token
        init(_ token: LifetimeCounter.Token) { self.token = token }
        func request(_ demand: Subscribers.Demand) {}
        func cancel() {}
      }
      let lifetime = LifetimeCounter()
      let sink = Sink { _ in
      } receiveValue: { _ in
      }
      sink.receive(subscription: Held(lifetime.make()))
      #expect(lifetime.count == 1)
      if ending == "completion" { sink.receive(completion: .finished) } else { sink.cancel() }
      #expect(lifetime.count == 0)
      withExtendedLifetime(sink) {}
    }

    @Test func theClosuresOfAFinishedStreamAreReleasedWhileTheCancellableIsKept() {
      let lifetime = LifetimeCounter()
      let cancellable = {
        let token = lifetime.make()
        return [1, 2].publisher.sink { _ in token.touch() }
      }()
      #expect(lifetime.count == 0)
      withExtendedLifetime(cancellable) {}
    }

    @Test(arguments: ["completion", "cancellation"])
    func theClosuresGoThoughAnUpstreamKeepsTheSubscriber(ending: String) {
      let (lifetime, filtered) = (LifetimeCounter(), LifetimeCounter())
      let upstreams = [
        TestPublisher<Int, TestError>(keepsSubscribers: true), TestPublisher<Int, TestError>(keepsSubscribers: true),
      ]
      func sink<P: Publisher>(_ publisher: P, _ token: LifetimeCounter.Token) -> AnyCancellable where P.Output == Int {
        publisher.sink { _ in
          token.touch()
        } receiveValue: { _ in
          token.touch()
        }
      }
      let token = filtered.make()
      let cancellables = [
        sink(upstreams[0], lifetime.make()),
        sink(
          upstreams[1].filter { [token] _ in
            token.touch()
            return true
          }, lifetime.make()),
      ]
      for upstream in upstreams { upstream.send(1) }
      #expect(lifetime.count == 2)
      if ending == "completion" {
        for upstream in upstreams { upstream.send(completion: .finished) }
      } else {
        for cancellable in cancellables { cancellable.cancel() }
      }
      #expect(lifetime.count == 0)
      for upstream in upstreams { #expect(upstream.send(2) == .none) }
      withExtendedLifetime((cancellables, upstreams, token)) {}
    }

    @Test func theClosuresOfASubjectsSinkThatEndsFromInsideAValueGoAfterIt() {
      for ends in [true, false] {
        let lifetime = LifetimeCounter()
        let subject = PassthroughSubject<Int, Never>()
        var cancellable: AnyCancellable?
        var alive: [Int] = []
        let token = Shared<LifetimeCounter.Token?>(lifetime.make())
        cancellable = subject.map { $0 + 1 }.sink { [held = token.value] value in
          if value == 1 {
            subject.send(1)
          } else if ends {
            subject.send(completion: .finished)
          } else {
            cancellable?.cancel()
          }
          alive.append(lifetime.count)
          held?.touch()
        }
        token.update { $0 = nil }
        subject.send(0)
        #expect(alive == [1, 1])
        #expect(lifetime.count == 0)
        withExtendedLifetime(cancellable) {}
      }
    }

    @Test func aCancellationMeetsAValueOfAnUpstreamThatKeepsTheSubscriber() {
      for _ in 0..<300 {
        let lifetime = LifetimeCounter()
        let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
        let token = Shared<LifetimeCounter.Token?>(lifetime.make())
        let cancellable = upstream.sink { [held = token.value] _ in held?.touch() }
        token.update { $0 = nil }
        inParallel(2) { thread in
          if thread == 0 { for value in 0..<20 { upstream.send(value) } } else { cancellable.cancel() }
        }
        #expect(lifetime.count == 0)
        withExtendedLifetime(upstream) {}
      }
    }

    @Test func aCancellationMeetsAValueOfASubject() {
      for _ in 0..<300 {
        let lifetime = LifetimeCounter()
        let subject = PassthroughSubject<Int, Never>()
        let token = Shared<LifetimeCounter.Token?>(lifetime.make())
        let cancellable = subject.filter { $0 >= 0 }.sink { [held = token.value] _ in held?.touch() }
        token.update { $0 = nil }
        inParallel(2) { thread in
          if thread == 0 { for value in 0..<20 { subject.send(value) } } else { cancellable.cancel() }
        }
        subject.send(0)
        #expect(lifetime.count == 0)
      }
    }

    @Test func aCancellableMayBeReleasedFromInsideTheClosures() {
      final class Owner {
        var cancellable: AnyCancellable?
        var values: [Int] = []
      }
      let owner = Owner()
      let subject = PassthroughSubject<Int, Never>()
      owner.cancellable = subject.sink {
        owner.values.append($0)
        owner.cancellable = nil
      }
      subject.send(1)
      subject.send(2)
      #expect(owner.values == [1])
    }

    @Test func aClosureWhoseDeinitCancelsDoesNotDeadlock() {
      final class Canceller {
        var sink: Sink?
        deinit { sink?.cancel() }
        func touch() {}
      }
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      weak var weakCanceller: Canceller?
      let sink = {
        let canceller = Canceller()
        weakCanceller = canceller
        let sink = Sink { _ in
          canceller.touch()
        } receiveValue: { _ in
          canceller.touch()
        }
        canceller.sink = sink
        return sink
      }()
      upstream.subscribe(sink)
      sink.cancel()
      #expect(weakCanceller == nil)
      #expect(upstream.cancellations.count == 1)
    }
  }

  @Test func cancellationAndSignalsOfSeveralThreadsEndTheSinkOnce() {
    for _ in 0..<100 {
      let upstream = TestPublisher<Int, TestError>(keepsSubscribers: true)
      let completions = Shared(0)
      let sink = UncheckedBox(
        Sink { _ in
          completions.update { $0 += 1 }
        } receiveValue: { _ in
        })
      upstream.subscribe(sink.value)
      inParallel(3) { thread in
        if thread == 0 {
          sink.value.cancel()
        } else if thread == 1 {
          for value in 0..<20 { _ = sink.value.receive(value) }
          sink.value.receive(completion: .finished)
        } else {
          upstream.subscription?.sendSubscription()
        }
      }
      // The second subscription is cancelled in any case, the first unless the completion was first.
      #expect(upstream.cancellations.count == 1 || completions.value == 0 && upstream.cancellations.count == 2)
      #expect(completions.value <= 1)
    }
  }

  @Test func describesItself() {
    let sink = Sink { _ in
    } receiveValue: { _ in
    }
    #expect(sink.description == "Sink")
    #expect(sink.playgroundDescription as? String == "Sink")
    #expect(sink.customMirror.children.isEmpty)
  }
}
