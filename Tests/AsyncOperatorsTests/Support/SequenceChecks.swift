import AsyncOperators
import InterflowTestSupport
import Testing

/// Checks what holds for every operator with one base that needs no concurrency.
///
/// It requests nothing of the base before its first `next()`, and after that only as often as is said; it ends and fails
/// with the base, and returns `nil` from then on without another call of the base; it calls the base on its consumer's
/// isolation; and it ends when its task is cancelled.
///
/// - Parameters:
///   - elements: The base's elements.
///   - pulls: How often the base's `next()` has been called after each element, the end included.
///   - made: How many elements the operator has made when the base fails.
func expectRules<Element: Sendable, S: AsyncSequence & SendableMetatype>(
  _ elements: [Element], pulls: [Int], madeBeforeFailure made: Int? = nil,
  sourceLocation: SourceLocation = #_sourceLocation, _ make: @escaping @Sendable (Probe<Element, TestError>) -> S
) async throws {
  // The end.
  var log = ProbeLog()
  var iterator = make(Probe(elements: elements, failure: nil, log: log)).makeAsyncIterator()
  #expect(log.pulls == 0, sourceLocation: sourceLocation)
  var counted: [Int] = []
  while true {
    let element = try await iterator.next(isolation: nil)
    counted.append(log.pulls)
    if element == nil { break }
  }
  #expect(counted == pulls, sourceLocation: sourceLocation)
  for _ in 0..<3 { #expect(try await iterator.next(isolation: nil) == nil, sourceLocation: sourceLocation) }
  #expect(log.pullsAfterEnd == 0, sourceLocation: sourceLocation)
  #expect(!log.wasElsewhere, sourceLocation: sourceLocation)

  // A failure.
  log = ProbeLog()
  iterator = make(Probe(elements: elements, failure: TestError("base"), log: log)).makeAsyncIterator()
  var count = 0
  do {
    while try await iterator.next(isolation: nil) != nil { count += 1 }
    Issue.record("the operator did not fail", sourceLocation: sourceLocation)
  } catch {
    #expect(error as? TestError == TestError("base"), sourceLocation: sourceLocation)
  }
  if let made { #expect(count == made, sourceLocation: sourceLocation) }
  for _ in 0..<3 { #expect(try await iterator.next(isolation: nil) == nil, sourceLocation: sourceLocation) }
  #expect(log.pullsAfterEnd == 0, sourceLocation: sourceLocation)

  // The isolation, with both forms of `next`.
  let testActor = TestActor()
  log = ProbeLog(testActor: testActor)
  let probe = Probe<Element, TestError>(elements: elements, failure: nil, log: log)
  try await testActor.expectOnActor { _ in make(probe) }
  #expect(log.pulls > 0, sourceLocation: sourceLocation)
  #expect(!log.wasElsewhere, sourceLocation: sourceLocation)
  log = ProbeLog(testActor: MainActor.shared)
  let mainProbe = Probe<Element, TestError>(elements: elements, failure: nil, log: log)
  try await expectOnMain { make(mainProbe) }
  #expect(!log.wasElsewhere, sourceLocation: sourceLocation)

  // A cancelled task.
  log = ProbeLog()
  let cancelled = Probe<Element, TestError>(elements: elements, failure: nil, log: log)
  let ended = Task {
    withUnsafeCurrentTask { $0?.cancel() }
    for try await _ in make(cancelled).dropFirst(1) {
      return false
    }
    return true
  }
  #expect(try await ended.value, sourceLocation: sourceLocation)
}

extension TestActor {
  fileprivate func expectOnActor<S: AsyncSequence & SendableMetatype>(_ make: @Sendable (TestActor) -> S) async throws {
    var iterator = make(self).makeAsyncIterator()
    while try await iterator.next(isolation: self) != nil { preconditionIsolated() }
  }
}

@MainActor
private func expectOnMain<S: AsyncSequence & SendableMetatype>(_ make: @Sendable () -> S) async throws {
  var iterator = make().makeAsyncIterator()
  while try await iterator.next(isolation: #isolation) != nil { MainActor.preconditionIsolated() }
}

/// Expects that a sequence over a base that waits forever ends when its task is cancelled.
func expectEndWhenCancelled<S: AsyncSequence & Sendable>(
  _ sequence: S, elements: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let task = Task {
    var count = 0
    for try await _ in sequence { count += 1 }
    return count
  }
  for _ in 0..<10 { await Task.yield() }
  task.cancel()
  #expect(try await task.value == elements, sourceLocation: sourceLocation)
}

/// All elements of a sequence.
func elements<S: AsyncSequence>(of sequence: S) async throws(S.Failure) -> [S.Element] {
  var elements: [S.Element] = []
  for try await element in sequence { elements.append(element) }
  return elements
}

/// Checks at compile time that a type can be sent.
func expectSendable(_ value: some Sendable) {}

/// Random arrays of small numbers, with a random number for each.
func randomLists(seed: UInt64, _ body: ([Int], Int) async throws -> Void) async throws {
  for number in 0..<300 {
    var random = Random(seed &+ UInt64(number))
    let list = (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0...4, using: &random) }
    try await body(list, Int.random(in: 1...5, using: &random))
  }
}

/// Returns a value, and could throw.
@Sendable func pass<Value>(_ value: Value) throws -> Value { value }
