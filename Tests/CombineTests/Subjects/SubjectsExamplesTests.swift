import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Subjects, as written there.
// swift-format-ignore
@Suite struct SubjectsExamplesTests {
  private let print = ExampleOutput()

  @Test func currentValueSubject() {
    let subject = CurrentValueSubject<Int, Never>(0)
    let cancellable = subject.sink { print($0) }  // 0
    subject.value = 1  // 1
    #expect(print.line == "0, 1")
    withExtendedLifetime(cancellable) {}
  }

  @Test func passthroughSubject() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.sink { print($0) }
    subject.send(1)
    subject.send(completion: .finished)
    #expect(print.line == "1")
    withExtendedLifetime(cancellable) {}
  }
}
