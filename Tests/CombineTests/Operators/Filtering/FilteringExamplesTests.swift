import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Operators/Filtering, as written there.
// swift-format-ignore
@Suite struct FilteringExamplesTests {
  private let print = ExampleOutput()

  @Test func filter() {
    let cancellable = (1...6).publisher
      .filter { $0.isMultiple(of: 2) }
      .sink { print($0) }  // 2, 4, 6
    #expect(print.line == "2, 4, 6")
    withExtendedLifetime(cancellable) {}
  }

  @Test func ignoreOutput() {
    let cancellable = [1, 2, 3].publisher
      .ignoreOutput()
      .sink { print($0) } receiveValue: { _ in }  // finished
    #expect(print.line == "finished")
    withExtendedLifetime(cancellable) {}
  }

  @Test func removeDuplicates() {
    let cancellable = [1, 1, 2, 1].publisher
      .removeDuplicates()
      .sink { print($0) }  // 1, 2, 1
    #expect(print.line == "1, 2, 1")
    withExtendedLifetime(cancellable) {}
  }

  @Test func removeDuplicatesBy() {
    let cancellable = ["a", "b", "cc"].publisher
      .removeDuplicates { $0.count == $1.count }
      .sink { print($0) }  // a, cc
    #expect(print.line == "a, cc")
    withExtendedLifetime(cancellable) {}
  }

  @Test func tryRemoveDuplicates() {
    struct Unordered: Error {}
    let cancellable = [1, 1, 0].publisher
      .tryRemoveDuplicates { previous, next in
        if next < previous { throw Unordered() }
        return next == previous
      }
      .sink { print($0) } receiveValue: { print($0) }  // 1, failure(Unordered())
    #expect(print.shortLine == "1, failure(Unordered())")
    withExtendedLifetime(cancellable) {}
  }

  @Test func replaceEmpty() {
    let cancellable = Empty<Int, Never>()
      .replaceEmpty(with: 0)
      .sink { print($0) }  // 0
    #expect(print.line == "0")
    withExtendedLifetime(cancellable) {}
  }

  @Test func tryFilter() {
    struct Negative: Error {}
    let cancellable = [1, 2, -1].publisher
      .tryFilter { number in
        if number < 0 { throw Negative() }
        return number > 1
      }
      .sink { print($0) } receiveValue: { print($0) }  // 2, failure(Negative())
    #expect(print.shortLine == "2, failure(Negative())")
    withExtendedLifetime(cancellable) {}
  }
}
