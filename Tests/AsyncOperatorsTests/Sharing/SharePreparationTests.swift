import AsyncOperators
import InterflowTestSupport
import Testing

/// How a shared sequence makes its base's iterator while consumers join on several threads.
@Suite struct SharePreparationTests {
  @Test func theIteratorIsMadeOnceThoughConsumersJoinMeanwhile() async {
    let base = SlowToStart()
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

  @Test func whoWaitsMeanwhileGetsTheElements() async {
    let base = SlowToStart()
    let shared = base.share(bufferingPolicy: .unbounded)
    let done = beginOnOtherThread { _ = shared.makeAsyncIterator() }
    base.begun.wait()
    let hasJoined = Signal()
    let task = Task {
      var iterator = shared.makeAsyncIterator()
      hasJoined.fire()
      return [await iterator.next(), await iterator.next()]
    }
    await hasJoined.wait()
    // So that it most likely waits; it has to get them otherwise, too.
    for _ in 0..<50 { await Task.yield() }
    base.proceed.open()
    done.wait()
    #expect(await task.value == [0, 1])
    #expect(base.made.value == 1)
  }
}

/// Its first iterator is made when the test says so.
private final class SlowToStart: AsyncSequence, Sendable {
  let source = naturals()
  let made = Shared(0)
  let begun = Latch()
  let proceed = Latch()

  func makeAsyncIterator() -> ReadySource<Int, Never>.Iterator {
    if made.update({ made in
      made += 1
      return made == 1
    }) {
      begun.open()
      proceed.wait()
    }
    return source.makeAsyncIterator()
  }
}
