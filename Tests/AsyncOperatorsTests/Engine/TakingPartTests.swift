import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

/// An operator's bases know of their consumer from `makeAsyncIterator()` on.
@Suite struct TakingPartTests {
  private let subject = AsyncPassthroughSubject<Int, Never>()

  @Test(arguments: JoiningForm.ofBases) func whatIsSentBeforeTheFirstNextArrives(_ form: JoiningForm) async {
    var iterator = form.make(subject.eraseToAnyAsyncSequence()).makeAsyncIterator()
    #expect(subject.consumerCount == 1)
    subject.send(1)
    subject.finish()
    #expect(await iterator.next() == 1)
  }

  @Test(arguments: JoiningForm.ofBases) func whatIsSentAfterSinkHasReturnedArrives(_ form: JoiningForm) async {
    let received = Signal()
    let sink = form.make(subject.eraseToAnyAsyncSequence()).sink { _ in received.fire() }
    subject.send(1)
    subject.finish()
    await received.wait()
    sink.cancel()
  }

  @Test(arguments: JoiningForm.ofBases) func anIteratorThatIsNotUsedLeaves(_ form: JoiningForm) {
    let sequence = form.make(subject.eraseToAnyAsyncSequence())
    for _ in 0..<2 {
      let iterator = sequence.makeAsyncIterator()
      #expect(subject.consumerCount == 1)
      withExtendedLifetime(iterator) {}
    }
    #expect(subject.consumerCount == 0)
  }

  @Test func anUnusedIteratorBuffersByTheSubjectsPolicy() async {
    let subject = AsyncPassthroughSubject<Int, Never>(bufferingPolicy: .bufferingLatest(2))
    let iterator = merge(subject, ready([Int]())).makeAsyncIterator()
    for number in 1...5 { subject.send(number) }
    subject.finish()
    var copy = iterator
    #expect(await copy.next() == 4)
    #expect(await copy.next() == 5)
    #expect(await copy.next() == nil)
  }

  @Test func aConnectionTakesPartAtOnce() async {
    let (base, subject) = (subject, AsyncReplaySubject<Int, Never>(bufferSize: .max))
    let connection = base.multicast(subject).connect()
    #expect(base.consumerCount == 1)
    base.send(1)
    base.finish()
    #expect(await collect(subject).values == [1])
    connection.cancel()
  }

  @Test func theBasesOfAWithLatestFromBothTakePart() {
    let other = AsyncPassthroughSubject<Int, Never>()
    let iterator = subject.withLatestFrom(other).makeAsyncIterator()
    #expect(subject.consumerCount == 1 && other.consumerCount == 1)
    withExtendedLifetime(iterator) {}
  }

  // MARK: Copies

  /// The copy goes on where the other one is, with what that has got. `flatMapFirst` drops the second element where it
  /// comes before the end of the first one's sequence.
  @Test(
    arguments: JoiningForm.ofBases.filter {
      !["chunked by a signal", "flatMapFirst, base"].contains($0.testDescription)
    })
  func copiesBeforeTheFirstNextShareOneIteration(_ form: JoiningForm) async {
    let elements = await form.nextOfCopies(subject.eraseToAnyAsyncSequence()) { [subject] number in
      subject.send(number)
      if number == 2 { subject.finish() }
    }
    #expect(elements.allSatisfy { $0 != nil }, "\(elements)")
    #expect(subject.consumerCount == 0)
  }

  @Test func copiesOfAnIteratorDeliverEachElementOnce() async {
    func expectOneIteration<S: AsyncSequence<Int, Never>>(_ sequence: S) async {
      var first = sequence.makeAsyncIterator()
      var second = first
      var elements: [Int?] = []
      for _ in 0..<2 {
        elements.append(await first.next(isolation: nil))
        elements.append(await second.next(isolation: nil))
      }
      #expect(elements == [0, 1, 2, 3])
    }
    await expectOneIteration(merge(naturals(), ready([Int]())))
    await expectOneIteration(combineLatest(naturals(), ready([1])).map { $0.0 })
    await expectOneIteration(combineLatest([naturals()]).map { $0[0] })
    await expectOneIteration(naturals().flatMap(maxTasks: 1) { ready([$0]) })
    await expectOneIteration(naturals().prefix(untilOutputFrom: AsyncPassthroughSubject<Int, Never>()))
    await expectOneIteration(naturals().buffer(policy: .bounded(2)))
    await expectOneIteration(naturals().share())
  }

  @Test func aCopyEndsAfterTheOtherHasTimedOut() async throws {
    let source = Source()
    var first = source.timeout(for: .zero, clock: .continuous).makeAsyncIterator()
    var second = first
    await #expect(throws: AsyncTimeoutError.self) { try await first.next() }
    #expect(try await second.next() == nil)
    await source.released.wait()
  }

  @Test func aCopyEndsWithThePrefix() async {
    let other = AsyncPassthroughSubject<Int, Never>()
    var first = naturals().prefix(untilOutputFrom: other).makeAsyncIterator()
    var second = first
    #expect(await first.next() == 0)
    other.send(1)
    while await first.next() != nil {}
    #expect(await second.next() == nil)
  }

  @Test func aCopyDoesNotGetWhatAFailureHasDropped() throws {
    let timeline = TestTimeline()
    let source = try timeline.sequence("a---b#", error: TestError("a"))
    let left = try timeline.run {
      var first = source.debounce(for: .seconds(2), clock: timeline.clock).makeAsyncIterator()
      var second = first
      do { while try await first.next() != nil {} } catch {}
      try await timeline.clock.sleep(for: .seconds(5))
      return try await second.next()
    }
    #expect(left == nil)
  }

  // MARK: One after the other

  @Test func theNextOfSeveralSequencesIsMadeWhenItsTurnComes() async {
    func expectTurn<S: AsyncSequence<Int, Never>>(_ sequence: S) async {
      var iterator = sequence.makeAsyncIterator()
      #expect(subject.consumerCount == 0)
      #expect(await iterator.next(isolation: nil) == 1)
      #expect(subject.consumerCount == 0)
      let task = Task { [subject] in
        await until { subject.consumerCount == 1 }
        subject.send(2)
      }
      #expect(await iterator.next(isolation: nil) == 2)
      await task.value
    }
    await expectTurn(ready([1]).append(subject))
    await expectTurn(subject.prepend(ready([1])))
    await expectTurn(chain(ready([1]), ready([]), subject))
    await expectTurn(
      ready([0, 1]).concatMap { [subject] in
        $0 == 0 ? ready([1]).eraseToAnyAsyncSequence() : subject.eraseToAnyAsyncSequence()
      })
    await expectTurn(ready([1], failure: TestError("a")).catch { [subject] _ in subject })
  }
}
