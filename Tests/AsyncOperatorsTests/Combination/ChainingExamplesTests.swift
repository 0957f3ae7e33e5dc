import AsyncOperators
import InterflowTestSupport
import Testing

/// The examples of the documentation, as written there; what they print is compared with what they say.
@Suite struct ChainingExamplesTests {
  private let print = ExampleOutput()

  @Test func append() async throws {
    let numbers = await Array([1, 2].async.append(3, 4))  // [1, 2, 3, 4]
    #expect(numbers == [1, 2, 3, 4])
  }

  @Test func append2() async throws {
    let numbers = await Array([1, 2].async.append(3...4))  // [1, 2, 3, 4]
    #expect(numbers == [1, 2, 3, 4])
  }

  @Test func append3() async throws {
    let numbers = await Array([1, 2].async.append([3].async))  // [1, 2, 3]
    #expect(numbers == [1, 2, 3])
  }

  @Test func chain2() async throws {
    for await number in chain([1, 2].async, [3].async) {
      print(number)  // 1, 2, 3
    }
    #expect(print.line == "1, 2, 3")
  }

  @Test func chain3() async throws {
    for await number in chain([1, 2].async, [3].async, [4].async) {
      print(number)  // 1, 2, 3, 4
    }
    #expect(print.line == "1, 2, 3, 4")
  }

  @Test func concatMap() async throws {
    let numbers = (1...3).async.concatMap { (0..<$0).async }  // 0, 0, 1, 0, 1, 2
    #expect(await Array(numbers) == [0, 0, 1, 0, 1, 2])
  }

  @Test func concatMap2() async throws {
    let files = [File()]
    let lines = files.async.concatMap { file in await file.open().lines }
    _ = lines
  }

  @Test func joined() async throws {
    let numbers = await Array([[1, 2].async, [3].async].async.joined())  // [1, 2, 3]
    #expect(numbers == [1, 2, 3])
  }

  @Test func joinedBySeparator() async throws {
    let lists = [[1, 2].async, [3].async].async
    let numbers = await Array(lists.joined(separator: [0].async))  // [1, 2, 0, 3]
    #expect(numbers == [1, 2, 0, 3])
  }

  @Test func prepend() async throws {
    let numbers = await Array([3, 4].async.prepend(1, 2))  // [1, 2, 3, 4]
    #expect(numbers == [1, 2, 3, 4])
  }

  @Test func prepend2() async throws {
    let numbers = await Array([3, 4].async.prepend(1...2))  // [1, 2, 3, 4]
    #expect(numbers == [1, 2, 3, 4])
  }

  @Test func prepend3() async throws {
    let numbers = await Array([2, 3].async.prepend([1].async))  // [1, 2, 3]
    #expect(numbers == [1, 2, 3])
  }
}

// What the examples call.

private struct File: Sendable {
  var lines: AsyncSyncSequence<[String]> { ["line"].async }
  func open() async -> File { self }
}
