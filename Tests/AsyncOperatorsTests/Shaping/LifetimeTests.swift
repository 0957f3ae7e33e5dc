import AsyncOperators
import InterflowTestSupport
import Testing

/// An operator releases its base's iterator when the elements have ended, though its own iterator is still there.
@Suite struct LifetimeTests {
  /// Numbers, and an iterator that holds a counted object.
  struct Counted: AsyncSequence, Sendable {
    let elements: [Int]
    var failure: TestError?
    let alive: LifetimeCounter

    func makeAsyncIterator() -> Iterator {
      Iterator(elements: elements[...], failure: failure, token: alive.make())
    }

    struct Iterator: AsyncIteratorProtocol {
      var elements: ArraySlice<Int>
      let failure: TestError?
      let token: LifetimeCounter.Token

      mutating func next() async throws(TestError) -> Int? { try await next(isolation: nil) }

      mutating func next(isolation actor: isolated (any Actor)?) async throws(TestError) -> Int? {
        if let element = elements.popFirst() { return element }
        if let failure { throw failure }
        return nil
      }
    }
  }

  let alive = LifetimeCounter()

  func base(failure: TestError? = nil) -> Counted {
    Counted(elements: [1, 2], failure: failure, alive: alive)
  }

  /// The number of base iterators that are left when a sequence has ended or failed.
  func left<S: AsyncSequence>(_ sequence: S) async -> Int {
    var iterator = sequence.makeAsyncIterator()
    do { while try await iterator.next(isolation: nil) != nil {} } catch {}
    return withExtendedLifetime(iterator) { alive.count }
  }

  @Test func aBaseIsReleasedWhenItEnds() async {
    #expect(await left(base().removeDuplicates()) == 0)
    #expect(await left(base().adjacentPairs()) == 0)
    #expect(await left(base().mapError { $0 }) == 0)
    #expect(await left(chain(base(), base(), base())) == 0)
    #expect(await left(base().append([1].async)) == 0)
    #expect(await left([base(), base()].async.joined(separator: base())) == 0)
  }

  @Test func aBaseIsReleasedWhenItFails() async {
    let failing = base(failure: TestError())
    #expect(await left(failing.removeDuplicates()) == 0)
    #expect(await left(failing.mapError { $0 }) == 0)
    #expect(await left(chain(failing, base(), base())) == 0)
    #expect(await left(chain(base(), base(), failing)) == 0)
    #expect(await left([base(), failing].async.joined(separator: base())) == 0)
    #expect(await left([base(), base()].async.joined(separator: failing)) == 0)
  }

  @Test func aBaseIsReleasedWhenAClosureThrows() async {
    #expect(await left(base().removeDuplicates { _, _ in throw TestError() }) == 0)
    #expect(await left(base().reductions(0) { _, _ in throw TestError() }) == 0)
    #expect(await left(base().reductions { _, _ in throw TestError() }) == 0)
    #expect(await left(base().interspersed { throw TestError() }) == 0)
    #expect(await left(base().scan(0) { _, _ in throw TestError() }) == 0)
  }

  @Test func aBaseIsReleasedWithTheLastElementOfARange() async throws {
    var iterator = base().output(in: 0...0).makeAsyncIterator()
    #expect(alive.count == 1)
    #expect(try await iterator.next() == 1)
    #expect(withExtendedLifetime(iterator) { alive.count } == 0)
  }
}
