import AsyncOperators
import InterflowTestSupport
import Testing

private typealias Numbers = AsyncStream<Int>
private typealias ThrowingNumbers = AsyncThrowingStream<Int, any Error>

private func numbers(_ elements: Int...) -> Numbers {
  Numbers { continuation in
    for element in elements { continuation.yield(element) }
    continuation.finish()
  }
}

private func throwing(_ elements: Int...) -> ThrowingNumbers {
  ThrowingNumbers { continuation in
    for element in elements { continuation.yield(element) }
    continuation.finish(throwing: TestError())
  }
}

/// Generic code that states the types of swift-async-algorithms with nothing but what is required of the bases there.
private struct Stated<A: AsyncSequence & Sendable, B: AsyncSequence & Sendable>
where A.Element == B.Element, A.Element: Sendable {
  let merged: AsyncMerge2Sequence<A, B>
  let merged3: AsyncMerge3Sequence<A, B, A>
  let zipped: AsyncZip2Sequence<A, B>
  let zipped3: AsyncZip3Sequence<A, B, A>
  let latest: AsyncCombineLatest2Sequence<A, B>
  let latest3: AsyncCombineLatest3Sequence<A, B, A>
  let chained: AsyncChain2Sequence<A, B>
  let chained3: AsyncChain3Sequence<A, B, A>
  let joined: AsyncJoinedSequence<AsyncSyncSequence<[B]>>
  let separated: AsyncJoinedBySeparatorSequence<AsyncSyncSequence<[A]>, B>
  let chunked: AsyncChunksOfCountOrSignalSequence<A, [A.Element], B>
  let chunkedInto: AsyncChunksOfCountOrSignalSequence<A, ContiguousArray<A.Element>, B>
  let chunks: AsyncChunksOfCountOrSignalSequence<A, [A.Element], B>
  let chunksInto: AsyncChunksOfCountOrSignalSequence<A, ContiguousArray<A.Element>, B>
  let timed: AsyncChunksOfCountOrSignalSequence<A, [A.Element], AsyncTimerSequence<ContinuousClock>>

  init(_ a: A, _ b: B) {
    merged = merge(a, b)
    merged3 = merge(a, b, a)
    zipped = zip(a, b)
    zipped3 = zip(a, b, a)
    latest = combineLatest(a, b)
    latest3 = combineLatest(a, b, a)
    chained = chain(a, b)
    chained3 = chain(a, b, a)
    joined = [b].async.joined()
    separated = [a].async.joined(separator: b)
    chunked = a.chunked(by: b)
    chunkedInto = a.chunked(by: b, into: ContiguousArray<A.Element>.self)
    chunks = a.chunks(ofCount: 2, or: b)
    chunksInto = a.chunks(ofCount: 2, or: b, into: ContiguousArray<A.Element>.self)
    timed = a.chunked(by: .repeating(every: .seconds(3_600), clock: .continuous))
  }
}

/// As a result, without a property that states it.
private func merged<A: AsyncSequence & Sendable, B: AsyncSequence & Sendable>(
  _ a: A, _ b: B
) -> AsyncMerge2Sequence<A, B> where A.Element == B.Element, A.Element: Sendable {
  merge(a, b)
}

@Suite struct StatedTypesTests {
  @Test func basesThatCannotFailDeliverAll() async {
    #expect(await Array(Stated(numbers(1), numbers(2)).merged).sorted() == [1, 2])
    #expect(await Array(Stated([1].async, [2].async).merged3).sorted() == [1, 1, 2])
    #expect(await Array(Stated([1].async, [2].async).zipped.map { [$0.0, $0.1] }) == [[1, 2]])
    #expect(await Array(Stated([1].async, [2].async).zipped3.map { [$0.0, $0.1, $0.2] }) == [[1, 2, 1]])
    #expect(await Array(Stated([1].async, [2].async).latest.map { [$0.0, $0.1] }) == [[1, 2]])
    #expect(await Array(Stated([1].async, [2].async).latest3.map { [$0.0, $0.1, $0.2] }) == [[1, 2, 1]])
    #expect(await Array(Stated([1].async, [2].async).chained) == [1, 2])
    #expect(await Array(Stated([1].async, [2].async).chained3) == [1, 2, 1])
    #expect(await Array(Stated([1].async, [2].async).joined) == [2])
    #expect(await Array(Stated([1].async, [2].async).separated) == [1])
    #expect(await Array(Stated([1, 2, 3].async, [Int]().async).chunks) == [[1, 2], [3]])
    #expect(await Array(Stated([1, 2, 3].async, [Int]().async).chunksInto) == [[1, 2], [3]])
    #expect(await Array(Stated([1, 2, 3].async, [Int]().async).chunked) == [[1, 2, 3]])
    #expect(await Array(Stated([1, 2, 3].async, [Int]().async).chunkedInto) == [[1, 2, 3]])
    #expect(await Array(Stated([1, 2, 3].async, [Int]().async).timed) == [[1, 2, 3]])
    #expect(await Array(merged([1].async, [2].async)).sorted() == [1, 2])
  }

  @Test func aFailureOfEitherBaseIsDelivered() async {
    await #expect(throws: TestError.self) { _ = try await Array(Stated(throwing(1), throwing(2)).merged) }
    await #expect(throws: TestError.self) { _ = try await Array(Stated(throwing(1), throwing()).zipped) }
    await #expect(throws: TestError.self) { _ = try await Array(Stated(throwing(1), throwing(2)).chained) }
    await #expect(throws: TestError.self) { _ = try await Array(Stated(throwing(1), numbers(2)).latest) }
    await #expect(throws: TestError.self) { _ = try await Array(merged(throwing(1), numbers(2))) }
  }

  @Test func concreteTypesAreStatedForEachOrderOfFailures() async throws {
    let first: AsyncMerge2Sequence<ThrowingNumbers, Numbers> = merge(throwing(1), numbers(2))
    let _: AsyncMerge2Sequence<Numbers, ThrowingNumbers> = merge(numbers(1), throwing(2))
    let _: AsyncMerge3Sequence<ThrowingNumbers, Numbers, Numbers> = merge(throwing(1), numbers(2), numbers(3))
    let _: AsyncZip3Sequence<Numbers, Numbers, ThrowingNumbers> = zip(numbers(1), numbers(2), throwing(3))
    let both: AsyncMerge2Sequence<Numbers, Numbers> = merge(numbers(1), numbers(2))
    for await element in both { #expect([1, 2].contains(element)) }
    await #expect(throws: TestError.self) { for try await _ in first {} }
  }

  /// What is not stated has the failures of both, also if the first cannot fail.
  @Test func withoutAStatedTypeNoFailureIsLost() async {
    await #expect(throws: TestError.self) { for try await _ in merge(numbers(1), throwing(2)) {} }
    await #expect(throws: TestError.self) { for try await _ in zip(numbers(1, 2), throwing(2)) {} }
    await #expect(throws: TestError.self) { for try await _ in merge(numbers(1), numbers(1), throwing(2)) {} }
    let endless = Numbers.makeStream()
    await #expect(throws: TestError.self) { for try await _ in endless.stream.chunked(by: throwing()) {} }
    endless.continuation.finish()
  }
}

/// Deprecated names, called through a protocol so that the calls do not warn.
private protocol FormerNames {
  func elements() async -> [[Int]]
}

private struct FormerThrottle: FormerNames {
  @available(*, deprecated)
  func elements() async -> [[Int]] {
    let source = [1, 2, 3].async
    let all: _AsyncThrottleSequence<AsyncSyncSequence<[Int]>, ContinuousClock, Int> = source._throttle(for: .zero)
    return [
      await Array(all),
      await Array(source._throttle(for: .zero, latest: false)),
      await Array(source._throttle(for: .zero, clock: .continuous)),
      await Array(source._throttle(for: .zero, clock: .continuous, latest: false)),
      await Array(source._throttle(for: .zero) { (sum: Int?, element) in (sum ?? 0) + element }),
      await Array(source._throttle(for: .zero, clock: .continuous) { (sum: Int?, element) in (sum ?? 0) + element }),
    ]
  }
}

@Suite struct FormerNamesTests {
  @Test func throttleHasItsFormerNameToo() async {
    let former: any FormerNames = FormerThrottle()
    #expect(await former.elements() == Array(repeating: [1, 2, 3], count: 6))
  }
}

/// Chunks that a timer ends, as swift-async-algorithms spells them.
@Suite struct TimedChunksTests {
  private typealias Timed<Base: AsyncSequence & Sendable, Collected: RangeReplaceableCollection, C: Clock> =
    AsyncChunksOfCountOrSignalSequence<Base, Collected, AsyncTimerSequence<C>>
  where Collected.Element == Base.Element, Base.Element: Sendable

  @Test func aTimerIsWrittenInShort() async throws {
    let source = numbers(1, 2, 3)
    let hour = Duration.seconds(3_600)
    let _: Timed<Numbers, [Int], SuspendingClock> = source.chunked(by: .repeating(every: hour))
    let _: Timed<Numbers, [Int], ContinuousClock> = source.chunked(by: .repeating(every: hour, clock: .continuous))
    let chunks = source.chunks(ofCount: 2, or: .repeating(every: hour, clock: ContinuousClock()))
    let _: Timed<Numbers, [Int], ContinuousClock> = chunks
    #expect(await Array(chunks) == [[1, 2], [3]])
    let into = numbers(1).chunked(by: .repeating(every: hour), into: ContiguousArray<Int>.self)
    #expect(await Array(into) == [[1]])
    let both = numbers(1, 2).chunks(ofCount: 1, or: .repeating(every: hour), into: ContiguousArray<Int>.self)
    #expect(await Array(both) == [[1], [2]])
    let explicit = numbers(1).chunked(by: AsyncTimerSequence(interval: hour, clock: .continuous))
    let _: Timed<Numbers, [Int], ContinuousClock> = explicit
    let failing = throwing(1).chunked(by: .repeating(every: hour))
    let _: Timed<ThrowingNumbers, [Int], SuspendingClock> = failing
    await #expect(throws: TestError.self) { for try await _ in failing {} }
    let explicitOfFailing = throwing(1).chunked(by: AsyncTimerSequence(interval: hour, clock: .continuous))
    let _: Timed<ThrowingNumbers, [Int], ContinuousClock> = explicitOfFailing
  }
}
