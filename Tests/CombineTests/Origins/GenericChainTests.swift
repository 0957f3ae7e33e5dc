import Combine
import InterflowTestSupport
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
    expectSame(publisher.compactMap { $0 == 1 ? "one" : nil }, general.compactMap { $0 == 1 ? "one" : nil })
    expectSame(publisher.reduce(1, +), general.reduce(1, +))
    expectSame(publisher.tryReduce(1, throwing), general.tryReduce(1, throwing))
    expectSame(publisher.collect(), general.collect())
    expectSame(publisher.count(), general.count())
    expectSame(publisher.min(), general.min())
    expectSame(publisher.max(), general.max())
    expectSame(publisher.min(by: >), general.min(by: >))
    expectSame(publisher.max(by: >), general.max(by: >))
    expectSame(publisher.allSatisfy { $0 > 0 }, general.allSatisfy { $0 > 0 })
    expectSame(publisher.contains(1), general.contains(1))
    expectSame(publisher.contains { $0 > 1 }, general.contains { $0 > 1 })
    expectSame(publisher.removeDuplicates(), general.removeDuplicates())
    expectSame(publisher.removeDuplicates(by: >), general.removeDuplicates(by: >))
    expectSame(publisher.ignoreOutput(), general.ignoreOutput())
    expectSame(publisher.first(), general.first())
    expectSame(publisher.last(), general.last())
    expectSame(publisher.first { $0 > 1 }, general.first { $0 > 1 })
    expectSame(publisher.last { $0 > 0 }, general.last { $0 > 0 })
    expectSame(publisher.dropFirst(), general.dropFirst())
    expectSame(publisher.dropFirst(0), general.dropFirst(0))
    expectSame(publisher.drop { $0 == 1 }, general.drop { $0 == 1 })
    expectSame(publisher.prefix(0), general.prefix(0))
    expectSame(publisher.prefix(2), general.prefix(2))
    expectSame(publisher.prefix { $0 > 1 }, general.prefix { $0 > 1 })
    expectSame(publisher.output(at: 0), general.output(at: 0))
    expectSame(publisher.output(at: 1), general.output(at: 1))
    expectSame(publisher.output(in: 0..<1), general.output(in: 0..<1))
    expectSame(publisher.output(in: 1...2), general.output(in: 1...2))
    expectSame(publisher.replaceEmpty(with: 5), general.replaceEmpty(with: 5))
    expectSame(publisher.tryAllSatisfy { $0 > 0 }, general.tryAllSatisfy { $0 > 0 })
    expectSame(publisher.tryAllSatisfy(throwing), general.tryAllSatisfy(throwing))
    expectSame(publisher.tryContains { $0 > 0 }, general.tryContains { $0 > 0 })
    expectSame(publisher.tryContains(where: throwing), general.tryContains(where: throwing))
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
    expectSame(publisher.compactMap { $0 == 1 ? "one" : nil }, general.compactMap { $0 == 1 ? "one" : nil })
    expectSame(publisher.reduce(1, +), general.reduce(1, +))
    expectSame(publisher.tryReduce(1, throwing), general.tryReduce(1, throwing))
    expectSame(publisher.collect(), general.collect())
    expectSame(publisher.count(), general.count())
    expectSame(publisher.min(), general.min())
    expectSame(publisher.max(), general.max())
    expectSame(publisher.min(by: >), general.min(by: >))
    expectSame(publisher.max(by: >), general.max(by: >))
    expectSame(publisher.allSatisfy { $0 > 0 }, general.allSatisfy { $0 > 0 })
    expectSame(publisher.contains(1), general.contains(1))
    expectSame(publisher.contains { $0 > 1 }, general.contains { $0 > 1 })
    expectSame(publisher.removeDuplicates(), general.removeDuplicates())
    expectSame(publisher.removeDuplicates(by: >), general.removeDuplicates(by: >))
    expectSame(publisher.ignoreOutput(), general.ignoreOutput())
    expectSame(publisher.first(), general.first())
    expectSame(publisher.last(), general.last())
    expectSame(publisher.first { $0 > 1 }, general.first { $0 > 1 })
    expectSame(publisher.last { $0 > 0 }, general.last { $0 > 0 })
    expectSame(publisher.dropFirst(), general.dropFirst())
    expectSame(publisher.dropFirst(0), general.dropFirst(0))
    expectSame(publisher.drop { $0 == 1 }, general.drop { $0 == 1 })
    expectSame(publisher.prefix(0), general.prefix(0))
    expectSame(publisher.prefix(2), general.prefix(2))
    expectSame(publisher.prefix { $0 > 1 }, general.prefix { $0 > 1 })
    expectSame(publisher.output(at: 0), general.output(at: 0))
    expectSame(publisher.output(at: 1), general.output(at: 1))
    expectSame(publisher.output(in: 0..<1), general.output(in: 0..<1))
    expectSame(publisher.output(in: 1...2), general.output(in: 1...2))
    expectSame(publisher.replaceEmpty(with: 5), general.replaceEmpty(with: 5))
    expectSame(publisher.map { $0 + 1 }, general.map { $0 + 1 })
    expectSame(publisher.filter { $0 == 1 }, general.filter { $0 == 1 })
    expectSame(publisher.filter { $0 != 1 }, general.filter { $0 != 1 })
    expectSame(publisher.scan(1, +), general.scan(1, +))
    expectSame(publisher.retry(2), general.retry(2))
    expectSame(publisher.replaceError(with: 5), general.replaceError(with: 5))
  }

  private func check(_ publisher: Result<Int, TestError>.Publisher) {
    let general = publisher.eraseToAnyPublisher()
    expectSame(publisher.reduce(1, +), general.reduce(1, +))
    expectSame(publisher.tryReduce(1, throwing), general.tryReduce(1, throwing))
    expectSame(publisher.collect(), general.collect())
    expectSame(publisher.count(), general.count())
    expectSame(publisher.min(), general.min())
    expectSame(publisher.max(), general.max())
    expectSame(publisher.min(by: >), general.min(by: >))
    expectSame(publisher.max(by: >), general.max(by: >))
    expectSame(publisher.allSatisfy { $0 > 0 }, general.allSatisfy { $0 > 0 })
    expectSame(publisher.contains(1), general.contains(1))
    expectSame(publisher.contains { $0 > 1 }, general.contains { $0 > 1 })
    expectSame(publisher.removeDuplicates(), general.removeDuplicates())
    expectSame(publisher.removeDuplicates(by: >), general.removeDuplicates(by: >))
    expectSame(publisher.first(), general.first())
    expectSame(publisher.last(), general.last())
    expectSame(publisher.replaceEmpty(with: 5), general.replaceEmpty(with: 5))
    expectSame(publisher.tryAllSatisfy { $0 > 0 }, general.tryAllSatisfy { $0 > 0 })
    expectSame(publisher.tryAllSatisfy(throwing), general.tryAllSatisfy(throwing))
    expectSame(publisher.tryContains { $0 > 0 }, general.tryContains { $0 > 0 })
    expectSame(publisher.tryContains(where: throwing), general.tryContains(where: throwing))
    expectSame(publisher.tryMin { $0 < $1 }, general.tryMin { $0 < $1 })
    expectSame(publisher.tryMax { $0 < $1 }, general.tryMax { $0 < $1 })
    expectSame(publisher.tryRemoveDuplicates { $0 == $1 }, general.tryRemoveDuplicates { $0 == $1 })
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
    expectSame(publisher.compactMap { $0 == 1 ? "one" : nil }, general.compactMap { $0 == 1 ? "one" : nil })
    expectSame(publisher.reduce(1, +), general.reduce(1, +))
    expectSame(publisher.tryReduce(1, throwing), general.tryReduce(1, throwing))
    expectSame(publisher.collect(), general.collect())
    expectSame(publisher.count(), general.count())
    expectSame(publisher.min(), general.min())
    expectSame(publisher.max(), general.max())
    expectSame(publisher.min(by: >), general.min(by: >))
    expectSame(publisher.max(by: >), general.max(by: >))
    expectSame(publisher.allSatisfy { $0 > 0 }, general.allSatisfy { $0 > 0 })
    expectSame(publisher.contains(1), general.contains(1))
    expectSame(publisher.contains { $0 > 1 }, general.contains { $0 > 1 })
    expectSame(publisher.removeDuplicates(), general.removeDuplicates())
    expectSame(publisher.removeDuplicates(by: >), general.removeDuplicates(by: >))
    expectSame(publisher.ignoreOutput(), general.ignoreOutput())
    expectSame(publisher.first(), general.first())
    expectSame(publisher.last(), general.last())
    expectSame(publisher.first { $0 > 1 }, general.first { $0 > 1 })
    expectSame(publisher.last { $0 > 0 }, general.last { $0 > 0 })
    expectSame(publisher.dropFirst(), general.dropFirst())
    expectSame(publisher.dropFirst(0), general.dropFirst(0))
    expectSame(publisher.drop { $0 == 1 }, general.drop { $0 == 1 })
    expectSame(publisher.prefix(0), general.prefix(0))
    expectSame(publisher.prefix(2), general.prefix(2))
    expectSame(publisher.prefix { $0 > 1 }, general.prefix { $0 > 1 })
    expectSame(publisher.output(at: 0), general.output(at: 0))
    expectSame(publisher.output(at: 1), general.output(at: 1))
    expectSame(publisher.output(in: 0..<1), general.output(in: 0..<1))
    expectSame(publisher.output(in: 1...2), general.output(in: 1...2))
    expectSame(publisher.tryAllSatisfy { $0 > 0 }, general.tryAllSatisfy { $0 > 0 })
    expectSame(publisher.tryAllSatisfy(throwing), general.tryAllSatisfy(throwing))
    expectSame(publisher.tryContains { $0 > 0 }, general.tryContains { $0 > 0 })
    expectSame(publisher.tryContains(where: throwing), general.tryContains(where: throwing))
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
