import AsyncOperators
import InterflowTestSupport
import Testing

/// How a shared sequence makes its base's iterator while consumers join on several threads.
@Suite struct SharePreparationTests {
  @Test func theIteratorIsMadeOnceThoughConsumersJoinMeanwhile() async {
    let base = SlowToStart(naturals())
    let shared = base.share(bufferingPolicy: .unbounded)
    let done = beginOnOtherThread { _ = shared.makeAsyncIterator() }
    base.begun.wait()
    var second = shared.makeAsyncIterator()
    #expect(base.made.value == 1)
    base.proceed.open()
    done.wait()
    for number in 0..<3 { #expect(await second.next() == number) }
    #expect(base.made.value == 1)
  }

  /// The first elements of a consumer that is added, and waits, while another thread uses the base.
  private func elements<S: AsyncSequence<Int, Never> & Sendable>(
    _ count: Int, of shared: S, whileIn begun: Latch, until proceed: Latch
  ) async -> [Int?] {
    let done = beginOnOtherThread { _ = shared.makeAsyncIterator() }
    begun.wait()
    let hasJoined = Signal()
    let task = Task {
      var iterator = shared.makeAsyncIterator()
      hasJoined.fire()
      var elements: [Int?] = []
      for _ in 0..<count { elements.append(await iterator.next(isolation: nil)) }
      return elements
    }
    await hasJoined.wait()
    // So that it most likely waits; it has to get them otherwise, too.
    for _ in 0..<50 { await Task.yield() }
    proceed.open()
    done.wait()
    return await task.value
  }

  @Test func whoWaitsMeanwhileGetsTheElements() async {
    let base = SlowToStart(naturals())
    let shared = base.share(bufferingPolicy: .unbounded)
    #expect(await elements(2, of: shared, whileIn: base.begun, until: base.proceed) == [0, 1])
    #expect(base.made.value == 1)
  }

  // MARK: A base that is not Sendable, and shares something with its iterators

  @Test func theBaseIsReleasedBeforeItsIteratorIsUsed() async {
    for _ in 0..<1_000 {
      let isReleased = Shared(false)
      var iterator = ReportingBase(isReleased).share().makeAsyncIterator()
      #expect(await iterator.next() == true)
    }
  }

  @Test func theBaseIsReleasedBeforeItIsUsedForWhoWaits() async {
    for _ in 0..<200 {
      let isReleased = Shared(false)
      let begun = Latch()
      let proceed = Latch()
      let shared = ReportingBase(isReleased) {
        begun.open()
        proceed.wait()
      }.share()
      let done = beginOnOtherThread { _ = shared.makeAsyncIterator() }
      begun.wait()
      let task = Task {
        var iterator = shared.makeAsyncIterator()
        return await iterator.next()
      }
      for _ in 0..<10 { await Task.yield() }
      proceed.open()
      #expect(await task.value == true)
      done.wait()
    }
  }

  @Test func anIteratorIsReleasedBeforeTheNextOneIsMade() async {
    let base = SlowToRelease()
    let shared = base.share()
    let done = beginOnOtherThread { _ = shared.makeAsyncIterator() }
    base.begun.wait()
    var second = shared.makeAsyncIterator()
    #expect(base.made.value == 1)
    base.proceed.open()
    done.wait()
    #expect(base.made.value == 2)
    #expect(await second.next() == 2)
  }

  @Test func whoWaitsWhileAnIteratorIsReleasedGetsTheElements() async {
    let base = SlowToRelease()
    #expect(await elements(1, of: base.share(), whileIn: base.begun, until: base.proceed) == [2])
  }
}

/// Its iterator says whether it has been released.
private final class ReportingBase: AsyncSequence {
  private let isReleased: Shared<Bool>
  private let whileMaking: () -> Void

  init(_ isReleased: Shared<Bool>, whileMaking: @escaping () -> Void = {}) {
    self.isReleased = isReleased
    self.whileMaking = whileMaking
  }

  deinit { isReleased.value = true }

  func makeAsyncIterator() -> Iterator {
    whileMaking()
    return Iterator(isReleased: isReleased)
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let isReleased: Shared<Bool>

    mutating func next(isolation actor: isolated (any Actor)?) async -> Bool? { isReleased.value }
  }
}

/// Its first iterator is released when the test says so. The elements are the iterator's number.
private final class SlowToRelease: AsyncSequence, Sendable {
  let made = Shared(0)
  let begun = Latch()
  let proceed = Latch()

  func makeAsyncIterator() -> Iterator {
    let number = made.update { made in
      made += 1
      return made
    }
    return Iterator(
      token: ReportsRelease(number) { [begun, proceed] in
        if number > 1 { return }
        begun.open()
        proceed.wait()
      })
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let token: ReportsRelease

    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? { token.number }
  }
}
