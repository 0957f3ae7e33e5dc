import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Operators/Selecting, as written there.
// swift-format-ignore
@Suite struct SelectingExamplesTests {
  private let print = ExampleOutput()

  @Test func drop() {
    let cancellable = (1...4).publisher
      .dropFirst(2)
      .sink { print($0) }  // 3, 4
    #expect(print.line == "3, 4")
    withExtendedLifetime(cancellable) {}
  }

  @Test func dropUntilOutput() {
    let numbers = PassthroughSubject<Int, Never>()
    let start = PassthroughSubject<Void, Never>()
    let cancellable = numbers
      .drop(untilOutputFrom: start)
      .sink { print($0) }
    numbers.send(1)
    start.send()
    numbers.send(2)  // 2
    #expect(print.line == "2")
    withExtendedLifetime(cancellable) {}
  }

  @Test func dropWhile() {
    let cancellable = [1, 2, 3, 1].publisher
      .drop { $0 < 3 }
      .sink { print($0) }  // 3, 1
    #expect(print.line == "3, 1")
    withExtendedLifetime(cancellable) {}
  }

  @Test func tryDrop() {
    struct Negative: Error {}
    let cancellable = [1, -1, 3].publisher
      .tryDrop { number in
        if number < 0 { throw Negative() }
        return number < 3
      }
      .sink { print($0) } receiveValue: { print($0) }  // failure(Negative())
    #expect(print.shortLine == "failure(Negative())")
    withExtendedLifetime(cancellable) {}
  }

  @Test func first() {
    let cancellable = [1, 2, 3].publisher
      .first()
      .sink { print($0) }  // 1
    #expect(print.line == "1")
    withExtendedLifetime(cancellable) {}
  }

  @Test func firstWhere() {
    let cancellable = [1, 2, 3].publisher
      .first { $0 > 1 }
      .sink { print($0) }  // 2
    #expect(print.line == "2")
    withExtendedLifetime(cancellable) {}
  }

  @Test func tryFirst() {
    struct Negative: Error {}
    let cancellable = [1, -1].publisher
      .tryFirst { number in
        if number < 0 { throw Negative() }
        return number > 1
      }
      .sink { print($0) } receiveValue: { print($0) }  // failure(Negative())
    #expect(print.shortLine == "failure(Negative())")
    withExtendedLifetime(cancellable) {}
  }

  @Test func last() {
    let cancellable = [1, 2, 3].publisher
      .last()
      .sink { print($0) }  // 3
    #expect(print.line == "3")
    withExtendedLifetime(cancellable) {}
  }

  @Test func lastWhere() {
    let cancellable = [1, 2, 3].publisher
      .last { $0 < 3 }
      .sink { print($0) }  // 2
    #expect(print.line == "2")
    withExtendedLifetime(cancellable) {}
  }

  @Test func tryLast() {
    struct Negative: Error {}
    let cancellable = [1, -1].publisher
      .tryLast { number in
        if number < 0 { throw Negative() }
        return number < 3
      }
      .sink { print($0) } receiveValue: { print($0) }  // failure(Negative())
    #expect(print.shortLine == "failure(Negative())")
    withExtendedLifetime(cancellable) {}
  }

  @Test func prefix() {
    let cancellable = (1...5).publisher
      .prefix(2)
      .sink { print($0) }  // 1, 2
    #expect(print.line == "1, 2")
    withExtendedLifetime(cancellable) {}
  }

  @Test func outputAt() {
    let cancellable = ["a", "b", "c"].publisher
      .output(at: 1)
      .sink { print($0) }  // b
    #expect(print.line == "b")
    withExtendedLifetime(cancellable) {}
  }

  @Test func outputIn() {
    let cancellable = ["a", "b", "c", "d"].publisher
      .output(in: 1...2)
      .sink { print($0) }  // b, c
    #expect(print.line == "b, c")
    withExtendedLifetime(cancellable) {}
  }

  @Test func prefixUntilOutput() {
    let numbers = PassthroughSubject<Int, Never>()
    let stop = PassthroughSubject<Void, Never>()
    let cancellable = numbers
      .prefix(untilOutputFrom: stop)
      .sink { print($0) }
    numbers.send(1)  // 1
    stop.send()
    numbers.send(2)
    #expect(print.line == "1")
    withExtendedLifetime(cancellable) {}
  }

  @Test func prefixWhile() {
    let cancellable = [1, 2, 3, 1].publisher
      .prefix { $0 < 3 }
      .sink { print($0) }  // 1, 2
    #expect(print.line == "1, 2")
    withExtendedLifetime(cancellable) {}
  }

  @Test func tryPrefix() {
    struct Negative: Error {}
    let cancellable = [1, -1].publisher
      .tryPrefix { number in
        if number < 0 { throw Negative() }
        return number < 3
      }
      .sink { print($0) } receiveValue: { print($0) }  // 1, failure(Negative())
    #expect(print.shortLine == "1, failure(Negative())")
    withExtendedLifetime(cancellable) {}
  }
}
