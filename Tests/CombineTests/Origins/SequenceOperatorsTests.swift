import Combine
import InterflowTestSupport
import Testing

/// Each operator's result and, by the annotation, its static type.
@Suite struct SequenceOperatorsTests {
  private typealias Failing<Elements: Sequence> = Publishers.Sequence<Elements, TestError>

  private let numbers = [1, 2, 3].publisher
  private let empty = [Int]().publisher
  private let failing = Failing(sequence: [1, 2, 3])

  @Test func mapping() {
    let mapped: Publishers.Sequence<[String], Never> = (1...3).publisher.map { "\($0)" }
    #expect(mapped == .init(sequence: ["1", "2", "3"]))
    let mappedFailing: Failing<[Int]> = failing.map { $0 + 1 }
    #expect(mappedFailing == .init(sequence: [2, 3, 4]))
    let compacted: Publishers.Sequence<[Int], Never> = ["1", "x", "3"].publisher.compactMap { Int($0) }
    #expect(compacted == .init(sequence: [1, 3]))
    let replaced: Publishers.Sequence<[Int?], Never> = [1, nil, 3].publisher.replaceNil(with: 2)
    #expect(replaced == .init(sequence: [1, 2, 3]))
    let scanned: Publishers.Sequence<[Int], Never> = numbers.scan(10) { $0 + $1 }
    #expect(scanned == .init(sequence: [11, 13, 16]))
    let typed: Failing<[Int]> = numbers.setFailureType(to: TestError.self)
    #expect(typed == failing)
  }

  @Test func reducing() {
    let reduced: Result<String, Never>.Publisher = numbers.reduce("0") { $0 + "\($1)" }
    #expect(reduced == .init("0123"))
    #expect(empty.reduce(5) { $0 + $1 } == .init(5))
    let tried: Result<Int, any Error>.Publisher = numbers.tryReduce(1) { $0 + $1 }
    #expect(log(of: tried) == ["7", "finished"])
    #expect(log(of: numbers.tryReduce(1, throwing)) == ["test error"])
    let collected: Result<[Int], Never>.Publisher = Single(1, 2).publisher.collect()
    #expect(collected == .init([1, 2]))
    let collectedFailing: Result<[Int], TestError>.Publisher = failing.collect()
    #expect(collectedFailing == .init([1, 2, 3]))
  }

  @Test func counting() {
    let count: Just<Int> = numbers.count()
    #expect(count == Just(3))
    let countFailing: Result<Int, TestError>.Publisher = failing.count()
    #expect(countFailing == .init(3))
    let countCharacters: Result<Int, Never>.Publisher = "four".publisher.count()
    #expect(countCharacters == .init(4))
  }

  @Test func extremes() {
    let least: Optional<Int>.Publisher = numbers.min()
    let greatest: Optional<Int>.Publisher = numbers.max()
    let leastBy: Optional<Int>.Publisher = numbers.min(by: >)
    let greatestBy: Optional<Int>.Publisher = numbers.max(by: >)
    #expect([least, greatest, leastBy, greatestBy].map(\.output) == [1, 3, 3, 1])
    #expect(empty.min() == .init(nil) && empty.max() == .init(nil))
  }

  @Test func matching() {
    let all: Result<Bool, Never>.Publisher = numbers.allSatisfy { $0 > 1 }
    #expect(all == .init(false))
    #expect(empty.allSatisfy(unreachable) == .init(true))
    let tryAll: Result<Bool, any Error>.Publisher = numbers.tryAllSatisfy { $0 > 0 }
    #expect(log(of: tryAll) == ["true", "finished"])
    #expect(log(of: numbers.tryAllSatisfy(throwing)) == ["test error"])

    let contained: Result<Bool, Never>.Publisher = numbers.contains(2)
    #expect(contained == .init(true))
    let accepted: Result<Bool, TestError>.Publisher = failing.contains { $0 > 3 }
    #expect(accepted == .init(false))
    let tryContained: Result<Bool, any Error>.Publisher = numbers.tryContains { $0 > 2 }
    #expect(log(of: tryContained) == ["true", "finished"])
    #expect(log(of: numbers.tryContains(where: throwing)) == ["test error"])
  }

  @Test func filtering() {
    let filtered: Publishers.Sequence<[Int], Never> = (1...4).publisher.filter { $0.isMultiple(of: 2) }
    #expect(filtered == .init(sequence: [2, 4]))
    let single: Publishers.Sequence<[Int], Never> = [1, 1, 2, 2, 1].publisher.removeDuplicates()
    #expect(single == .init(sequence: [1, 2, 1]))
    #expect([nil, nil, 1, nil].publisher.removeDuplicates() == .init(sequence: [nil, 1, nil]))
    let ignored: Empty<Int, TestError> = failing.ignoreOutput()
    #expect(ignored == Empty())
  }

  @Test func dropping() {
    let dropped: Publishers.Sequence<DropFirstSequence<[Int]>, Never> = numbers.dropFirst()
    #expect(log(of: dropped) == ["2", "3", "finished"])
    #expect(log(of: numbers.dropFirst(0)) == ["1", "2", "3", "finished"])
    #expect(log(of: numbers.dropFirst(4)) == ["finished"])
    let droppedWhile: Publishers.Sequence<DropWhileSequence<[Int]>, Never> = numbers.drop { $0 < 2 }
    #expect(log(of: droppedWhile) == ["2", "3", "finished"])
    let prefix: Publishers.Sequence<PrefixSequence<[Int]>, Never> = numbers.prefix(2)
    #expect(log(of: prefix) == ["1", "2", "finished"])
    #expect(log(of: numbers.prefix(0)) == ["finished"])
    let prefixWhile: Publishers.Sequence<[Int], Never> = numbers.prefix { $0 < 3 }
    #expect(prefixWhile == .init(sequence: [1, 2]))
  }

  @Test func dropFirstAndPrefixCutUnendingSequences() {
    #expect(log(of: (1...).publisher.dropFirst(2).prefix(2)) == ["3", "4", "finished"])
    #expect(log(of: (1...).publisher.prefix(2).map { $0 * 2 }) == ["2", "4", "finished"])
  }

  @Test func selecting() {
    let first: Optional<Int>.Publisher = numbers.first()
    let last: Optional<Int>.Publisher = numbers.last()
    #expect(first == .init(1) && last == .init(3))
    #expect(empty.first() == .init(nil) && empty.last() == .init(nil))
    let firstWhere: Optional<Int>.Publisher = Single(1, 2, 3).publisher.first { $0 > 1 }
    let lastWhere: Optional<Int>.Publisher = numbers.last { $0 < 3 }
    #expect(firstWhere == .init(2) && lastWhere == .init(2))
    #expect(numbers.first { $0 > 3 } == .init(nil) && numbers.last { $0 > 3 } == .init(nil))
  }

  @Test func outputAtAnIndex() {
    let second: Optional<Int>.Publisher = numbers.output(at: 1)
    #expect(second == .init(2))
    #expect(numbers.output(at: 3) == .init(nil))
    let text = "text"
    let character: Optional<Character>.Publisher = text.publisher.output(at: text.index(after: text.startIndex))
    #expect(character == .init("e"))
    #expect(text.publisher.output(at: text.endIndex) == .init(nil))
  }

  @Test func outputInARangeOfIndices() {
    let some: Publishers.Sequence<[Int], Never> = numbers.output(in: 1..<3)
    #expect(some == .init(sequence: [2, 3]))
    let clamped: Failing<[Int]> = failing.output(in: 2..<9)
    #expect(clamped == .init(sequence: [3]))
    #expect(numbers.output(in: 7..<9) == .init(sequence: []))
    let text = "text"
    let characters: Publishers.Sequence<[Character], Never> = text.publisher
      .output(in: text.startIndex..<text.index(text.startIndex, offsetBy: 2))
    #expect(characters == .init(sequence: ["t", "e"]))
  }

  @Test func concatenating() {
    let results: [Publishers.Sequence<[Int], Never>] = [
      [3].publisher.prepend(1, 2), [3].publisher.prepend(1...2), [3].publisher.prepend([1, 2].publisher),
      [1].publisher.append(2, 3), [1].publisher.append(2...3), [1].publisher.append([2, 3].publisher),
    ]
    #expect(results.allSatisfy { $0 == .init(sequence: [1, 2, 3]) })
    let text: Publishers.Sequence<String, Never> = "b".publisher.prepend("a").append("c", "d")
    #expect(text == .init(sequence: "abcd"))
  }

  @Test func closuresAreCalledOnceWhenTheOperatorIs() {
    var calls = 0
    let publisher = numbers.filter { number in
      calls += 1
      return number > 1
    }
    #expect(calls == 3)
    #expect(log(of: publisher) == ["2", "3", "finished"])
    #expect(log(of: publisher) == ["2", "3", "finished"])
    #expect(calls == 3)
  }
}
