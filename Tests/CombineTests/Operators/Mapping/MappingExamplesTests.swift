import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Operators/Mapping, as written there.
// swift-format-ignore
@Suite struct MappingExamplesTests {
  private let print = ExampleOutput()

  @Test func compactMap() {
    let cancellable = ["1", "x", "3"].publisher
      .compactMap { Int($0) }
      .sink { print($0) }  // 1, 3
    #expect(print.line == "1, 3")
    withExtendedLifetime(cancellable) {}
  }

  @Test func tryCompactMap() {
    struct Blank: Error {}
    let cancellable = ["1", "x", ""].publisher
      .tryCompactMap { text -> Int? in
        if text.isEmpty { throw Blank() }
        return Int(text)
      }
      .sink { print($0) } receiveValue: { print($0) }  // 1, failure(Blank())
    #expect(print.shortLine == "1, failure(Blank())")
    withExtendedLifetime(cancellable) {}
  }

  @Test func map() {
    let cancellable = [1, 2, 3].publisher
      .map { $0 * 10 }
      .sink { print($0) }  // 10, 20, 30
    #expect(print.line == "10, 20, 30")
    withExtendedLifetime(cancellable) {}
  }

  @Test func mapError() {
    struct Refused: Error { let reason: any Error }
    let publisher = [1].publisher.tryMap { $0 }.mapError { Refused(reason: $0) }
    let cancellable = publisher.sink { print($0) } receiveValue: { print($0) }
    #expect(print.line == "1, finished")
    withExtendedLifetime(cancellable) {}
  }

  @Test func mapKeyPath() {
    let cancellable = ["one", "three"].publisher.map(\.count).sink { print($0) }  // 3, 5
    #expect(print.line == "3, 5")
    withExtendedLifetime(cancellable) {}
  }

  @Test func replaceNil() {
    let texts = PassthroughSubject<String, Never>()
    let cancellable = texts.map { Int($0) }
      .replaceNil(with: 0)
      .sink { print($0) }
    texts.send("1")  // 1
    texts.send("x")  // 0
    #expect(print.line == "1, 0")
    withExtendedLifetime(cancellable) {}
  }

  @Test func scan() {
    let cancellable = (1...4).publisher
      .scan(0) { $0 + $1 }
      .sink { print($0) }  // 1, 3, 6, 10
    #expect(print.line == "1, 3, 6, 10")
    withExtendedLifetime(cancellable) {}
  }

  @Test func setFailureType() {
    struct Refused: Error {}
    let publisher = [1, 2].publisher.setFailureType(to: Refused.self)
    let cancellable = publisher.sink { print($0) } receiveValue: { print($0) }
    #expect(print.line == "1, 2, finished")
    withExtendedLifetime(cancellable) {}
  }

  @Test func tryMap() {
    struct NotANumber: Error {}
    let cancellable = ["1", "x"].publisher
      .tryMap { text -> Int in
        guard let number = Int(text) else { throw NotANumber() }
        return number
      }
      .sink { print($0) } receiveValue: { print($0) }  // 1, failure(NotANumber())
    #expect(print.shortLine == "1, failure(NotANumber())")
    withExtendedLifetime(cancellable) {}
  }
}
