import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct IsolatedSinkTests {
  private let desk = Desk()

  /// Subscribes on the desk, with closures that note everything there.
  private func follow<P: Publisher>(_ publisher: P) -> AnyCancellable {
    let publisher = UncheckedBox(publisher)
    return desk.perform { desk in
      publisher.value.sink(isolation: #isolation) {
        desk.note($0)
      } receiveValue: {
        desk.note($0)
      }
    }
  }

  // MARK: Values

  @Test func valuesArriveOnTheActorInOrderWithOneHop() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = follow(subject)
    for number in 0..<1_000 { subject.send(number) }
    #expect(desk.executor.waiting == 1)
    #expect(desk.noted == [])
    #expect(desk.executor.run() == 1)
    #expect(desk.noted == (0..<1_000).map { "\($0)" })
    withExtendedLifetime(cancellable) {}
  }

  @Test func nothingArrivesInsideTheSend() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = follow(subject)
    let during = desk.perform { desk in
      subject.send(1)
      return desk.log
    }
    #expect(during == [])
    desk.executor.run()
    #expect(desk.noted == ["1"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func completionArrivesAfterTheValuesWithTheSameHop() {
    let subject = PassthroughSubject<Int, TestError>()
    let cancellable = follow(subject)
    subject.send(1)
    subject.send(2)
    subject.send(completion: .failure(TestError("end")))
    #expect(desk.executor.run() == 1)
    #expect(desk.noted == ["1", "2", "\(Subscribers.Completion.failure(TestError("end")))"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func completionAloneArrives() {
    let cancellable = follow(Empty<Int, Never>())
    desk.executor.run()
    #expect(desk.noted == ["finished"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func valuesSentFromInsideAClosureComeAfterThoseThatWait() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = desk.perform { desk in
      subject.sink(isolation: #isolation) {
        desk.note("begin \($0)")
        if $0 < 10 { subject.send($0 * 10) }
        desk.note("end \($0)")
      }
    }
    subject.send(1)
    subject.send(2)
    desk.executor.run()
    #expect(
      desk.noted == [1, 2, 10, 20].flatMap { ["begin \($0)", "end \($0)"] })
    withExtendedLifetime(cancellable) {}
  }

  @Test func othersGetTheirTurnOnTheActorBetweenBatches() async {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = desk.perform { desk in
      subject.sink(isolation: #isolation) {
        desk.note($0)
        if $0 < 3 { subject.send($0 + 1) }
      }
    }
    subject.send(1)
    let other = Task { [desk] in await desk.note("other") }
    await until { desk.executor.waiting == 2 }
    desk.executor.run()
    #expect(desk.noted == ["1", "other", "2", "3"])
    withExtendedLifetime((cancellable, other)) {}
  }

  @Test func valuesAfterARestStartAnotherDelivery() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = follow(subject)
    for number in 1...3 {
      subject.send(number)
      #expect(desk.executor.run() == 1)
    }
    #expect(desk.noted == ["1", "2", "3"])
    withExtendedLifetime(cancellable) {}
  }

  // MARK: Demand

  @Test func asksWithoutLimitAndForNoMore() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let cancellable = follow(publisher)
    #expect(publisher.requests == [.unlimited])
    #expect(publisher.send(1) == .none)
    desk.executor.run()
    #expect(publisher.requests == [.unlimited])
    withExtendedLifetime(cancellable) {}
  }

  // MARK: Cancellation and lifetime

  @Test func cancelBeforeTheActorGetsToItDropsAndReleasesEverything() {
    let publisher = TestPublisher<Tracked, Never>(keepsSubscribers: true)
    let counter = LifetimeCounter()
    let cancellable = desk.perform { [token = counter.make()] desk in
      publisher.sink(isolation: #isolation) { _ in
        token.touch()
      } receiveValue: {
        token.touch()
        desk.note($0)
      }
    }
    for number in 1...3 { publisher.send(Tracked(number, counter)) }
    #expect(counter.count == 4)
    cancellable.cancel()
    #expect(counter.count == 0)
    #expect(publisher.cancellations.count == 1)
    publisher.send(Tracked(4, counter))
    desk.executor.run()
    #expect(desk.noted == [])
    #expect(counter.count == 0)
  }

  @Test func cancelInsideAClosureDropsTheRestAndReleases() {
    let publisher = TestPublisher<Tracked, Never>(keepsSubscribers: true)
    let counter = LifetimeCounter()
    let box = Shared<AnyCancellable?>(nil)
    box.value = desk.perform { [token = counter.make()] desk in
      publisher.sink(isolation: #isolation) {
        token.touch()
        desk.note($0)
        if $0.number == 2 { box.value?.cancel() }
      }
    }
    for number in 1...5 { publisher.send(Tracked(number, counter)) }
    desk.executor.run()
    #expect(desk.noted == ["1", "2"])
    #expect(counter.count == 0)
    #expect(publisher.cancellations.count == 1)
  }

  @Test func cancelBetweenBatchesEndsTheDelivery() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = desk.perform { desk in
      subject.sink(isolation: #isolation) {
        desk.note($0)
        subject.send($0 + 1)
      }
    }
    subject.send(1)
    desk.executor.runOne()
    desk.executor.runOne()
    #expect(desk.executor.waiting == 1)
    cancellable.cancel()
    desk.executor.run()
    #expect(desk.noted == ["1", "2"])
  }

  @Test func completionReleasesTheClosures() {
    let subject = PassthroughSubject<Int, Never>()
    let counter = LifetimeCounter()
    let cancellable = desk.perform { [token = counter.make()] _ in
      subject.sink(isolation: #isolation) { _ in
        token.touch()
      } receiveValue: { _ in
        token.touch()
      }
    }
    subject.send(completion: .finished)
    #expect(counter.count == 1)
    desk.executor.run()
    #expect(counter.count == 0)
    withExtendedLifetime(cancellable) {}
  }

  @Test func droppingTheCancellableReleasesTheSubscription() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let counter = LifetimeCounter()
    desk.perform { [token = counter.make()] _ in
      _ = publisher.sink(isolation: #isolation) { _ in token.touch() }
    }
    #expect(publisher.cancellations.count == 1)
    #expect(counter.count == 0)
  }

  @Test func closuresAndValuesAreReleasedAndUpstreamIsCancelledWithoutALock() {
    let publisher = TestPublisher<Fuse, Never>(keepsSubscribers: true)
    let outcomes = Shared<[Bool]>([])
    let tryFromOutside: @Sendable () -> Void = {
      outcomes.update { $0.append(onOtherThread { publisher.send(completion: .finished) }) }
    }
    publisher.onCancel = tryFromOutside
    let cancellable = desk.perform { [fuse = Fuse(tryFromOutside)] _ in
      publisher.sink(isolation: #isolation) { _ in withExtendedLifetime(fuse) {} }
    }
    publisher.send(Fuse(tryFromOutside))
    cancellable.cancel()
    #expect(outcomes.value == [true, true, true])
  }

  // MARK: Misuse

  @Test func secondSubscriptionAndOneAfterTheEndAreCancelled() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let cancellable = follow(publisher)
    publisher.subscription?.sendSubscription()
    #expect(publisher.cancellations.count == 1)
    cancellable.cancel()
    #expect(publisher.cancellations.count == 2)
    publisher.subscription?.sendSubscription()
    #expect(publisher.cancellations.count == 3)
    #expect(publisher.requests == [.unlimited])
  }

  @Test func nothingFollowsTheCompletion() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let cancellable = follow(publisher)
    publisher.send(1)
    publisher.send(completion: .finished)
    publisher.send(2)
    publisher.send(completion: .finished)
    desk.executor.run()
    publisher.send(3)
    desk.executor.run()
    #expect(desk.noted == ["1", "finished"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func valueBeforeTheSubscriptionIsNotLost() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true, sendsSubscriptions: false)
    let cancellable = follow(publisher)
    publisher.send(1)
    publisher.subscription?.sendSubscription()
    publisher.send(2)
    desk.executor.run()
    #expect(desk.noted == ["1", "2"])
    withExtendedLifetime(cancellable) {}
  }
}

/// A value that does something when it is released.
private final class Fuse: Sendable {
  private let onRelease: @Sendable () -> Void

  init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

  deinit { onRelease() }
}
