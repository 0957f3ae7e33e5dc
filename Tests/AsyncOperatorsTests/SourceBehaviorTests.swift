import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

/// What source written for swift-async-algorithms relies on, over bases that are made of sequences.
@Suite struct SourceBehaviorTests {
  private struct Failure: Error, Equatable {}

  /// The numbers from 1 on, and an error in place of 3.
  private static func failing() -> AsyncThrowingMapSequence<AsyncSyncSequence<ClosedRange<Int>>, Int> {
    (1...5).async.map {
      if $0 == 3 { throw Failure() }
      return $0
    }
  }

  /// Numbers that do not end, for a task that has been cancelled already.
  private static func endless() -> AsyncSyncSequence<PartialRangeFrom<Int>> { (1...).async }

  // MARK: Errors and ends

  /// Iterates to the error, and beyond it.
  private func outcome<S: AsyncSequence>(_ sequence: S) async -> (values: [S.Element], failed: Bool) {
    var iterator = sequence.makeAsyncIterator()
    var values: [S.Element] = []
    do {
      while let value = try await iterator.next() { values.append(value) }
      return (values, false)
    } catch {
      #expect(error is Failure)
      for _ in 0..<2 {
        do {
          let next = try await iterator.next()
          #expect(next == nil)
        } catch {
          Issue.record("the error came twice")
        }
      }
      return (values, true)
    }
  }

  @Test func anErrorInTheMiddleComesAfterTheElements() async {
    #expect(await outcome(Self.failing().adjacentPairs()).values.map { [$0.0, $0.1] } == [[1, 2]])
    #expect(await outcome(Self.failing().removeDuplicates()) == ([1, 2], true))
    #expect(await outcome(Self.failing().reductions(+)) == ([1, 3], true))
    #expect(await outcome(Self.failing().reductions(0, +)) == ([1, 3], true))
    #expect(await outcome(Self.failing().interspersed(with: 0)) == ([1, 0, 2], true))
    #expect(await outcome(Self.failing().map { Optional($0) }.compacted()) == ([1, 2], true))
    #expect(await outcome(chain([0].async, Self.failing())) == ([0, 1, 2], true))
    #expect(await outcome([Self.failing(), Self.failing()].async.joined()) == ([1, 2], true))
    #expect(await outcome(Self.failing().chunks(ofCount: 2)) == ([[1, 2]], true))
    #expect(await outcome(Self.failing().chunked { $0 < $1 }) == ([], true))
    #expect(await outcome(Self.failing().buffer(policy: .unbounded)) == ([1, 2], true))
    #expect(await outcome(Self.failing().buffer(policy: .bounded(1))) == ([1, 2], true))
    #expect(await outcome(Self.failing().throttle(for: .zero)) == ([1, 2], true))
    #expect(await outcome(Self.failing().debounce(for: .seconds(3_600))) == ([], true))
    #expect(await outcome(Self.failing().share()) == ([1, 2], true))
  }

  @Test func anErrorOfEitherBaseEndsTheCombination() async {
    let merged = await outcome(merge(Self.failing(), [10, 20, 30].async))
    #expect(merged.failed && merged.values.filter { $0 < 10 } == [1, 2])
    let other = await outcome(merge([10, 20, 30].async, Self.failing()))
    #expect(other.failed && other.values.filter { $0 < 10 } == [1, 2])
    #expect(await outcome(zip(Self.failing(), (1...5).async).map { [$0.0, $0.1] }) == ([[1, 1], [2, 2]], true))
    #expect(await outcome(zip((1...5).async, Self.failing()).map { [$0.0, $0.1] }) == ([[1, 1], [2, 2]], true))
    #expect(
      await outcome(zip((1...5).async, (1...5).async, Self.failing()).map { [$0.0, $0.1, $0.2] })
        == ([[1, 1, 1], [2, 2, 2]], true))
    #expect(await outcome(combineLatest(Self.failing(), (1...5).async)).failed)
    #expect(await outcome(combineLatest((1...5).async, Self.failing())).failed)
    #expect(await outcome((1...1).async.flatMapLatest { _ in Self.failing() }) == ([1, 2], true))
  }

  @Test func unequalAndEmptyBases() async {
    #expect(await Array(merge([Int]().async, [1, 2].async)) == [1, 2])
    #expect(await Array(merge([1, 2].async, [Int]().async, [Int]().async)) == [1, 2])
    #expect(await Array(zip([1, 2].async, [1, 2, 3].async).map { $0.0 }) == [1, 2])
    #expect(await Array(zip([1].async, [Int]().async).map { $0.0 }) == [])
    #expect(await Array(combineLatest([1, 2].async, [Int]().async).map { $0.0 }) == [])
    #expect(await Array(chain([Int]().async, [Int]().async, [1].async)) == [1])
    #expect(await Array([[Int]().async, [1].async, [Int]().async].async.joined()) == [1])
    #expect(await Array([[1].async, [Int]().async, [2].async].async.joined(separator: [0].async)) == [1, 0, 0, 2])
    #expect(await Array([Int]().async.interspersed(with: 0)) == [])
    #expect(await Array([1].async.adjacentPairs().map { $0.0 }) == [])
    #expect(await Array([Int]().async.chunks(ofCount: 2)) == [])
  }

  // MARK: Cancellation

  @Test func aCancelledTaskGetsTheEndOfWhatNeverEnds() async {
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for await _ in Self.endless() {}
      for await _ in Self.endless().adjacentPairs() {}
      for await _ in Self.endless().removeDuplicates() {}
      for await _ in Self.endless().reductions(+) {}
      for await _ in Self.endless().interspersed(with: 0) {}
      for await _ in Self.endless().chunks(ofCount: 3) {}
      for await _ in Self.endless().chunked(on: { $0 / 3 }) {}
      for await _ in chain(Self.endless(), Self.endless()) {}
      for await _ in merge(Self.endless(), Self.endless()) {}
      for await _ in merge(Self.endless(), Self.endless(), Self.endless()) {}
      for await _ in zip(Self.endless(), Self.endless()) {}
      for await _ in zip(Self.endless(), Self.endless(), Self.endless()) {}
      for await _ in combineLatest(Self.endless(), Self.endless()) {}
      for await _ in combineLatest(Self.endless(), Self.endless(), Self.endless()) {}
      for await _ in Self.endless().debounce(for: .seconds(3_600)) {}
      for await _ in Self.endless().throttle(for: .seconds(3_600)) {}
      for await _ in Self.endless().buffer(policy: .bounded(2)) {}
      for await _ in Self.endless().share() {}
      for await _ in Self.endless().flatMapLatest({ [$0].async }) {}
      for await _ in AsyncTimerSequence(interval: .seconds(3_600), clock: .continuous) {}
    }.value
  }

  @Test func breakingOffInTheMiddleEndsTheTasks() async {
    func first<S: AsyncSequence<Int, Never>>(_ sequence: S) async -> [Int] {
      var values: [Int] = []
      for await value in sequence {
        values.append(value)
        if values.count == 3 { break }
      }
      return values
    }
    let sources = [naturals(), naturals(), naturals(), naturals(), naturals()]
    #expect(await first(merge(sources[0], [Int]().async)) == [0, 1, 2])
    #expect(await first(zip(sources[1], Self.endless()).map { $0.0 }) == [0, 1, 2])
    #expect(await first(sources[2].buffer(policy: .bounded(2))) == [0, 1, 2])
    #expect(await first(sources[3].share()) == [0, 1, 2])
    #expect(await first(sources[4].flatMap(maxTasks: 1) { [$0].async }) == [0, 1, 2])
    for source in sources { await source.released.wait() }
  }

  // MARK: Sequences and collections

  @Test func copiesOfAnIteratorGoOnByThemselves() async {
    var iterator = [1, 2, 3].async.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    var copy = iterator
    #expect(await copy.next() == 2)
    #expect(await iterator.next() == 2)
    #expect(await copy.next() == 3)
    for _ in 0..<2 { #expect(await copy.next() == nil) }
    #expect(await iterator.next() == 3)
  }

  @Test func everySequenceCanBeIterated() async {
    #expect(await Array((1...4).lazy.filter { $0 % 2 == 0 }.map { $0 * 10 }.async) == [20, 40])
    #expect(await String("abc".async) == "abc")
    #expect(await Set([1, 1, 2].async) == [1, 2])
    #expect(await Array(stride(from: 0, to: 6, by: 2).async) == [0, 2, 4])
    #expect(await ContiguousArray(repeatElement(1, count: 2).async) == [1, 1])
    #expect(await Array(zip([1, 2], "ab").async.map { "\($0.0)\($0.1)" }) == ["1a", "2b"])
  }

  @Test func dictionariesOfSequences() async throws {
    let words = ["a", "bb", "cc"].async
    #expect(await Dictionary(uniqueKeysWithValues: words.map { ($0, $0.count) }) == ["a": 1, "bb": 2, "cc": 2])
    #expect(await Dictionary(words.map { ($0.count, $0) }, uniquingKeysWith: +) == [1: "a", 2: "bbcc"])
    #expect(await Dictionary(grouping: words, by: \.count) == [1: ["a"], 2: ["bb", "cc"]])
    await #expect(throws: Failure.self) {
      _ = try await Dictionary(uniqueKeysWithValues: Self.failing().map { ($0, $0) })
    }
    await #expect(throws: Failure.self) { _ = try await Array(Self.failing()) }
    await #expect(throws: Failure.self) { _ = try await Set(Self.failing()) }
  }

  // MARK: Buffers without room

  @Test func aBufferWithoutRoomPassesElementsOn() async {
    for policy in [AsyncBufferSequencePolicy.bounded(0), .bufferingLatest(0), .bufferingOldest(0)] {
      let source = ready([1, 2, 3])
      var iterator = source.buffer(policy: policy).makeAsyncIterator()
      for number in 1...3 {
        #expect(await iterator.next() == number)
        #expect(source.taken.value == number)
      }
      #expect(await iterator.next() == nil)
    }
  }

  @Test(arguments: [AsyncBufferSequencePolicy.bounded(0), .bufferingLatest(0), .bufferingOldest(0)])
  func sharingWithoutABufferPassesElementsOn(policy: AsyncBufferSequencePolicy) async {
    let shared = ready(Array(1...100)).share(bufferingPolicy: policy)
    var iterator = shared.makeAsyncIterator()
    for number in 1...100 {
      #expect(await iterator.next() == number)
      await Task.yield()
    }
    #expect(await iterator.next() == nil)
    #expect(iterator.droppedCount == 0)
  }

  // MARK: Time

  @Test func throttlingAtSeveralIntervals() throws {
    let timeline = TestTimeline()
    func expect(_ diagram: String, _ seconds: Int, latest: Bool = true, toEmit result: String) throws {
      try timeline.expect(
        timeline.sequence(diagram).throttle(for: .seconds(seconds), clock: timeline.clock, latest: latest),
        toEmit: result)
    }
    try expect("abcdefghijk|", 0, toEmit: "abcdefghijk|")
    try expect("abcdefghijk|", 1, toEmit: "abcdefghijk|")
    try expect("abcdefghijk|", 2, toEmit: "a-c-e-g-i-k|")
    try expect("abcdefghijk|", 2, latest: false, toEmit: "a-b-d-f-h-j|")
    try expect("abcdefghijk|", 3, toEmit: "a--d--g--j--(k|)")
    try expect("abcdefghijk|", 3, latest: false, toEmit: "a--b--e--h--(k|)")
    try expect("-a-b-c-d-e-f---|", 1, toEmit: "-a-b-c-d-e-f---|")
    try expect("-a-b-c-d-e-f---|", 2, toEmit: "-a-b-c-d-e-f---|")
    try expect("-a-b-c-d-e-f---|", 3, toEmit: "-a---c---e-----(f|)")
  }

  @Test func debouncingAtTheEndAndInGaps() throws {
    let timeline = TestTimeline()
    func expect(_ diagram: String, toEmit result: String) throws {
      try timeline.expect(
        timeline.sequence(diagram).debounce(for: .seconds(3), clock: timeline.clock), toEmit: result)
    }
    try expect("abcd----e---f-g----|", toEmit: "------d----e-----g-|")
    try expect("abcd----e---f-g-|", toEmit: "------d----e----(g|)")
    try expect("abcd|", toEmit: "----(d|)")
    try expect("|", toEmit: "|")
    try expect("a|", toEmit: "-(a|)")
  }

  @Test func chunksByTimeAndCount() throws {
    let timeline = TestTimeline()
    let signal = AsyncTimerSequence(interval: .seconds(4), clock: timeline.clock)
    let base = try timeline.sequence("abc-def-ghi-|")
    try timeline.expect(
      base.chunks(ofCount: 3, or: signal).map { $0.joined() }, toEmit: "--x---y---z-|",
      values: ["x": "abc", "y": "def", "z": "ghi"])
    let gap = try timeline.sequence("ab----cd|")
    try timeline.expect(
      gap.chunked(by: signal).map { $0.joined() }, toEmit: "----x---(y|)", values: ["x": "ab", "y": "cd"])
    let empty = try timeline.sequence("------|")
    try timeline.expect(empty.chunked(by: signal).map { $0.joined() }, toEmit: "------|")
  }
}
