import Interflow
import Testing

/// What the overloads of `task` infer; that this compiles is most of the test.
@Suite struct TaskOverloadTests {
  private func plain(_ value: Int) async -> String { "\(value)" }
  private func throwing(_ value: Int) async throws -> String { "\(value)" }
  private func typed(_ value: Int) async throws(TestError) -> String { "\(value)" }

  @Test func closureThatCannotFailKeepsTheFailure() {
    let never: TaskPublisher<_, String, Never> = [1].publisher.task { await plain($0) }
    let failing: TaskPublisher<_, String, TestError> =
      [1].publisher.setFailureType(to: TestError.self).task { await plain($0) }
    _ = (never, failing)
  }

  @Test func closureThatThrowsAnythingGivesAnyError() {
    let inferred = [1].publisher.task { try await throwing($0) }
    let fromNever: TaskPublisher<_, String, any Error> = inferred
    let fromTyped: TaskPublisher<_, String, any Error> =
      [1].publisher.setFailureType(to: TestError.self).task { try await throwing($0) }
    let fromAny: TaskPublisher<_, String, any Error> =
      [1].publisher.setFailureType(to: (any Error).self).task { try await throwing($0) }
    _ = (fromNever, fromTyped, fromAny)
  }

  @Test func closureThatSaysItsErrorKeepsIt() {
    let fromNever = [1].publisher.task { (value) throws(TestError) in try await typed(value) }
    let setByClosure: TaskPublisher<_, String, TestError> = fromNever
    let fromTyped = [1].publisher.setFailureType(to: TestError.self)
      .task { (value) throws(TestError) in try await typed(value) }
    let kept: TaskPublisher<_, String, TestError> = fromTyped
    let byReference = [1].publisher.task(typed)
    let kept2: TaskPublisher<_, String, TestError> = byReference
    _ = (setByClosure, kept, kept2)
  }
}
