import Combine
import Testing

/// Each operator's result and, by the annotation, its static type.
@Suite struct OptionalOperatorsTests {
  private let some = Optional(1).publisher
  private let none = Int?.none.publisher

  @Test func mapping() {
    let mapped: Optional<String>.Publisher = some.map { "\($0 + 1)" }
    #expect(mapped == .init("2"))
    let mappedNone: Optional<String>.Publisher = none.map(unreachable)
    #expect(mappedNone == .init(nil))

    let compacted: Optional<Int>.Publisher = Optional("7").publisher.compactMap { Int($0) }
    #expect(compacted == .init(7))
    #expect(Optional("x").publisher.compactMap { Int($0) } == .init(nil))
    let compactedNone: Optional<Int>.Publisher = none.compactMap(unreachable)
    #expect(compactedNone == .init(nil))

    let scanned: Optional<String>.Publisher = some.scan("0") { $0 + "\($1)" }
    #expect(scanned == .init("01"))
    let scannedNone: Optional<String>.Publisher = none.scan("0", unreachable)
    #expect(scannedNone == .init(nil))
  }

  @Test func reducing() {
    let reduced: Optional<String>.Publisher = some.reduce("0") { $0 + "\($1)" }
    #expect(reduced == .init("01"))
    let collected: Optional<[Int]>.Publisher = some.collect()
    #expect(collected == .init([1]))
    let count: Optional<Int>.Publisher = some.count()
    #expect(count == .init(1))

    let extremes: [Optional<Int>.Publisher] = [
      some.min(), some.max(), some.min(by: unreachable), some.max(by: unreachable),
    ]
    #expect(extremes.allSatisfy { $0 == some })
    #expect(none.min() == none && none.max() == none)
  }

  @Test func matching() {
    let all: Optional<Bool>.Publisher = some.allSatisfy { $0 > 1 }
    #expect(all == .init(false))
    let contained: Optional<Bool>.Publisher = some.contains(1)
    #expect(contained == .init(true))
    let accepted: Optional<Bool>.Publisher = some.contains { $0 > 1 }
    #expect(accepted == .init(false))
  }

  @Test func nothingIsMadeOfNothingButAnEmptyArray() {
    #expect(none.collect() == .init([]))
    #expect(none.count() == .init(nil))
    #expect(none.reduce(0, +) == .init(nil))
    #expect(none.allSatisfy(unreachable) == .init(nil))
    #expect(none.contains(1) == .init(nil))
    #expect(none.contains(where: unreachable) == .init(nil))
  }

  @Test func filtering() {
    let kept: Optional<Int>.Publisher = some.filter { $0 == 1 }
    #expect(kept == some)
    #expect(some.filter { $0 != 1 } == none)
    #expect(none.filter(unreachable) == none)
    let single: Optional<Int>.Publisher = some.removeDuplicates()
    let singleBy: Optional<Int>.Publisher = some.removeDuplicates(by: unreachable)
    #expect(single == some && singleBy == some)
    let ignored: Empty<Int, Never> = some.ignoreOutput()
    #expect(ignored == Empty())
  }

  @Test func selecting() {
    let matches: [Optional<Int>.Publisher] = [
      some.first(), some.last(), some.first { $0 == 1 }, some.last { $0 == 1 }, some.prefix { $0 == 1 },
      some.drop { $0 != 1 }, some.dropFirst(0), some.prefix(1), some.prefix(5), some.output(at: 0),
      some.output(in: 0..<1), some.output(in: 0...4), some.output(in: ...0), some.output(in: 0...),
    ]
    #expect(matches.allSatisfy { $0 == some })

    let misses: [Optional<Int>.Publisher] = [
      some.first { $0 != 1 }, some.last { $0 != 1 }, some.prefix { $0 != 1 }, some.drop { $0 == 1 }, some.dropFirst(),
      some.prefix(0), some.output(at: 1), some.output(in: 1..<2), some.output(in: 0..<0), none.first(), none.last(),
      none.first(where: unreachable), none.last(where: unreachable), none.prefix(while: unreachable),
      none.drop(while: unreachable), none.dropFirst(0), none.prefix(1), none.output(at: 0), none.output(in: 0...),
    ]
    #expect(misses.allSatisfy { $0 == none })
  }

  @Test func replacing() {
    let replaced: Just<Int> = none.replaceEmpty(with: 2)
    #expect(replaced == Just(2))
    #expect(some.replaceEmpty(with: 2) == Just(1))
    let unchanged: [Optional<Int>.Publisher] = [some.replaceError(with: 2), some.retry(3)]
    #expect(unchanged.allSatisfy { $0 == some })
    #expect(none.replaceError(with: 2) == none)
  }

  @Test func aSubscriberGetsTheValueAndTheCompletion() {
    #expect(log(of: some.map { $0 + 1 }.filter { $0 == 2 }) == ["2", "finished"])
    #expect(log(of: some.map { $0 + 1 }.filter { $0 == 1 }) == ["finished"])
  }
}
