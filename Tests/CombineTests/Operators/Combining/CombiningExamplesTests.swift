import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Operators/Combining, as written there.
// swift-format-ignore
@Suite struct CombiningExamplesTests {
  private let print = ExampleOutput()

  @Test func combineLatest() {
    let width = CurrentValueSubject<Int, Never>(2)
    let height = CurrentValueSubject<Int, Never>(3)
    let cancellable = width.combineLatest(height) { $0 * $1 }
      .sink { print($0) }  // 6
    height.value = 4  // 8
    #expect(print.line == "6, 8")
    withExtendedLifetime(cancellable) {}
  }

  @Test func append() {
    let cancellable = [1, 2].publisher.append(3, 4).sink { print($0) }  // 1, 2, 3, 4
    #expect(print.line == "1, 2, 3, 4")
    withExtendedLifetime(cancellable) {}
  }

  @Test func prepend() {
    let cancellable = [3, 4].publisher.prepend(1, 2).sink { print($0) }  // 1, 2, 3, 4
    #expect(print.line == "1, 2, 3, 4")
    withExtendedLifetime(cancellable) {}
  }

  @Test func flatMap() {
    let cancellable = [1, 2].publisher
      .flatMap { [$0, $0 * 10].publisher }
      .sink { print($0) }  // 1, 10, 2, 20
    #expect(print.line == "1, 10, 2, 20")
    withExtendedLifetime(cancellable) {}
  }

  @Test func merge() {
    let cancellable = [1, 2].publisher.merge(with: [3].publisher).sink { print($0) }  // 1, 2, 3
    #expect(print.line == "1, 2, 3")
    withExtendedLifetime(cancellable) {}
  }

  @Test func switchToLatest() {
    let searches = PassthroughSubject<[String], Never>()
    let cancellable = searches.map(\.publisher).switchToLatest().sink { print($0) }
    searches.send(["a"])
    searches.send(["b", "c"])
    #expect(print.line == "a, b, c")
    withExtendedLifetime(cancellable) {}
  }

  @Test func zip() {
    let cancellable = [1, 2].publisher
      .zip(["a", "b"].publisher)
      .sink { print($0) }  // (1, "a"), (2, "b")
    #expect(print.line == "(1, \"a\"), (2, \"b\")")
    withExtendedLifetime(cancellable) {}
  }
}
