import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Operators/Reducing, as written there.
// swift-format-ignore
@Suite struct ReducingExamplesTests {
  private let print = ExampleOutput()

  @Test func collect() {
    let cancellable = (1...3).publisher
      .collect()
      .sink { print($0) }  // [1, 2, 3]
    #expect(print.line == "[1, 2, 3]")
    withExtendedLifetime(cancellable) {}
  }

  @Test func collectByCount() {
    let cancellable = (1...5).publisher
      .collect(2)
      .sink { print($0) }  // [1, 2], [3, 4], [5]
    #expect(print.line == "[1, 2], [3, 4], [5]")
    withExtendedLifetime(cancellable) {}
  }

  @Test func max() {
    let cancellable = [2, 3, 1].publisher
      .max()
      .sink { print($0) }  // 3
    #expect(print.line == "3")
    withExtendedLifetime(cancellable) {}
  }

  @Test func min() {
    let cancellable = [2, 3, 1].publisher
      .min()
      .sink { print($0) }  // 1
    #expect(print.line == "1")
    withExtendedLifetime(cancellable) {}
  }

  @Test func maxBy() {
    let cancellable = ["a", "ccc", "bb"].publisher
      .max { $0.count < $1.count }
      .sink { print($0) }  // ccc
    #expect(print.line == "ccc")
    withExtendedLifetime(cancellable) {}
  }

  @Test func minBy() {
    let cancellable = ["bb", "a", "ccc"].publisher
      .min { $0.count < $1.count }
      .sink { print($0) }  // a
    #expect(print.line == "a")
    withExtendedLifetime(cancellable) {}
  }

  @Test func tryMax() {
    struct NotANumber: Error {}
    let cancellable = [1.5, .nan].publisher
      .tryMax { first, second in
        if first.isNaN || second.isNaN { throw NotANumber() }
        return first < second
      }
      .sink { print($0) } receiveValue: { print($0) }  // failure(NotANumber())
    #expect(print.shortLine == "failure(NotANumber())")
    withExtendedLifetime(cancellable) {}
  }

  @Test func tryMin() {
    struct NotANumber: Error {}
    let cancellable = [2.5, 1.5].publisher
      .tryMin { first, second in
        if first.isNaN || second.isNaN { throw NotANumber() }
        return first < second
      }
      .sink { print($0) } receiveValue: { print($0) }  // 1.5, finished
    #expect(print.line == "1.5, finished")
    withExtendedLifetime(cancellable) {}
  }

  @Test func count() {
    let cancellable = ["a", "b"].publisher
      .count()
      .sink { print($0) }  // 2
    #expect(print.line == "2")
    withExtendedLifetime(cancellable) {}
  }

  @Test func reduce() {
    let cancellable = (1...4).publisher
      .reduce(0) { $0 + $1 }
      .sink { print($0) }  // 10
    #expect(print.line == "10")
    withExtendedLifetime(cancellable) {}
  }

  @Test func tryReduce() {
    struct Overflow: Error {}
    let cancellable = [100, 100].publisher
      .tryReduce(UInt8(0)) { sum, next -> UInt8 in
        let (sum, overflow) = sum.addingReportingOverflow(UInt8(next))
        if overflow { throw Overflow() }
        return sum
      }
      .sink { print($0) } receiveValue: { print($0) }  // 200, finished
    #expect(print.line == "200, finished")
    withExtendedLifetime(cancellable) {}
  }
}
