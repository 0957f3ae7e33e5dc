import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Operators/Matching, as written there.
// swift-format-ignore
@Suite struct MatchingExamplesTests {
  private let print = ExampleOutput()

  @Test func allSatisfy() {
    let cancellable = [2, 4, 6].publisher
      .allSatisfy { $0.isMultiple(of: 2) }
      .sink { print($0) }  // true
    #expect(print.line == "true")
    withExtendedLifetime(cancellable) {}
  }

  @Test func tryAllSatisfy() {
    struct Negative: Error {}
    let cancellable = [2, -2].publisher
      .tryAllSatisfy { number in
        if number < 0 { throw Negative() }
        return number.isMultiple(of: 2)
      }
      .sink { print($0) } receiveValue: { print($0) }  // failure(Negative())
    #expect(print.shortLine == "failure(Negative())")
    withExtendedLifetime(cancellable) {}
  }

  @Test func contains() {
    let cancellable = [1, 2, 3].publisher
      .contains(2)
      .sink { print($0) }  // true
    #expect(print.line == "true")
    withExtendedLifetime(cancellable) {}
  }

  @Test func containsWhere() {
    let cancellable = [1, 2, 3].publisher
      .contains { $0 > 3 }
      .sink { print($0) }  // false
    #expect(print.line == "false")
    withExtendedLifetime(cancellable) {}
  }

  @Test func tryContains() {
    struct Negative: Error {}
    let cancellable = [1, -1, 3].publisher
      .tryContains { number in
        if number < 0 { throw Negative() }
        return number == 3
      }
      .sink { print($0) } receiveValue: { print($0) }  // failure(Negative())
    #expect(print.shortLine == "failure(Negative())")
    withExtendedLifetime(cancellable) {}
  }
}
