import Combine
import Testing

/// What is applied at once gives the values that the same operator gives on any other publisher.
@Suite struct GenericChainTests {
  @Test func just() { check(Just(1)) }

  @Test func optional() { check(Optional(1).publisher) }

  @Test func sequence() { check([1, 2, 3].publisher) }

  @Test func result() {
    check(Result<Int, TestError>.Publisher(1))
    check(Result<Int, TestError>.Publisher(TestError("first")))
  }

  @Test func noValueIsStillMappedFilteredAndReplaced() {
    let none = Int?.none.publisher
    let general = none.eraseToAnyPublisher()
    expectSame(none.map { $0 + 1 }, general.map { $0 + 1 })
    expectSame(none.filter { $0 == 1 }, general.filter { $0 == 1 })
    expectSame(none.scan(1, +), general.scan(1, +))
  }

  private func check(_ publisher: Just<Int>) {
    let general = publisher.eraseToAnyPublisher()
    expectSame(publisher.map { $0 + 1 }, general.map { $0 + 1 })
    expectSame(publisher.tryMap { $0 + 1 }, general.tryMap { $0 + 1 })
    expectSame(publisher.tryMap(throwing) as Result<Int, any Error>.Publisher, thrown(general))
    expectSame(publisher.filter { $0 == 1 }, general.filter { $0 == 1 })
    expectSame(publisher.filter { $0 != 1 }, general.filter { $0 != 1 })
    expectSame(publisher.scan(1, +), general.scan(1, +))
    expectSame(publisher.tryScan(1, throwing), general.tryScan(1, throwing))
    expectSame(publisher.append(5, 6), general.append(5, 6))
    expectSame(publisher.append([5, 6]), general.append([5, 6]))
    expectSame(publisher.prepend(5, 6), general.prepend(5, 6))
    expectSame(publisher.prepend([5, 6]), general.prepend([5, 6]))
    expectSame(publisher.retry(2), general.retry(2))
    expectSame(publisher.setFailureType(to: TestError.self), general.setFailureType(to: TestError.self))
  }

  private func check(_ publisher: Optional<Int>.Publisher) {
    let general = publisher.eraseToAnyPublisher()
    expectSame(publisher.map { $0 + 1 }, general.map { $0 + 1 })
    expectSame(publisher.filter { $0 == 1 }, general.filter { $0 == 1 })
    expectSame(publisher.filter { $0 != 1 }, general.filter { $0 != 1 })
    expectSame(publisher.scan(1, +), general.scan(1, +))
    expectSame(publisher.retry(2), general.retry(2))
    expectSame(publisher.replaceError(with: 5), general.replaceError(with: 5))
  }

  private func check(_ publisher: Result<Int, TestError>.Publisher) {
    let general = publisher.eraseToAnyPublisher()
    expectSame(publisher.map { $0 + 1 }, general.map { $0 + 1 })
    expectSame(publisher.tryMap { $0 + 1 }, general.tryMap { $0 + 1 })
    expectSame(publisher.tryMap(throwing) as Result<Int, any Error>.Publisher, thrown(general))
    expectSame(publisher.scan(1, +), general.scan(1, +))
    expectSame(publisher.tryScan(1, throwing), general.tryScan(1, throwing))
    expectSame(publisher.replaceError(with: 5), general.replaceError(with: 5))
    expectSame(publisher.retry(2), general.retry(2))
    let changed = { (_: TestError) in TestError("changed") }
    expectSame(publisher.mapError(changed), general.mapError(changed))
  }

  private func check(_ publisher: Publishers.Sequence<[Int], Never>) {
    let general = publisher.eraseToAnyPublisher()
    expectSame(publisher.map { $0 + 1 }, general.map { $0 + 1 })
    expectSame(publisher.filter { $0 == 2 }, general.filter { $0 == 2 })
    expectSame(publisher.scan(1, +), general.scan(1, +))
    expectSame(publisher.append(5, 6), general.append(5, 6))
    expectSame(publisher.append([5, 6]), general.append([5, 6]))
    expectSame(publisher.append([5, 6].publisher), general.append([5, 6].publisher))
    expectSame(publisher.prepend(5, 6), general.prepend(5, 6))
    expectSame(publisher.prepend([5, 6]), general.prepend([5, 6]))
    expectSame(publisher.prepend([5, 6].publisher), general.prepend([5, 6].publisher))
    expectSame(publisher.setFailureType(to: TestError.self), general.setFailureType(to: TestError.self))
  }

  private func thrown<P: Publisher>(_ publisher: P) -> Publishers.TryMap<P, Int> {
    publisher.tryMap { value -> Int in try throwing(value) }
  }

  private func expectSame<A: Publisher, B: Publisher>(
    _ atOnce: A, _ general: B, at location: SourceLocation = #_sourceLocation
  ) {
    #expect(log(of: atOnce) == log(of: general), sourceLocation: location)
  }
}
