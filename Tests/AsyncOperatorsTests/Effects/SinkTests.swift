import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct SinkTests {
  @Test func elementsAndTheEndAreDelivered() async {
    let values = Shared<[Int]>([])
    let completions = Shared<[AsyncCompletion<TestError>]>([])
    let sink = ready([1, 2], failure: TestError("a")).sink { completion in
      completions.update { $0.append(completion) }
    } receiveValue: { value in
      values.update { $0.append(value) }
    }
    await sink.wait()
    #expect(values.value == [1, 2])
    #expect(completions.value == [.failure(TestError("a"))])
  }

  @Test func theNextElementIsRequestedAfterTheClosure() async {
    let source = ManualSource<Int, Never>()
    source.send(1)
    let isInside = Signal()
    let proceed = Signal()
    let sink = source.sink { _ in
      isInside.fire()
      await proceed.wait()
    }
    await isInside.wait()
    #expect(source.requested.count == 1)
    proceed.fire()
    await source.requested.wait(2)
    sink.cancel()
    await sink.wait()
  }

  @Test func aSinkMadeOnATimelineRunsOnIt() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a-b|")
    let areThere = try timeline.run {
      let areThere = Shared<[Bool]>([])
      await source.sink { _ in
        let isThere = withUnsafeCurrentTask { $0?.unownedTaskExecutor == timeline.asUnownedTaskExecutor() }
        areThere.update { $0.append(isThere) }
      }.wait()
      return areThere.value
    }
    #expect(areThere == [true, true])
  }

  @Test func nothingIsMissedThatASubjectSendsAfterIt() async {
    let subject = AsyncPassthroughSubject<Int, Never>()
    let values = Shared<[Int]>([])
    let sink = subject.sink { value in values.update { $0.append(value) } }
    subject.send(1)
    subject.finish()
    await sink.wait()
    #expect(values.value == [1])
  }

  @Test func theTaskHasTheOnlyReferenceToTheIterator() async {
    let values = Shared<[Bool]>([])
    await UniquenessSource().sink { isUnique in values.update { $0.append(isUnique) } }.wait()
    #expect(values.value == [true])
  }

  @Test func cancellingEndsItWithoutACompletion() async {
    let source = ManualSource<Int, TestError>()
    let sink = source.sink { _ in
      Issue.record("a completion after cancel()")
    } receiveValue: { _ in
    }
    await source.requested.wait()
    sink.cancel()
    await sink.wait()
    #expect(source.released.count == 1)
  }

  @Test func releasingItCancels() async {
    let source = ManualSource<Int, Never>()
    var sinks: Set<AsyncSink> = []
    source.sink { _ in }.store(in: &sinks)
    await source.requested.wait()
    sinks = []
    await source.cancelled.wait()
    await source.released.wait()
  }

  @Test func aClosureThatRunsIsCancelled() async {
    let source = ManualSource<Int, Never>()
    let isInside = Signal()
    let ended = Signal()
    source.send(1)
    source.send(2)
    let sink = source.sink { value in
      #expect(value == 1)
      isInside.fire()
      try? await Task.sleep(for: .seconds(3_600))
      ended.fire()
    }
    await isInside.wait()
    sink.cancel()
    await sink.wait()
    #expect(ended.count == 1)
  }

  @Test func sinksAreComparedByIdentity() {
    let sinks = (0..<2).map { _ in ready([1]).sink { _ in } }
    #expect(sinks[0] == sinks[0] && sinks[0] != sinks[1])
    var list: [AsyncSink] = []
    sinks[0].store(in: &list)
    #expect(list == [sinks[0]])
  }
}

/// Says whether its iterator, which would copy its storage otherwise, has been copied.
private struct UniquenessSource: AsyncSequence, Sendable {
  final class Storage {
    var hasEnded = false
  }

  func makeAsyncIterator() -> Iterator { Iterator() }

  struct Iterator: AsyncIteratorProtocol {
    private var storage = Storage()

    mutating func next() async -> Bool? { await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async -> Bool? {
      if storage.hasEnded { return nil }
      storage.hasEnded = true
      return isKnownUniquelyReferenced(&storage)
    }
  }
}
