import Combine
import InterflowTestSupport
import Testing

@Suite("AnyCancellable")
struct AnyCancellableTests {
  final class Cancellation: Cancellable {
    let count: Shared<Int>
    init(_ count: Shared<Int>) { self.count = count }
    func cancel() { count.update { $0 += 1 } }
  }

  @Test func cancelsOnce() {
    let count = Shared(0)
    let cancellable = AnyCancellable { count.update { $0 += 1 } }
    #expect(count.value == 0)
    cancellable.cancel()
    cancellable.cancel()
    #expect(count.value == 1)
  }

  @Test func cancelsWhenItIsDeallocated() {
    let count = Shared(0)
    do {
      let cancellable = AnyCancellable(Cancellation(count))
      withExtendedLifetime(cancellable) {}
    }
    #expect(count.value == 1)
  }

  @Test func deallocationAfterCancellationDoesNothing() {
    let count = Shared(0)
    do {
      let cancellable = AnyCancellable(Cancellation(count))
      cancellable.cancel()
    }
    #expect(count.value == 1)
  }

  @Test func releasesWhatItHoldsWithTheCancellation() {
    let lifetime = LifetimeCounter()
    let cancellable = {
      let token = lifetime.make()
      return AnyCancellable { token.touch() }
    }()
    #expect(lifetime.count == 1)
    cancellable.cancel()
    #expect(lifetime.count == 0)
  }

  @Test func cancelsOnceHoweverManyThreadsCancel() {
    for _ in 0..<200 {
      let count = Shared(0)
      let cancellable = AnyCancellable { count.update { $0 += 1 } }
      inParallel(3) { _ in cancellable.cancel() }
      #expect(count.value == 1)
    }
  }

  @Test func mayBeCancelledFromInsideItsOwnCancellation() {
    let count = Shared(0)
    let box = Shared<AnyCancellable?>(nil)
    let cancellable = AnyCancellable {
      count.update { $0 += 1 }
      box.value?.cancel()
    }
    box.value = cancellable
    cancellable.cancel()
    box.value = nil
    #expect(count.value == 1)
  }

  @Test func noLockIsHeldWhileItCancels() {
    let box = Shared<AnyCancellable?>(nil)
    let returned = Shared(false)
    let cancellable = AnyCancellable {
      let inside = box.value
      returned.value = onOtherThread { inside?.cancel() }
    }
    box.value = cancellable
    cancellable.cancel()
    box.value = nil
    #expect(returned.value)
  }

  @Test func isEqualToItselfAlone() {
    let (first, second) = (AnyCancellable {}, AnyCancellable {})
    #expect(first == first)
    #expect(first != second)
    #expect(Set([first, second, first]).count == 2)
  }

  @Test func collectionsKeepItAlive() {
    let count = Shared(0)
    do {
      var set = Set<AnyCancellable>()
      var array: [AnyCancellable] = []
      AnyCancellable(Cancellation(count)).store(in: &set)
      AnyCancellable(Cancellation(count)).store(in: &array)
      // Any cancellable can be stored; it is wrapped.
      Cancellation(count).store(in: &set)
      Cancellation(count).store(in: &array)
      #expect(count.value == 0)
      #expect(set.count == 2)
      #expect(array.count == 2)
      set.removeAll()
      #expect(count.value == 2)
      array.removeAll()
    }
    #expect(count.value == 4)
  }
}
