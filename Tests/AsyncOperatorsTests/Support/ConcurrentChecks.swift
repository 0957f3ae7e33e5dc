import InterflowTestSupport
import Testing

typealias Source = ManualSource<Int, TestError>

/// What all operators that run their bases in tasks have in common: how they end, and that they leave nothing behind.
///
/// - Parameters:
///   - count: How many bases there are.
///   - sending: The bases that have an element each and then end; by default all.
///   - failing: The bases whose failure is the operator's; by default all.
///   - make: The operator.
func expectConcurrentRules<S: AsyncSequence & Sendable>(
  _ count: Int, sending: [Int]? = nil, failing: [Int]? = nil, _ make: @escaping @Sendable ([Source]) -> S
) async where S.Element: Sendable, S.Failure == TestError {
  let rules = ConcurrentRules(count: count, sending: sending ?? Array(0..<count), make: make)
  await rules.cancelBeforeNext()
  await rules.cancelWhileWaiting()
  await rules.cancelWithElementsThatHaveArrived()
  await rules.dropBeforeNext()
  await rules.dropBetweenElements()
  for index in failing ?? Array(0..<count) { await rules.fail(index) }
  await rules.end()
}

private struct WeakReference {
  weak var object: Source?

  init(_ object: Source) { self.object = object }
}

private struct ConcurrentRules<S: AsyncSequence & Sendable> where S.Element: Sendable, S.Failure == TestError {
  let count: Int
  let sending: [Int]
  let make: @Sendable ([Source]) -> S

  private func sources() -> [Source] { (0..<count).map { _ in Source() } }

  /// An element of each base, so that every operator has one.
  private func sendRound(_ sources: [Source]) {
    for index in sending { sources[index].send(index) }
  }

  func cancelBeforeNext() async {
    var sources = sources()
    let observed = sources.map { WeakReference($0) }
    let sequence = Shared<S?>(make(sources))
    let requested = sources.map(\.requested)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      guard var iterator = sequence.update({ $0.take() })?.makeAsyncIterator() else { return false }
      do {
        let first = try await iterator.next(isolation: nil)
        let second = try await iterator.next(isolation: nil)
        // The iterator is still there.
        return withExtendedLifetime(iterator) {
          first == nil && second == nil && observed.allSatisfy { $0.object == nil }
        }
      } catch {
        return false
      }
    }
    sources = []
    #expect(await task.value)
    #expect(requested.allSatisfy { $0.count == 0 })
  }

  func cancelWhileWaiting() async {
    let sources = sources()
    let task = Task { [make] in
      var iterator = make(sources).makeAsyncIterator()
      do {
        let first = try await iterator.next(isolation: nil)
        let second = try await iterator.next(isolation: nil)
        return first == nil && second == nil
      } catch {
        return false
      }
    }
    for source in sources { await source.requested.wait() }
    task.cancel()
    #expect(await task.value)
    for source in sources {
      await source.cancelled.wait()
      await source.released.wait()
    }
  }

  func cancelWithElementsThatHaveArrived() async {
    let sources = sources()
    let proceed = Signal()
    let hasFirst = Signal()
    sendRound(sources)
    let task = Task { [make] in
      var iterator = make(sources).makeAsyncIterator()
      do {
        let first = try await iterator.next(isolation: nil)
        hasFirst.fire()
        await proceed.wait()
        let second = try await iterator.next(isolation: nil)
        let third = try await iterator.next(isolation: nil)
        return first != nil && second == nil && third == nil
      } catch {
        return false
      }
    }
    await hasFirst.wait()
    sendRound(sources)
    task.cancel()
    proceed.fire()
    #expect(await task.value)
    for source in sources { await source.released.wait() }
  }

  func dropBeforeNext() async {
    var sources = sources()
    let observed = sources.map { WeakReference($0) }
    do { _ = make(sources).makeAsyncIterator() }
    #expect(sources.allSatisfy { $0.requested.count == 0 })
    sources = []
    #expect(observed.allSatisfy { $0.object == nil })
  }

  func dropBetweenElements() async {
    let sources = sources()
    sendRound(sources)
    do {
      var iterator = make(sources).makeAsyncIterator()
      let first = try? await iterator.next(isolation: nil)
      #expect(first != nil)
    }
    for source in sources { await source.released.wait() }
  }

  func fail(_ index: Int) async {
    let sources = sources()
    sendRound(sources)
    var iterator = make(sources).makeAsyncIterator()
    do {
      _ = try await iterator.next(isolation: nil)
      sources[index].fail(TestError("of \(index)"))
      while try await iterator.next(isolation: nil) != nil {}
      Issue.record("the failure of base \(index) is lost")
    } catch {
      #expect(error == TestError("of \(index)"))
    }
    let after = try? await iterator.next(isolation: nil)
    #expect(after == nil)
    for source in sources { await source.released.wait() }
  }

  func end() async {
    let sources = sources()
    sendRound(sources)
    for index in sending { sources[index].finish() }
    var iterator = make(sources).makeAsyncIterator()
    do {
      var elements = 0
      while try await iterator.next(isolation: nil) != nil { elements += 1 }
      #expect(elements > 0)
      let after = try await iterator.next(isolation: nil)
      #expect(after == nil)
    } catch {
      Issue.record(error)
    }
    for source in sources { await source.released.wait() }
    #expect(sources.allSatisfy { $0.released.count == 1 })
  }
}

/// A base whose elements wait until the consumer has those of another one, for operators that drop what comes before.
struct FollowingSource: AsyncSequence, Sendable {
  let base: Source
  let wait: @Sendable () async -> Void

  func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), wait: wait) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: Source.Iterator
    fileprivate let wait: @Sendable () async -> Void

    mutating func next() async throws(TestError) -> Int? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(TestError) -> Int? {
      guard let element = try await base.next(isolation: actor) else { return nil }
      await wait()
      return element
    }
  }
}

extension ManualSource where Element == Int, Failure == TestError {
  func waiting(_ wait: @escaping @Sendable () async -> Void) -> FollowingSource {
    FollowingSource(base: self, wait: wait)
  }
}
