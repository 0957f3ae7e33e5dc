import AsyncOperators
import InterflowTestSupport
import Testing

/// The examples of the documentation, as written there; what they print is compared with what they say.
@Suite struct ShapingExamplesTests {
  private let print = ExampleOutput()

  @Test func adjacentPairs() async throws {
    for await (before, after) in [1, 4, 9].async.adjacentPairs() {
      print(after - before)  // 3, 5
    }
    #expect(print.line == "3, 5")
  }

  @Test func adjacentPairs2() async throws {
    let steps = [1, 4, 9].async.pairwise().map { $1 - $0 }  // 3, 5
    #expect(await Array(steps) == [3, 5])
  }

  @Test func asyncBufferedByteIterator() async throws {
    struct Zeros: AsyncSequence {
      func makeAsyncIterator() -> AsyncBufferedByteIterator {
        AsyncBufferedByteIterator(capacity: 4_096) { buffer in
          buffer.initializeMemory(as: UInt8.self, repeating: 0)
          return buffer.count
        }
      }
    }
    var bytes = Zeros().makeAsyncIterator()
    #expect(try await bytes.next() == 0)
  }

  @Test func asyncSyncSequence() async throws {
    for await number in (1...3).async {
      print(number)  // 1, 2, 3
    }
    #expect(print.line == "1, 2, 3")
  }

  @Test func chunkedByGroup() async throws {
    for await rising in [1, 3, 2, 5].async.chunked(into: ContiguousArray.self, by: <) {
      print(rising)  // [1, 3], [2, 5]
    }
    #expect(print.line == "[1, 3], [2, 5]")
  }

  @Test func chunkedByGroup2() async throws {
    for await rising in [1, 3, 2, 5].async.chunked(by: <) {
      print(rising)  // [1, 3], [2, 5]
    }
    #expect(print.line == "[1, 3], [2, 5]")
  }

  @Test func chunkedOnProjection() async throws {
    for await (initial, names) in ["Ann", "Al", "Bo"].async.chunked(into: ContiguousArray.self, on: \.first) {
      print(initial ?? " ", names)  // A ["Ann", "Al"], B ["Bo"]
    }
    #expect(print.line == #"A ["Ann", "Al"], B ["Bo"]"#)
  }

  @Test func chunkedOnProjection2() async throws {
    for await (initial, names) in ["Ann", "Al", "Bo"].async.chunked(on: \.first) {
      print(initial ?? " ", names)  // A ["Ann", "Al"], B ["Bo"]
    }
    #expect(print.line == #"A ["Ann", "Al"], B ["Bo"]"#)
  }

  @Test func chunksOfCount() async throws {
    for await page in (1...5).async.chunks(ofCount: 2, into: ContiguousArray.self) {
      print(page)  // [1, 2], [3, 4], [5]
    }
    #expect(print.line == "[1, 2], [3, 4], [5]")
  }

  @Test func chunksOfCount2() async throws {
    for await page in (1...5).async.chunks(ofCount: 2) {
      print(page)  // [1, 2], [3, 4], [5]
    }
    #expect(print.line == "[1, 2], [3, 4], [5]")
  }

  @Test func collect() async throws {
    let numbers = await (1...3).async.collect()  // [1, 2, 3]
    #expect(numbers == [1, 2, 3])
  }

  @Test func collect2() async throws {
    for await page in (1...5).async.collect(2) {
      print(page)  // [1, 2], [3, 4], [5]
    }
    #expect(print.line == "[1, 2], [3, 4], [5]")
  }

  @Test func compacted() async throws {
    for await number in ["1", "x", "3"].async.map(Int.init).compacted() {
      print(number)  // 1, 3
    }
    #expect(print.line == "1, 3")
  }

  @Test func dictionary() async throws {
    let lengths = await Dictionary(uniqueKeysWithValues: ["a", "bb"].async.map { ($0, $0.count) })
    _ = lengths
  }

  @Test func dictionary2() async throws {
    let counts = await Dictionary(["a", "b", "a"].async.map { ($0, 1) }, uniquingKeysWith: +)  // ["a": 2, "b": 1]
    #expect(counts == ["a": 2, "b": 1])
  }

  @Test func dictionary3() async throws {
    let links = [("a", "b")].async
    let pages = await Dictionary(links, uniquingKeysWith: { await newer($0, $1) })
    _ = pages
  }

  @Test func dictionary4() async throws {
    let words = await Dictionary(grouping: ["a", "bb", "c"].async, by: \.count)  // [1: ["a", "c"], 2: ["bb"]]
    #expect(words == [1: ["a", "c"], 2: ["bb"]])
  }

  @Test func dictionary5() async throws {
    let links = links.async
    let pages = await Dictionary(grouping: links, by: { await host(of: $0) })
    _ = pages
  }

  @Test func enumerated() async throws {
    for await (index, word) in ["a", "b"].async.enumerated() {
      print(index, word)  // 0 a, 1 b
    }
    #expect(print.line == "0 a, 1 b")
  }

  @Test func exclusiveReductions() async throws {
    let sums = (1...3).async.reductions(0, +)  // 1, 3, 6
    #expect(await Array(sums) == [1, 3, 6])
  }

  @Test func exclusiveReductions2() async throws {
    @Sendable func price(of id: Int) async -> Int { id * 10 }
    let prices = ids.async.reductions(0) { sum, id in sum + (await price(of: id)) }
    _ = prices
  }

  @Test func exclusiveReductions3() async throws {
    let lists = (1...2).async.reductions(into: []) { $0.append($1) }  // [1], [1, 2]
    #expect(await Array(lists) == [[1], [1, 2]])
  }

  @Test func exclusiveReductions4() async throws {
    @Sendable func price(of id: Int) async -> Int { id * 10 }
    let lists = ids.async.reductions(into: []) { $0.append(await price(of: $1)) }
    _ = lists
  }

  @Test func exclusiveReductions5() async throws {
    let sums = ["1", "2"].async.reductions(0) { sum, text in sum + (try parse(text)) }
    _ = sums
  }

  @Test func exclusiveReductions6() async throws {
    let prices = ids.async.reductions(0) { sum, id in sum + (try await price(of: id)) }
    _ = prices
  }

  @Test func exclusiveReductions7() async throws {
    let lists = ["1", "2"].async.reductions(into: []) { $0.append(try parse($1)) }
    _ = lists
  }

  @Test func exclusiveReductions8() async throws {
    let lists = ids.async.reductions(into: []) { $0.append(try await price(of: $1)) }
    _ = lists
  }

  @Test func first() async throws {
    let word = await ["a", "b"].async.first()  // "a"
    #expect(word == "a")
  }

  @Test func ignoreOutput() async throws {
    for await _ in (1...3).async.ignoreOutput() {}  // returns when the base has ended
  }

  @Test func inclusiveReductions() async throws {
    let sums = (1...3).async.reductions(+)  // 1, 3, 6
    #expect(await Array(sums) == [1, 3, 6])
  }

  @Test func inclusiveReductions2() async throws {
    let names = words.async.reductions { await joined($0, $1) }
    _ = names
  }

  @Test func inclusiveReductions3() async throws {
    let products = (1...3).async.reductions { try checkedProduct($0, $1) }
    _ = products
  }

  @Test func inclusiveReductions4() async throws {
    @Sendable func joined(_ first: String, _ second: String) async throws -> String { first + second }
    let names = words.async.reductions { try await joined($0, $1) }
    _ = names
  }

  @Test func interspersed() async throws {
    let line = await [String](["a", "b", "c"].async.interspersed(with: ","))  // ["a", ",", "b", ",", "c"]
    #expect(line == ["a", ",", "b", ",", "c"])
  }

  @Test func interspersed2() async throws {
    let line = await [String](["a", "b", "c"].async.interspersed(every: 2) { "," })  // ["a", "b", ",", "c"]
    #expect(line == ["a", "b", ",", "c"])
  }

  @Test func interspersed3() async throws {
    let words = ["a", "b"].async.interspersed { await nextSeparator() }
    _ = words
  }

  @Test func interspersed4() async throws {
    let words = ["a", "b"].async.interspersed { try makeSeparator() }
    _ = words
  }

  @Test func interspersed5() async throws {
    @Sendable func nextSeparator() async throws -> String { "," }
    let words = ["a", "b"].async.interspersed { try await nextSeparator() }
    _ = words
  }

  @Test func last() async throws {
    let word = await ["a", "b"].async.last()  // "b"
    #expect(word == "b")
  }

  @Test func last2() async throws {
    let number = await [1, 4, 3].async.last { $0.isMultiple(of: 2) }  // 4
    #expect(number == 4)
  }

  @Test func mapError() async throws {
    let source = AsyncThrowingStream<String, any Error> { $0.finish() }
    let lines = source.mapError { ReadError(reason: $0) }
    _ = lines
  }

  @Test func mapError2() async throws {
    let source = AsyncThrowingStream<String, any Error> { $0.finish() }
    let lines = source.mapError { await describe($0) }
    _ = lines
  }

  @Test func output() async throws {
    let third = await ["a", "b", "c"].async.output(at: 2)  // "c"
    #expect(third == "c")
  }

  @Test func output2() async throws {
    for await word in ["a", "b", "c", "d"].async.output(in: 1...2) {
      print(word)  // b, c
    }
    #expect(print.line == "b, c")
  }

  @Test func rangeReplaceableCollection() async throws {
    let numbers = await Array((1...3).async)  // [1, 2, 3]
    #expect(numbers == [1, 2, 3])
  }

  @Test func removeDuplicates() async throws {
    for await number in [1, 1, 2, 1].async.removeDuplicates() {
      print(number)  // 1, 2, 1
    }
    #expect(print.line == "1, 2, 1")
  }

  @Test func removeDuplicates2() async throws {
    let numbers = [1, 1, 2, -2].async.removeDuplicates { abs($0) == abs($1) }  // 1, 2
    #expect(await Array(numbers) == [1, 2])
  }

  @Test func removeDuplicates3() async throws {
    let pages = links.async.removeDuplicates { await areSame($0, $1) }
    _ = pages
  }

  @Test func removeDuplicates4() async throws {
    let pages = links.async.removeDuplicates { try resolve($0) == resolve($1) }
    _ = pages
  }

  @Test func removeDuplicates5() async throws {
    @Sendable func areSame(_ first: String, _ second: String) async throws -> Bool { first == second }
    let pages = links.async.removeDuplicates { try await areSame($0, $1) }
    _ = pages
  }

  @Test func replaceEmpty() async throws {
    let words = await Array([String]().async.replaceEmpty(with: "none"))  // ["none"]
    #expect(words == ["none"])
  }

  @Test func replaceNil() async throws {
    for await number in ["1", "x"].async.map(Int.init).replaceNil(with: 0) {
      print(number)  // 1, 0
    }
    #expect(print.line == "1, 0")
  }

  @Test func scan() async throws {
    let sums = (1...3).async.scan(0, +)  // 1, 3, 6
    #expect(await Array(sums) == [1, 3, 6])
  }

  @Test func scan2() async throws {
    @Sendable func price(of id: Int) async -> Int { id * 10 }
    let prices = ids.async.scan(0) { sum, id in sum + (await price(of: id)) }
    _ = prices
  }

  @Test func scan3() async throws {
    let sums = ["1", "2"].async.scan(0) { (sum, text) throws(ParseError) in sum + (try parse(text)) }
    _ = sums
  }

  @Test func scan4() async throws {
    let prices = ids.async.scan(0) { (sum, id) async throws(PriceError) in sum + (try await price(of: id)) }
    _ = prices
  }

  @Test func scan5() async throws {
    let lines = ["1"].async
    let sums = lines.scan(0) { sum, text in sum + (try parse(text)) }
    _ = sums
  }

  @Test func scan6() async throws {
    let ids = ids.async
    let prices = ids.scan(0) { sum, id in sum + (try await price(of: id)) }
    _ = prices
  }

  @Test func setAlgebra() async throws {
    let numbers = await Set([1, 2, 1].async)  // 1, 2
    #expect(numbers == [1, 2])
  }

  @Test func setFailureType() async throws {
    let numbers: any AsyncSequence<Int, URLError> = [1, 2].async.setFailureType(to: URLError.self)
    _ = numbers
  }
}

// What the examples call.

private let ids = [1, 2]
private let links = ["a", "b"]
private let words = ["a", "b"]
private struct ParseError: Error {}
private struct PriceError: Error {}
private struct URLError: Error {}
private struct ReadError: Error {
  var reason: any Error
}
private struct File: Sendable {
  var lines: AsyncSyncSequence<[String]> { ["line"].async }
  func open() async -> File { self }
}
private func price(of id: Int) async throws(PriceError) -> Int { id * 10 }
private func parse(_ text: String) throws(ParseError) -> Int { Int(text) ?? 0 }
private func joined(_ first: String, _ second: String) async -> String { first + second }
private func checkedProduct(_ first: Int, _ second: Int) throws -> Int { first * second }
private func newer(_ first: String, _ second: String) async -> String { max(first, second) }
private func host(of link: String) async -> String { link }
private func areSame(_ first: String, _ second: String) async -> Bool { first == second }
private func resolve(_ link: String) throws -> String { link }
private func makeSeparator() throws -> String { "," }
private func nextSeparator() async -> String { "," }
private func describe(_ error: any Error) async -> ReadError { ReadError(reason: error) }
