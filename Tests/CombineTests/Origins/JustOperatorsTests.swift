import Combine
import InterflowTestSupport
import Testing

/// Each operator's result and, by the annotation, its static type.
@Suite struct JustOperatorsTests {
  @Test func mapping() {
    let mapped: Just<String> = Just(1).map { "\($0 + 1)" }
    #expect(mapped == Just("2"))

    let tried: Result<Int, any Error>.Publisher = Just(1).tryMap { $0 + 1 }
    #expect(log(of: tried) == ["2", "finished"])
    let failed: Result<Int, any Error>.Publisher = Just(1).tryMap(throwing)
    #expect(log(of: failed) == ["test error"])

    let some: Optional<Int>.Publisher = Just("7").compactMap { Int($0) }
    #expect(some == .init(7))
    let none: Optional<Int>.Publisher = Just("x").compactMap { Int($0) }
    #expect(none == .init(nil))

    let scanned: Result<String, Never>.Publisher = Just(1).scan("0") { $0 + "\($1)" }
    #expect(scanned == .init("01"))
    let tryScanned: Result<Int, any Error>.Publisher = Just(1).tryScan(2) { $0 + $1 }
    #expect(log(of: tryScanned) == ["3", "finished"])
    let scanFailed: Result<Int, any Error>.Publisher = Just(1).tryScan(2, throwing)
    #expect(log(of: scanFailed) == ["test error"])
  }

  @Test func reducing() {
    let reduced: Result<String, Never>.Publisher = Just(1).reduce("0") { $0 + "\($1)" }
    #expect(reduced == .init("01"))
    let tried: Result<Int, any Error>.Publisher = Just(1).tryReduce(2) { $0 + $1 }
    #expect(log(of: tried) == ["3", "finished"])
    let failed: Result<Int, any Error>.Publisher = Just(1).tryReduce(2, throwing)
    #expect(log(of: failed) == ["test error"])

    let collected: Just<[Int]> = Just(1).collect()
    #expect(collected == Just([1]))
    let count: Just<Int> = Just("a").count()
    #expect(count == Just(1))

    let least: Just<Int> = Just(1).min()
    let leastBy: Just<Int> = Just(1).min(by: unreachable)
    let greatest: Just<Int> = Just(1).max()
    let greatestBy: Just<Int> = Just(1).max(by: unreachable)
    #expect([least, leastBy, greatest, greatestBy].allSatisfy { $0 == Just(1) })
  }

  @Test func matching() {
    let all: Just<Bool> = Just(1).allSatisfy { $0 > 1 }
    #expect(all == Just(false))
    let tryAll: Result<Bool, any Error>.Publisher = Just(1).tryAllSatisfy { $0 > 0 }
    #expect(log(of: tryAll) == ["true", "finished"])
    let allFailed: Result<Bool, any Error>.Publisher = Just(1).tryAllSatisfy(throwing)
    #expect(log(of: allFailed) == ["test error"])

    let contained: Just<Bool> = Just(1).contains(1)
    #expect(contained == Just(true))
    let accepted: Just<Bool> = Just(1).contains { $0 > 1 }
    #expect(accepted == Just(false))
    let tryContained: Result<Bool, any Error>.Publisher = Just(1).tryContains { $0 > 0 }
    #expect(log(of: tryContained) == ["true", "finished"])
    let containedFailed: Result<Bool, any Error>.Publisher = Just(1).tryContains(where: throwing)
    #expect(log(of: containedFailed) == ["test error"])
  }

  @Test func filtering() {
    let kept: Optional<Int>.Publisher = Just(1).filter { $0 == 1 }
    #expect(kept == .init(1))
    let left: Optional<Int>.Publisher = Just(1).filter { $0 != 1 }
    #expect(left == .init(nil))

    let single: Just<Int> = Just(1).removeDuplicates()
    let singleBy: Just<Int> = Just(1).removeDuplicates(by: unreachable)
    #expect(single == Just(1) && singleBy == Just(1))
    let tried: Result<Int, any Error>.Publisher = Just(1).tryRemoveDuplicates { $0 == $1 }
    #expect(log(of: tried) == ["1", "finished"])
    let failed: Result<Int, any Error>.Publisher = Just(1).tryRemoveDuplicates(by: throwing)
    #expect(log(of: failed) == ["test error"])

    let ignored: Empty<Int, Never> = Just(1).ignoreOutput()
    #expect(ignored == Empty())
  }

  @Test func selecting() {
    let first: Just<Int> = Just(1).first()
    let last: Just<Int> = Just(1).last()
    #expect(first == Just(1) && last == Just(1))

    let matches: [Optional<Int>.Publisher] = [
      Just(1).first { $0 == 1 }, Just(1).last { $0 == 1 }, Just(1).prefix { $0 == 1 }, Just(1).drop { $0 != 1 },
      Just(1).dropFirst(0), Just(1).prefix(1), Just(1).prefix(5), Just(1).output(at: 0), Just(1).output(in: 0..<1),
      Just(1).output(in: 0...4), Just(1).output(in: ...0), Just(1).output(in: 0...), Just(1).output(in: 0..<0),
    ]
    #expect(matches.allSatisfy { $0 == .init(1) })

    let misses: [Optional<Int>.Publisher] = [
      Just(1).first { $0 != 1 }, Just(1).last { $0 != 1 }, Just(1).prefix { $0 != 1 }, Just(1).drop { $0 == 1 },
      Just(1).dropFirst(), Just(1).dropFirst(3), Just(1).prefix(0), Just(1).output(at: 1), Just(1).output(in: 1..<2),
      Just(1).output(in: 1..<1), Just(1).output(in: 1...), Just(1).output(in: -1...2), Just(1).output(in: -1..<0),
    ]
    #expect(misses.allSatisfy { $0 == .init(nil) })
  }

  @Test func concatenating() {
    let prepended: Publishers.Sequence<[Int], Never> = Just(3).prepend(1, 2)
    #expect(prepended == .init(sequence: [1, 2, 3]))
    let prependedSequence: Publishers.Sequence<[Int], Never> = Just(3).prepend(Set([2]))
    #expect(prependedSequence == .init(sequence: [2, 3]))
    let appended: Publishers.Sequence<[Int], Never> = Just(1).append(2, 3)
    #expect(appended == .init(sequence: [1, 2, 3]))
    let appendedSequence: Publishers.Sequence<[Int], Never> = Just(1).append(2...3)
    #expect(appendedSequence == .init(sequence: [1, 2, 3]))
  }

  @Test func failing() {
    let mapped: Result<Int, TestError>.Publisher = Just(1).mapError(unreachable)
    #expect(mapped == .init(1))
    let typed: Result<Int, TestError>.Publisher = Just(1).setFailureType(to: TestError.self)
    #expect(typed == .init(1))

    let unchanged: [Just<Int>] = [Just(1).replaceError(with: 2), Just(1).replaceEmpty(with: 2), Just(1).retry(3)]
    #expect(unchanged.allSatisfy { $0 == Just(1) })
  }

  @Test func closuresAreCalledOnceWhenTheOperatorIs() {
    var calls = 0
    let publisher = Just(1)
      .map { value in
        calls += 1
        return value * 10
      }
    #expect(calls == 1)
    #expect(log(of: publisher) == ["10", "finished"])
    #expect(log(of: publisher) == ["10", "finished"])
    #expect(calls == 1)
  }
}
