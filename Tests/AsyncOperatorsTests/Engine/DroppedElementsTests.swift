import AsyncOperators
import InterflowTestSupport
import Testing

/// An element that its consumer does not get is released, though the iterator is still there.
@Suite struct DroppedElementsTests {
  /// Ignores cancellation, and delivers an element when the test says so.
  private struct Late: AsyncSequence, Sendable {
    let alive = LifetimeCounter()
    let requested = Signal()
    let proceed = Signal()
    let released = Signal()

    func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    final class Iterator: AsyncIteratorProtocol {
      private let sequence: Late
      private var isOver = false

      init(sequence: Late) { self.sequence = sequence }
      deinit { sequence.released.fire() }

      func next() async -> LifetimeCounter.Token? {
        if isOver { return nil }
        isOver = true
        sequence.requested.fire()
        await sequence.proceed.wait()
        return sequence.alive.make()
      }
    }
  }

  /// Ends when it is cancelled.
  private var silent: ManualSource<Int, Never> { ManualSource() }

  /// - Parameter isCancelled: Whether the consumer is cancelled while it waits. Otherwise, its sequence ends by itself.
  private func expectRelease<S: AsyncSequence & Sendable>(
    isCancelled: Bool = true, _ make: (Late) -> S
  ) async {
    let base = Late()
    let sequence = make(base)
    let hasEnded = Signal()
    let task = Task {
      var iterator = sequence.makeAsyncIterator()
      _ = try? await iterator.next(isolation: nil)
      hasEnded.fire()
      await base.released.wait()
      await until { base.alive.count == 0 }
      withExtendedLifetime(iterator) {}
    }
    await base.requested.wait()
    if isCancelled { task.cancel() }
    await hasEnded.wait()
    base.proceed.fire()
    await task.value
  }

  @Test func zipped() async {
    await expectRelease { zip($0, silent) }
    await expectRelease { zip(silent, silent, $0) }
    await expectRelease { zip(silent, $0, silent, silent) }
    await expectRelease { zip([$0]) }
  }

  @Test func combined() async {
    await expectRelease { combineLatest(silent, $0) }
    await expectRelease { combineLatest($0, silent, silent) }
    await expectRelease { combineLatest(silent, silent, silent, $0) }
    await expectRelease { combineLatest([$0]) }
  }

  @Test func merged() async {
    await expectRelease { merge($0, $0) }
    await expectRelease { race($0, $0) }
  }

  @Test func joinedWithASignal() async {
    await expectRelease { $0.chunked(by: silent) }
    await expectRelease { $0.prefix(untilOutputFrom: silent) }
    await expectRelease { $0.drop(untilOutputFrom: ready([1])) }
    await expectRelease { $0.withLatestFrom(ready([1])) }
  }

  @Test func joinedWithAClock() async {
    await expectRelease { $0.debounce(for: .seconds(1_000)) }
    await expectRelease { $0.timeout(for: .seconds(1_000)) }
    await expectRelease(isCancelled: false) { $0.timeout(for: .zero) }
  }
}
