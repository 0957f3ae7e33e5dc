import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

/// The forms of `sink(isolation:)` that hand their closures the actor.
@Suite struct HandedActorSinkTests {
  private func follow<P: Publisher>(_ publisher: P, on desk: Desk) -> AnyCancellable {
    let publisher = UncheckedBox(publisher)
    return desk.perform { desk in
      publisher.value.sink(isolation: desk) { desk, completion in
        desk.note(completion)
      } receiveValue: { desk, value in
        desk.note(value)
      }
    }
  }

  /// Lets the tasks that go to the desk arrive there, and runs them.
  private func run(_ desk: Desk, until count: Int) async {
    while desk.noted.count < count {
      desk.executor.run()
      await Task.yield()
    }
  }

  @Test func valuesAndTheCompletionArriveOnTheActorInOrder() async {
    let desk = Desk()
    let subject = PassthroughSubject<Int, TestError>()
    let cancellable = follow(subject, on: desk)
    for number in 1...100 { subject.send(number) }
    subject.send(completion: .finished)
    await run(desk, until: 101)
    #expect(desk.noted == (1...100).map { "\($0)" } + ["finished"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func subscriptionDoesNotKeepTheActorAlive() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    var desk: Desk? = Desk()
    weak let gone = desk
    let cancellable = follow(publisher, on: desk!)
    desk = nil
    #expect(gone == nil)
    #expect(publisher.cancellations.isEmpty)
    let cancelled = Signal()
    publisher.onCancel = { cancelled.fire() }
    publisher.send(1)
    await cancelled.wait()
    withExtendedLifetime(cancellable) {}
  }

  @Test func cancelReleasesTheClosures() {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let counter = LifetimeCounter()
    let cancellable = Desk().perform { [token = counter.make()] desk in
      publisher.sink(isolation: desk) { _, _ in token.touch() }
    }
    #expect(counter.count == 1)
    cancellable.cancel()
    #expect(counter.count == 0)
    #expect(publisher.cancellations.count == 1)
  }
}
