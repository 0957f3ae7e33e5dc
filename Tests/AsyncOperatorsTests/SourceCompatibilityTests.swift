import AsyncOperators
import Testing

private func isSameLater(_ first: Int, _ second: Int) async -> Bool { first == second }

/// Uses of the operators that need no concurrency, as source written for swift-async-algorithms spells them.
@Suite struct SourceCompatibilityTests {
  typealias Numbers = AsyncStream<Int>
  typealias ThrowingNumbers = AsyncThrowingStream<Int, any Error>

  struct Model {
    var pairs: AsyncAdjacentPairsSequence<Numbers>
    var chain2: AsyncChain2Sequence<Numbers, Numbers>
    var chain3: AsyncChain3Sequence<Numbers, Numbers, AsyncSyncSequence<[Int]>>
    var throwingChain: AsyncChain2Sequence<ThrowingNumbers, ThrowingNumbers>
    var group: AsyncChunkedByGroupSequence<Numbers, [Int]>
    var groupSet: AsyncChunkedByGroupSequence<Numbers, ContiguousArray<Int>>
    var projection: AsyncChunkedOnProjectionSequence<Numbers, Bool, [Int]>
    var projectionInto: AsyncChunkedOnProjectionSequence<Numbers, Bool, ContiguousArray<Int>>
    var count: AsyncChunksOfCountSequence<Numbers, [Int]>
    var countInto: AsyncChunksOfCountSequence<Numbers, ContiguousArray<Int>>
    var compacted: AsyncCompactedSequence<AsyncStream<Int?>, Int>
    var exclusive: AsyncExclusiveReductionsSequence<Numbers, String>
    var inclusive: AsyncInclusiveReductionsSequence<Numbers>
    var throwingExclusive: AsyncThrowingExclusiveReductionsSequence<Numbers, String>
    var throwingInclusive: AsyncThrowingInclusiveReductionsSequence<Numbers>
    var interspersed: AsyncInterspersedSequence<Numbers>
    var throwingInterspersed: AsyncThrowingInterspersedSequence<Numbers>
    var joined: AsyncJoinedSequence<AsyncStream<Numbers>>
    var joinedBySeparator: AsyncJoinedBySeparatorSequence<AsyncStream<Numbers>, AsyncSyncSequence<[Int]>>
    var unique: AsyncRemoveDuplicatesSequence<Numbers>
    var throwingUnique: AsyncThrowingRemoveDuplicatesSequence<Numbers>
    var list: AsyncSyncSequence<ClosedRange<Int>>
  }

  static func numbers(_ elements: Int...) -> Numbers {
    Numbers { continuation in
      for element in elements { continuation.yield(element) }
      continuation.finish()
    }
  }

  static func throwing(_ elements: Int...) -> ThrowingNumbers {
    ThrowingNumbers { continuation in
      for element in elements { continuation.yield(element) }
      continuation.finish()
    }
  }

  static func isSame(_ first: Int, _ second: Int) async -> Bool { first == second }
  static func isSameOrThrows(_ first: Int, _ second: Int) async throws -> Bool { first == second }
  static func check() throws {}
  static func checkLater() async throws {}

  static func model() -> Model {
    let source = numbers(1, 2, 2)
    return Model(
      pairs: source.adjacentPairs(),
      chain2: chain(source, source),
      chain3: chain(source, source, [1].async),
      throwingChain: chain(throwing(1), throwing(2)),
      group: source.chunked(by: { $0 < $1 }),
      groupSet: source.chunked(into: ContiguousArray<Int>.self, by: <),
      projection: source.chunked(on: { $0 > 1 }),
      projectionInto: source.chunked(into: ContiguousArray<Int>.self, on: { $0 > 1 }),
      count: source.chunks(ofCount: 2),
      countInto: source.chunks(ofCount: 2, into: ContiguousArray<Int>.self),
      compacted: AsyncStream<Int?> { $0.finish() }.compacted(),
      exclusive: source.reductions("") { $0 + "\($1)" },
      inclusive: source.reductions { $0 + $1 },
      throwingExclusive: source.reductions(into: "") { result, element in
        try check()
        result += "\(element)"
      },
      throwingInclusive: source.reductions { first, second in
        try await checkLater()
        return first + second
      },
      interspersed: source.interspersed(with: 0),
      throwingInterspersed: source.interspersed(every: 2) {
        try check()
        return 0
      },
      joined: AsyncStream<Numbers> { $0.finish() }.joined(),
      joinedBySeparator: AsyncStream<Numbers> { $0.finish() }.joined(separator: [0].async),
      unique: source.removeDuplicates(),
      throwingUnique: source.removeDuplicates { try await isSameOrThrows($0, $1) },
      list: (1...3).async)
  }

  @Test func storedTypesHaveTheSameParameters() async throws {
    let model = Self.model()
    #expect(await Array(model.list) == [1, 2, 3])
    #expect(await Array(model.countInto).isEmpty == false)
  }

  @Test func everyOverloadResolves() async throws {
    let source = Self.numbers()
    let throwing = Self.throwing()
    let _: AsyncRemoveDuplicatesSequence<Numbers> = source.removeDuplicates(by: ==)
    let _: AsyncRemoveDuplicatesSequence<Numbers> = source.removeDuplicates { $0 == $1 }
    let _: AsyncRemoveDuplicatesSequence<Numbers> = source.removeDuplicates { await Self.isSame($0, $1) }
    let _: AsyncRemoveDuplicatesSequence<Numbers> = source.removeDuplicates(by: isSameLater)
    let stored: @Sendable (Int, Int) async -> Bool = { $0 == $1 }
    let _: AsyncRemoveDuplicatesSequence<Numbers> = source.removeDuplicates(by: stored)
    let _: AsyncRemoveDuplicatesSequence<ThrowingNumbers> = throwing.removeDuplicates { $0 == $1 }
    let _: AsyncThrowingRemoveDuplicatesSequence<ThrowingNumbers> = throwing.removeDuplicates { first, second in
      try Self.check()
      return first == second
    }
    let unique = source.removeDuplicates { try await Self.isSameOrThrows($0, $1) }
    let _: AsyncThrowingRemoveDuplicatesSequence<Numbers> = unique

    let _: AsyncExclusiveReductionsSequence<Numbers, Int> = source.reductions(0, +)
    let _: AsyncExclusiveReductionsSequence<Numbers, Int> = source.reductions(into: 0, +=)
    let sums = source.reductions(0) { sum, element in
      await Task.yield()
      return sum + element
    }
    let _: AsyncExclusiveReductionsSequence<Numbers, Int> = sums
    let _: AsyncExclusiveReductionsSequence<Numbers, [Int]> = source.reductions(into: [Int]()) { $0.append($1) }
    let lists = source.reductions(into: [Int]()) { list, element in
      await Task.yield()
      list.append(element)
    }
    let _: AsyncExclusiveReductionsSequence<Numbers, [Int]> = lists
    let throwingSums = source.reductions(0) { sum, element in
      try await Self.checkLater()
      return sum + element
    }
    let _: AsyncThrowingExclusiveReductionsSequence<Numbers, Int> = throwingSums
    let throwingLists = throwing.reductions(into: [Int]()) { list, element in
      try await Self.checkLater()
      list.append(element)
    }
    let _: AsyncThrowingExclusiveReductionsSequence<ThrowingNumbers, [Int]> = throwingLists
    let _: AsyncInclusiveReductionsSequence<Numbers> = source.reductions(+)
    let _: AsyncInclusiveReductionsSequence<Numbers> = source.reductions { max($0, $1) }
    let largest = source.reductions { first, second in
      await Task.yield()
      return max(first, second)
    }
    let _: AsyncInclusiveReductionsSequence<Numbers> = largest
    let checked = throwing.reductions { first, second in
      try Self.check()
      return max(first, second)
    }
    let _: AsyncThrowingInclusiveReductionsSequence<ThrowingNumbers> = checked

    let _: AsyncInterspersedSequence<Numbers> = source.interspersed(every: 3, with: 0)
    let _: AsyncInterspersedSequence<Numbers> = source.interspersed { 0 }
    let later = source.interspersed(every: 2) {
      await Task.yield()
      return 0
    }
    let _: AsyncInterspersedSequence<Numbers> = later
    let throwingLater = source.interspersed {
      try await Self.checkLater()
      return 0
    }
    let _: AsyncThrowingInterspersedSequence<Numbers> = throwingLater

    let _: AsyncChunkedByGroupSequence<Numbers, [Int]> = source.chunked { $0 == $1 }
    let _: AsyncChunkedOnProjectionSequence<Numbers, Int, [Int]> = source.chunked { $0 / 2 }
    let _: AsyncChunkedOnProjectionSequence<Numbers, Int, [Int]> = source.chunked(on: { $0 / 2 })
  }

  struct WrappedError: Error {
    init(_ base: any Error) {}
  }

  @Test func errorsAreMapped() async throws {
    let mapped: some AsyncSequence<Int, WrappedError> = Self.throwing(1).mapError(WrappedError.init)
    let later = Self.throwing(1).mapError { error in
      await Task.yield()
      return WrappedError(error)
    }
    for try await element in mapped { #expect(element == 1) }
    for try await element in later { #expect(element == 1) }
  }

  @Test func collectionsAreMade() async throws {
    let source = ["a", "b", "a"].async
    #expect(await Array(source) == ["a", "b", "a"])
    #expect(await String("abc".async) == "abc")
    #expect(await Set(source) == ["a", "b"])
    #expect(await Dictionary(uniqueKeysWithValues: [("a", 1)].async) == ["a": 1])
    #expect(await Dictionary(source.map { ($0, 1) }, uniquingKeysWith: +) == ["a": 2, "b": 1])
    #expect(await Dictionary(source.map { ($0, 1) }, uniquingKeysWith: { $0 + $1 }) == ["a": 2, "b": 1])
    let later = await Dictionary(source.map { ($0, 1) }) { first, second in
      await Task.yield()
      return first + second
    }
    #expect(later == ["a": 2, "b": 1])
    let throwing = try await Dictionary(source.map { ($0, 1) }) { first, second in
      try Self.check()
      return first + second
    }
    #expect(throwing == ["a": 2, "b": 1])
    #expect(await Dictionary(grouping: source, by: { $0 }) == ["a": ["a", "a"], "b": ["b"]])
    let grouped = try await Dictionary(grouping: source) { element in
      try await Self.checkLater()
      return element
    }
    #expect(grouped == ["a": ["a", "a"], "b": ["b"]])
    let numbers = try await [Int](Self.throwing(1, 2))
    #expect(numbers == [1, 2])
  }

  static func shared<S: AsyncSequence & SendableMetatype>(
    _ base: S
  ) -> some AsyncSequence<S.Element, S.Failure> & Sendable
  where S.AsyncIterator: SendableMetatype, S.Element: Sendable {
    base.share(bufferingPolicy: .bufferingLatest(4))
  }

  @Test func sharing() async throws {
    var elements: [Int] = []
    for await element in Self.shared(Self.numbers(1, 2)) { elements.append(element) }
    for try await element in Self.throwing(3).share() { elements.append(element) }
    #expect(elements == [1, 2, 3])
  }

  @Test func failuresOfTwoKindsAreJoined() async throws {
    var elements: [Int] = []
    for try await element in chain(Self.numbers(1), Self.throwing(2)) { elements.append(element) }
    for try await element in chain(Self.throwing(3), Self.numbers(4)) { elements.append(element) }
    for try await element in chain(Self.throwing(5), [6].async, Self.numbers(7)) { elements.append(element) }
    #expect(elements == [1, 2, 3, 4, 5, 6, 7])
  }

  static func elements<First: AsyncSequence, Second: AsyncSequence>(
    _ first: First, _ second: Second
  ) async throws -> [Int] where First.Element == Int, Second.Element == Int {
    var elements: [Int] = []
    for try await element in chain(first, second) { elements.append(element) }
    for try await element in first.removeDuplicates().adjacentPairs() { elements.append(element.0) }
    for try await element in second.chunks(ofCount: 2).map(\.count) { elements.append(element) }
    return elements
  }

  @Test func genericCallersCompile() async throws {
    #expect(try await Self.elements([1].async, [2, 3].async) == [1, 2, 3, 2])
  }
}
