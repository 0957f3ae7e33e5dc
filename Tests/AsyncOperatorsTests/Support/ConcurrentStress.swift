import InterflowTestSupport
import Testing

/// Runs a random schedule for each seed, as many as the environment says.
func withRandomSchedules(_ body: (inout Random) async -> Void) async {
  for seed in 0..<UInt64(environmentNumber("INTERFLOW_STRESS_RUNS") ?? 200) {
    var random = Random(seed)
    await body(&random)
  }
}

/// A sequence of numbers from zero, each of which comes at once, after a few other tasks, or from another thread.
struct RandomSource: AsyncSequence, Sendable {
  let seed: UInt64
  let count: Int
  var failure: TestError?
  /// Whether it goes on when its task is cancelled, as if it were not.
  let ignoresCancellation: Bool
  /// What an element says of its base.
  let base: Int
  let taken = Shared(0)
  /// How many iterators there have been, and how many of them have returned `nil` or failed.
  let begun = Shared(0)
  let ended = Shared(0)
  let released = Signal()

  struct Item: Hashable, Sendable {
    let base: Int
    let number: Int
  }

  init(_ random: inout Random, base: Int, counts: ClosedRange<Int> = 0...12) {
    seed = random.next()
    ignoresCancellation = seed % 4 == 0
    count = Int.random(in: counts, using: &random)
    failure = Int.random(in: 0..<8, using: &random) == 0 ? TestError("of \(base)") : nil
    self.base = base
  }

  func makeAsyncIterator() -> Iterator {
    begun.update { $0 += 1 }
    return Iterator(source: self)
  }

  struct Iterator: AsyncIteratorProtocol {
    private let source: RandomSource
    private let token: Token
    private var random: Random
    private var number = 0

    private final class Token {
      let released: Signal
      let isInside = Shared(false)
      init(_ released: Signal) { self.released = released }
      deinit { released.fire() }
    }

    fileprivate init(source: RandomSource) {
      self.source = source
      token = Token(source.released)
      random = Random(source.seed)
    }

    mutating func next() async throws(TestError) -> Item? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(TestError) -> Item? {
      let wasInside = token.isInside.update { isInside in
        defer { isInside = true }
        return isInside
      }
      if wasInside { Issue.record("two calls of next() at once") }
      defer { token.isInside.value = false }
      await randomPause(&random, isolation: actor)
      let isCancelled = Task.isCancelled && !source.ignoresCancellation
      if isCancelled || number == source.count { source.ended.update { $0 += 1 } }
      if isCancelled { return nil }
      if number == source.count {
        if let failure = source.failure { throw failure }
        return nil
      }
      defer { number += 1 }
      source.taken.update { $0 += 1 }
      return Item(base: source.base, number: number)
    }
  }
}

/// Waits until no iterator of the sources is left.
func expectReleased(_ sources: [RandomSource]) async {
  for source in sources { await source.released.wait(source.begun.value) }
}

/// Whether these are numbers that follow one another.
func expectContiguous(
  _ items: [RandomSource.Item], from first: Int? = 0, sourceLocation: SourceLocation = #_sourceLocation
) {
  let numbers = items.map(\.number)
  let start = first ?? numbers.first ?? 0
  #expect(
    numbers == Array(start..<start + numbers.count), "lost, twice or out of order", sourceLocation: sourceLocation)
}

/// Goes on at once, after a few other tasks, or when another thread resumes it.
func randomPause(_ random: inout Random, isolation: isolated (any Actor)?) async {
  switch Int.random(in: 0..<6, using: &random) {
  case 0..<3: break
  case 3:
    for _ in 0..<Int.random(in: 1...3, using: &random) { await Task.yield() }
  case 4:
    await withCheckedContinuation { continuation in
      Task.detached { continuation.resume() }
    }
  default:
    for _ in 0..<Int.random(in: 60...70, using: &random) { await Task.yield() }
  }
}

/// What came out of a sequence in a random schedule.
struct RandomOutcome<Element: Sendable>: Sendable {
  var elements: [Element] = []
  var failure: TestError?
  var wasStopped = false

  /// Whether it ended with the end of the sequence.
  var isWhole: Bool { !wasStopped && failure == nil }
}

/// Iterates a sequence in a task, at random speed, which may be cancelled or stop at a random moment.
func randomOutcome<S: AsyncSequence & Sendable>(_ random: inout Random, _ sequence: S) async -> RandomOutcome<S.Element>
where S.Element: Sendable, S.Failure == TestError {
  let seed = random.next()
  let isCancelled = Int.random(in: 0..<4, using: &random) == 0
  let limit = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 0...6, using: &random) : Int.max
  let cancelled = Shared(false)
  let task = Task { () -> RandomOutcome<S.Element> in
    var random = Random(seed)
    var outcome = RandomOutcome<S.Element>()
    var iterator = sequence.makeAsyncIterator()
    do throws(TestError) {
      while outcome.elements.count < limit, let element = try await iterator.next(isolation: nil) {
        outcome.elements.append(element)
        await randomPause(&random, isolation: nil)
      }
      outcome.wasStopped = outcome.elements.count >= limit
    } catch {
      outcome.failure = error
    }
    return outcome
  }
  if isCancelled {
    for _ in 0..<Int.random(in: 0...10, using: &random) { await randomPause(&random, isolation: nil) }
    cancelled.value = true
    task.cancel()
  }
  var outcome = await task.value
  if cancelled.value { outcome.wasStopped = true }
  return outcome
}
