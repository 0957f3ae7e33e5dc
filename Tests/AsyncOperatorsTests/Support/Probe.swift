import InterflowTestSupport

/// The calls of a ``Probe``'s `next()`.
final class ProbeLog: Sendable {
  private struct State {
    var pulls = 0
    var hasEnded = false
    var pullsAfterEnd = 0
    var wasElsewhere = false
  }
  private let state = Shared(State())
  let testActor: (any Actor)?

  init(testActor: (any Actor)? = nil) {
    self.testActor = testActor
  }

  /// How many elements have been requested.
  var pulls: Int { state.value.pulls }
  /// How many elements have been requested after the end or the failure.
  var pullsAfterEnd: Int { state.value.pullsAfterEnd }
  /// Whether an element has been requested on another isolation than the consumer's.
  var wasElsewhere: Bool { state.value.wasElsewhere }

  /// Counts something that is no pull of a ``Probe``.
  func count() {
    state.update { $0.pulls += 1 }
  }

  fileprivate func pull(_ actor: (any Actor)?) {
    state.update {
      $0.pulls += 1
      if $0.hasEnded { $0.pullsAfterEnd += 1 }
      if actor !== testActor { $0.wasElsewhere = true }
    }
  }

  fileprivate func end() {
    state.update { $0.hasEnded = true }
  }
}

/// A base that keeps a log of what an operator requests.
struct Probe<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  let elements: [Element]
  let failure: Failure?
  let log: ProbeLog

  func makeAsyncIterator() -> Iterator {
    Iterator(elements: elements[...], failure: failure, log: log)
  }

  struct Iterator: AsyncIteratorProtocol {
    var elements: ArraySlice<Element>
    var failure: Failure?
    let log: ProbeLog

    mutating func next() async throws(Failure) -> Element? {
      try await next(isolation: nil)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      log.pull(actor)
      if Task.isCancelled { elements = [] }
      if let element = elements.popFirst() { return element }
      log.end()
      defer { failure = nil }
      if let failure { throw failure }
      return nil
    }
  }
}

/// A sequence without elements, which waits until its task is cancelled.
struct Endless<Element: Sendable>: AsyncSequence, Sendable {
  func makeAsyncIterator() -> AsyncStream<Element>.Iterator {
    AsyncStream<Element>(unfolding: {
      try? await Task.sleep(for: .seconds(3_600))
      return nil
    }).makeAsyncIterator()
  }
}

/// A consumer's isolation.
actor TestActor {
  /// All elements of a sequence.
  func elements<S: AsyncSequence>(_ make: @Sendable (TestActor) -> S) async throws -> [S.Element]
  where S.Element: Sendable {
    var elements: [S.Element] = []
    var iterator = make(self).makeAsyncIterator()
    while let element = try await iterator.next(isolation: self) {
      preconditionIsolated()
      elements.append(element)
    }
    return elements
  }
}
