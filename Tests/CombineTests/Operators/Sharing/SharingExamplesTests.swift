import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Operators/Sharing, as written there.
// swift-format-ignore
@Suite struct SharingExamplesTests {
  private let print = ExampleOutput()

  @Test func autoconnect() {
    let shared = [1, 2].publisher.makeConnectable().autoconnect()
    let cancellable = shared.sink { print($0) }  // 1, 2
    #expect(print.line == "1, 2")
    withExtendedLifetime(cancellable) {}
  }

  @Test func buffer() {
    let subject = PassthroughSubject<Int, Never>()
    let buffered = subject.buffer(size: 16, prefetch: .byRequest, whenFull: .dropOldest)
    let cancellable = buffered.sink { print($0) }
    subject.send(1)
    #expect(print.line == "1")
    withExtendedLifetime(cancellable) {}
  }

  @Test func makeConnectable() {
    let numbers = [1, 2].publisher.makeConnectable()
    let cancellable = numbers.sink { print($0) }
    let connection = numbers.connect()  // 1, 2
    #expect(print.line == "1, 2")
    withExtendedLifetime(cancellable) {}
    withExtendedLifetime(connection) {}
  }

  @Test func multicast() {
    let shared = [1, 2].publisher.multicast { PassthroughSubject() }
    let one = shared.sink { print("one", $0) }
    let two = shared.sink { print("two", $0) }
    let connection = shared.connect()
    #expect(print.line == "one 1, two 1, one 2, two 2")
    withExtendedLifetime(one) {}
    withExtendedLifetime(two) {}
    withExtendedLifetime(connection) {}
  }

  @Test func share() {
    let shared = [1, 2].publisher.print("upstream").share()
    let cancellable = shared.sink { print($0) }
    #expect(print.line == "1, 2")
    withExtendedLifetime(cancellable) {}
  }
}
