import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

/// The page about the verification says what is so, and its examples run.
@Suite(.disabled(if: hasThreadSanitizer, "ten seconds, the deadline that the page has, are too little then"))
struct VerificationExamplesTests {
  @Test func aPublisherOfOnesOwn() async throws {
    struct Countdown: Publisher {
      typealias Output = Int
      typealias Failure = Never
      let start: Int

      func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        stride(from: start, to: 0, by: -1).publisher.receive(subscriber: subscriber)
      }
    }

    try await PublisherVerification.verify(elements: 5) { count in
      Countdown(start: count)
    }
  }

  @Test func aPublisherThatIsFed() async throws {
    try await PublisherVerification.verify(elements: 5, options: .init(surplus: .isDropped)) { count in
      let subject = PassthroughSubject<Int, Never>()
      return PublisherUnderTest(subject.map { $0 * 2 }) {
        for number in 0..<count { subject.send(number) }
        subject.send(completion: .finished)
      }
    }
  }

  @Test func aPublisherThatIsSentTo() async throws {
    try await PublisherVerification.verify(elements: 5, options: .init(surplus: .isDropped)) { count in
      let subject = PassthroughSubject<Int, Never>()
      return PublisherUnderTest(subject.map { $0 * 2 }) {
        for number in 0..<count { subject.send(number) }
        subject.send(completion: .finished)
      } send: {
        subject.send(count)
      }
    }
  }

  @Test func aPublisherThatFails() async throws {
    try await PublisherVerification.verify(elements: 5) { count in
      (0..<count).publisher.setFailureType(to: URLError.self).retry(1)
    } failing: {
      PublisherUnderTest(Fail<Int, URLError>(error: URLError(.badURL)).retry(1))
    }
  }

  @Test func rulesThatDoNotApply() async throws {
    let options = PublisherVerification.Options(maximum: 1)
      .exempting(.completionNeedsNoDemand, because: "it always has a value")
    let report = try await PublisherVerification.verify(options: options) { _ in
      (1...3).publisher.reduce(0, +)
    }
    print(report)
    #expect(report.description.contains("PV108_completionNeedsNoDemand: it always has a value"))
  }

  /// As in a package that has the publisher above.
  private struct Countdown: Publisher {
    typealias Output = Int
    typealias Failure = Never
    let start: Int

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      stride(from: start, to: 0, by: -1).publisher.receive(subscriber: subscriber)
    }
  }

  @Test func countdownKeepsTheRules() async {
    await #expect(processExitsWith: .success) {
      try await PublisherVerification.verify(elements: 5) { count in
        Countdown(start: count)
      }
    }
  }

  @Test func theCrashOfAChildIsReported() async {
    await withKnownIssue {
      await #expect(processExitsWith: .success) {
        try await PublisherVerification.verify(elements: 5) { count in
          precondition(count == 0, "a publisher that does not survive")
          return Countdown(start: count)
        }
      }
    }
  }

  @Test func anOperator() async throws {
    try await PublisherVerification.verify(elements: 5) { count in
      (0..<count).publisher.map { $0 * 2 }
    }
  }

  @Test func aSubject() async throws {
    try await PublisherVerification.verify(elements: 5, options: .init(surplus: .isDropped)) { count in
      let subject = PassthroughSubject<Int, Never>()
      return PublisherUnderTest(subject) {
        for number in 0..<count { subject.send(number) }
        subject.send(completion: .finished)
      }
    }
  }

  @Test func aSubjectThatIsFed() async throws {
    let options = PublisherVerification.Options(surplus: .isDropped, rules: [.valuesNeverExceedDemand])
    try await PublisherVerification.verify(elements: 5, options: options) { _ in
      let subject = PassthroughSubject<Int, Never>()
      let driven = PublisherUnderTest(subject) {
        for number in 0..<5 { subject.send(number) }
        subject.send(completion: .finished)
      }
      return driven
    }
  }

  @Test func aSubjectThatIsSentTo() async throws {
    let options = PublisherVerification.Options(surplus: .isDropped, rules: [.sendDuringASignalWaits])
    let report = try await PublisherVerification.verify(elements: 5, options: options) { _ in
      let subject = PassthroughSubject<Int, Never>()
      let sent = PublisherUnderTest(subject) {
        for number in 0..<5 { subject.send(number) }
        subject.send(completion: .finished)
      } send: {
        subject.send(5)
      }
      return sent
    }
    guard case .kept = report[.sendDuringASignalWaits] else {
      Issue.record("\(report)")
      return
    }
  }

  @Test(arguments: [
    "InterflowTesting.docc/VerifyingPublishers.md", "Verification/PublisherVerification.swift",
    "Verification/PublisherUnderTest.swift",
  ])
  func theExamplesAreTested(in file: String) throws {
    let tests = lines(of: try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8))
    let examples = lines(of: try text(file)).components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "\n```").first }
    #expect(!examples.isEmpty)
    for example in examples { #expect(tests.contains(example), "no test has this example:\n\(example)") }
  }

  /// The lines of a text without their indentation, and without what makes them a comment.
  private func lines(of text: String) -> String {
    text.split(separator: "\n").map { line in
      let line = line.trimmingCharacters(in: .whitespaces)
      return line.hasPrefix("///") ? line.dropFirst(3).trimmingCharacters(in: .whitespaces) : line
    }.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  @Test func thePageListsEveryRule() throws {
    let lines = try text("InterflowTesting.docc/VerifyingPublishers.md").split(separator: "\n")
      .filter { $0.hasPrefix("| `PV") }.map(String.init)
    #expect(
      lines
        == Rule.allCases.map { "| `\($0.rawValue)` | \($0.kind.rawValue) | \($0.reference) | \($0.summary) |" })
  }

  private func text(_ path: String) throws -> String {
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: package.appendingPathComponent("Sources/InterflowTesting/\(path)"), encoding: .utf8)
  }
}
