import Combine
import InterflowTestSupport
import Synchronization
import Testing

@Suite struct FutureValueTests {
  /// A future whose promise the test keeps.
  private func pending<Output: Sendable, Failure: Error>(
    _: Failure.Type, _: Output.Type = Output.self
  ) -> (Future<Output, Failure>, @Sendable (Result<Output, Failure>) -> Void) {
    var promise: (@Sendable (Result<Output, Failure>) -> Void)?
    let future = Future<Output, Failure> { promise = $0 }
    return (future, promise!)
  }

  @Test func keptPromiseGivesItsValueAtOnce() async throws {
    #expect(await Future<Int, Never> { $0(.success(7)) }.value == 7)
    #expect(try await Future<Int, TestError> { $0(.success(7)) }.value == 7)
    await #expect(throws: TestError("no")) { try await Future<Int, TestError> { $0(.failure(TestError("no"))) }.value }
  }

  @Test func promiseKeptLaterWakesEveryoneWhoWaits() async throws {
    for _ in 0..<500 {
      let (future, promise) = pending(TestError.self, Int.self)
      let first = Task { try await future.value }
      let second = Task { try await future.value }
      promise(.success(3))
      #expect(try await first.value == 3)
      #expect(try await second.value == 3)
    }
  }

  @Test func futureThatCannotFailWaitsForItsValueEvenWhenCancelled() async {
    for _ in 0..<500 {
      let (future, promise) = pending(Never.self, Int.self)
      let task = Task { await future.value }
      task.cancel()
      promise(.success(3))
      #expect(await task.value == 3)
    }
  }

  @Test func failureIsThrown() async {
    let (future, promise) = pending(TestError.self, Int.self)
    let task = Task { try await future.value }
    promise(.failure(TestError("late")))
    await #expect(throws: TestError("late")) { try await task.value }
  }

  @Test func cancelledTaskThrowsAtOnce() async {
    let (future, promise) = pending(TestError.self, Int.self)
    let task = Task { try await future.value }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    promise(.success(1))
  }

  @Test func valueFailureAndCancellationRaceToOneOutcome() async {
    for _ in 0..<1_000 {
      let (future, promise) = pending(TestError.self, Int.self)
      let task = Task { try await future.value }
      async let keeping: Void = { promise(.success(1)) }()
      task.cancel()
      await keeping
      switch await task.result {
      case .success(let value): #expect(value == 1)
      case .failure(let error): #expect(error is CancellationError)
      }
    }
  }
}
