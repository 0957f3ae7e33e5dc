import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("assign(to: &$property)")
struct AssignToPublishedTests {
  final class Clock {
    @Published var ticks = 0
    @Published var text = ""
  }

  // MARK: Values

  @Test func thePropertyTakesEachValue() {
    let (source, clock) = (PassthroughSubject<Int, Never>(), Clock())
    let recorder = clock.$ticks.recorded()
    source.assign(to: &clock.$ticks)
    source.send(1)
    source.send(2)
    #expect(clock.ticks == 2)
    #expect(recorder.values == [0, 1, 2])
  }

  @Test func thePropertyKeepsItsValueWhenThePublisherFinishes() {
    let (source, clock) = (PassthroughSubject<Int, Never>(), Clock())
    let recorder = clock.$ticks.recorded()
    source.assign(to: &clock.$ticks)
    source.send(1)
    source.send(completion: .finished)
    #expect(clock.ticks == 1)
    #expect(recorder.log == ["0", "1"])
    clock.ticks = 5
    #expect(recorder.values == [0, 1, 5])
  }

  @Test func aPropertyMayFollowSeveralPublishers() {
    let (first, second, clock) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>(), Clock())
    first.assign(to: &clock.$ticks)
    second.assign(to: &clock.$ticks)
    first.send(1)
    #expect(clock.ticks == 1)
    second.send(2)
    #expect(clock.ticks == 2)
    first.send(completion: .finished)
    second.send(3)
    #expect(clock.ticks == 3)
  }

  @Test func onePropertyFollowsAnother() {
    let clock = Clock()
    clock.$ticks.map { "\($0) ticks" }.assign(to: &clock.$text)
    #expect(clock.text == "0 ticks")
    clock.ticks = 7
    #expect(clock.text == "7 ticks")
  }

  @Test func anInitializerMayAssign() {
    final class Counter {
      @Published var count = 0
      @Published private(set) var isEven = false
      init(_ source: some Publisher<Int, Never>) {
        source.assign(to: &$count)
        $count.map { $0.isMultiple(of: 2) }.assign(to: &$isEven)
      }
    }

    let counter = Counter([1, 2, 3].publisher)
    #expect(counter.count == 3)
    #expect(!counter.isEven)
    counter.count = 4
    #expect(counter.isEven)
  }

  @Test func assigningFiresObjectWillChange() {
    final class Counter: ObservableObject {
      @Published var count = 0
    }

    let (source, counter) = (PassthroughSubject<Int, Never>(), Counter())
    var seen: [Int] = []
    let cancellable = counter.objectWillChange.sink { seen.append(counter.count) }
    source.assign(to: &counter.$count)
    source.send(1)
    source.send(2)
    #expect(seen == [0, 1])
    cancellable.cancel()
  }

  // MARK: Demand

  @Test func everythingIsAskedForAtOnce() {
    let (source, clock) = (TestPublisher<Int, Never>(keepsSubscribers: true), Clock())
    source.assign(to: &clock.$ticks)
    #expect(source.requests == [.unlimited])
    #expect(source.send(1) == .none)
  }

  // MARK: Lifetime

  @Test func theObjectIsNotKeptAliveAndItsEndCancelsUpstream() {
    let counter = LifetimeCounter()
    final class Owner {
      let token: LifetimeCounter.Token
      @Published var value = 0
      init(_ token: LifetimeCounter.Token) { self.token = token }
    }

    let sources = [
      TestPublisher<Int, Never>(keepsSubscribers: true), TestPublisher<Int, Never>(keepsSubscribers: true),
    ]
    do {
      let owner = Owner(counter.make())
      for source in sources { source.assign(to: &owner.$value) }
      sources[0].send(1)
      #expect(owner.value == 1)
      #expect(sources.allSatisfy { $0.cancellations.isEmpty })
    }
    #expect(counter.count == 0)
    for source in sources {
      #expect(source.cancellations.count == 1)
      source.send(2)
      source.send(completion: .finished)
    }
  }

  @Test func aPublisherThatHasFinishedIsNotCancelled() {
    let source = TestPublisher<Int, Never>(keepsSubscribers: true)
    do {
      let clock = Clock()
      source.assign(to: &clock.$ticks)
      source.send(completion: .finished)
    }
    #expect(source.cancellations.isEmpty)
  }

  @Test func aFinishedPublisherIsReleased() {
    let counter = LifetimeCounter()
    let clock = Clock()
    do {
      let token = counter.make()
      [1, 2].publisher.eraseToAnyPublisher()
        .map { value in
          token.touch()
          return value
        }
        .assign(to: &clock.$ticks)
    }
    #expect(counter.count == 0)
    #expect(clock.ticks == 2)
  }

  @Test func twoPropertiesOfOneObjectDoNotKeepItAlive() {
    let counter = LifetimeCounter()
    final class Owner {
      let token: LifetimeCounter.Token
      @Published var number = 0
      @Published var text = ""
      init(_ token: LifetimeCounter.Token) {
        self.token = token
        $number
          .map { [token] in
            token.touch()
            return "\($0)"
          }
          .assign(to: &$text)
      }
    }

    do { Owner(counter.make()).number = 1 }
    #expect(counter.count == 0)
  }

  @Test func theObjectMayGoWhileAValueComes() {
    let source = PassthroughSubject<Int, Never>()
    var clock: Clock? = Clock()
    clock.map { source.assign(to: &$0.$ticks) }
    let cancellable = clock?.$ticks.sink { if $0 == 1 { clock = nil } }
    source.send(1)
    source.send(2)
    #expect(clock == nil)
    cancellable?.cancel()
  }

  // MARK: Misuse

  @Test func aSecondSubscriptionIsCancelled() {
    let (source, clock) = (TestPublisher<Int, Never>(keepsSubscribers: true), Clock())
    source.assign(to: &clock.$ticks)
    source.subscription?.sendSubscription()
    #expect(source.cancellations.count == 1)
    source.send(1)
    #expect(clock.ticks == 1)
  }
}
