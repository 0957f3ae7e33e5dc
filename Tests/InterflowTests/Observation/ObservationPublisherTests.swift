import Interflow
import InterflowTestSupport
import InterflowTesting
import Observation
import Testing

@Suite @MainActor struct ObservationPublisherTests {
  @MainActor @Observable
  final class Cart {
    var items = 0
    var price = 0
    var isClosed = false
    @ObservationIgnored let token: LifetimeCounter.Token?

    init(_ token: LifetimeCounter.Token? = nil) { self.token = token }
  }

  private let cart = Cart()
  private let recorder = RecordingSubscriber<[Int], Never>(initialDemand: .none)

  /// Waits until the publisher has delivered so many values. It then waits for a change, once it has been back on the
  /// actor, where the change is made.
  private func values(_ count: Int) async -> [[Int]] {
    await until { recorder.values.count >= count }
    return recorder.values
  }

  private var publisher: ObservationPublisher<[Int], Never> {
    let cart = cart
    return ObservationPublisher { [cart.items, cart.price] }
  }

  // MARK: Values and demand

  @Test func nothingIsReadBeforeDemand() async {
    let reads = Signal()
    let publisher = ObservationPublisher { [cart] in
      reads.fire()
      return [cart.items]
    }
    publisher.subscribe(recorder)
    // What this one reads comes after what the first would have read.
    let witness = RecordingSubscriber<[Int], Never>()
    self.publisher.subscribe(witness)
    await until { witness.values.count == 1 }
    #expect(reads.count == 0)
    witness.cancel()
    cart.items = 1
    recorder.request(.max(1))
    #expect(await values(1) == [[1]])
    #expect(reads.count == 1)
    recorder.cancel()
  }

  @Test func endOfEveryTransactionArrives() async {
    publisher.subscribe(recorder)
    recorder.request(.unlimited)
    _ = await values(1)
    for number in 1...200 {
      cart.items = -number
      cart.price = -number
      cart.items = number
      cart.price = number
      _ = await values(number + 1)
    }
    #expect(recorder.values == (0...200).map { [$0, $0] })
    recorder.cancel()
  }

  @Test func changesWithoutDemandLeaveTheLatest() async {
    publisher.subscribe(recorder)
    recorder.request(.max(1))
    _ = await values(1)
    // One with demand shows that each change has been noticed.
    let witness = RecordingSubscriber<[Int], Never>()
    publisher.subscribe(witness)
    await until { witness.values.count == 1 }
    for number in 1...10 {
      cart.items = number
      await until { witness.values.count == number + 1 }
    }
    witness.cancel()
    #expect(recorder.values == [[0, 0]])
    recorder.request(.max(1))
    #expect(await values(2) == [[0, 0], [10, 0]])
    recorder.cancel()
  }

  @Test func lastOfManyChangesIsNeverLost() async {
    publisher.subscribe(recorder)
    recorder.request(.unlimited)
    for number in 1...1_000 {
      cart.items = number
      if number.isMultiple(of: 7) { await Task.yield() }
    }
    await until { recorder.values.last == [1_000, 0] }
    let items = recorder.values.map { $0[0] }
    #expect(items == items.sorted())
    recorder.cancel()
  }

  @Test func eachSubscriberSeesEveryTransaction() async {
    let publisher = publisher
    let other = RecordingSubscriber<[Int], Never>()
    publisher.subscribe(recorder)
    recorder.request(.unlimited)
    publisher.subscribe(other)
    for number in 1...100 {
      await until { recorder.values.count == number && other.values.count == number }
      cart.items = number
    }
    await until { recorder.values.count == 101 && other.values.count == 101 }
    #expect(recorder.values == (0...100).map { [$0, 0] })
    #expect(other.values == recorder.values)
    recorder.cancel()
    other.cancel()
  }

  // MARK: Completion

  @Test func finishesWhenTheClosureSaysSo() async {
    let end = Signal()
    recorder.onCompletion = { _ in end.fire() }
    ObservationPublisher.untilFinished { [cart] in cart.isClosed ? .finish : .next([cart.items]) }
      .subscribe(recorder)
    recorder.request(.unlimited)
    _ = await values(1)
    cart.items = 1
    _ = await values(2)
    cart.items = 2
    cart.isClosed = true
    await end.wait()
    #expect(recorder.log == ["[0]", "[1]", "finished"])
  }

  @Test func finishesWithTheFirstReadingAfterAWeaklyHeldModelHasGone() async {
    let other = cart
    var cart: Cart? = Cart()
    let end = Signal()
    recorder.onCompletion = { _ in end.fire() }
    ObservationPublisher.untilFinished { [weak cart] in cart.map { .next([$0.items, other.items]) } ?? .finish }
      .subscribe(recorder)
    recorder.request(.unlimited)
    _ = await values(1)
    cart = nil
    other.items = 1
    await end.wait()
    #expect(recorder.log == ["[0, 0]", "finished"])
  }

  @Test func errorOfTheClosureIsTheFailure() async {
    let failing = RecordingSubscriber<Int, TestError>()
    let end = Signal()
    failing.onCompletion = { _ in end.fire() }
    ObservationPublisher { [cart] () throws(TestError) in
      if cart.items > 0 { throw TestError("full") }
      return cart.items
    }.subscribe(failing)
    await until { failing.values == [0] }
    cart.items = 1
    await end.wait()
    #expect(failing.error == TestError("full"))
  }

  // MARK: Cancellation and lifetime

  @Test func cancelReleasesTheModelWhileItWaits() async {
    let counter = LifetimeCounter()
    var cart: Cart? = Cart(counter.make())
    ObservationPublisher { [cart = cart!] in [cart.items] }.subscribe(recorder)
    recorder.request(.unlimited)
    cart = nil
    _ = await values(1)
    #expect(counter.count == 1)
    recorder.cancel()
    await until { counter.count == 0 }
  }

  @Test func cancelBeforeDemandReleasesTheModelAtOnce() {
    let counter = LifetimeCounter()
    ObservationPublisher { [cart = Cart(counter.make())] in [cart.items] }.subscribe(recorder)
    #expect(counter.count == 1)
    recorder.cancel()
    #expect(counter.count == 0)
  }

  @Test func nothingArrivesAfterCancel() async {
    for _ in 0..<100 {
      let (recorder, witness) = (RecordingSubscriber<[Int], Never>(), RecordingSubscriber<[Int], Never>())
      publisher.subscribe(recorder)
      // Subscribes later, so that it gets the change after the other would have got it.
      publisher.subscribe(witness)
      await until { recorder.values.count == 1 && witness.values.count == 1 }
      cart.items += 1
      recorder.cancel()
      await until { witness.values.count == 2 }
      #expect(recorder.values.count == 1)
      witness.cancel()
    }
  }
}
