import Dispatch
import InterflowTestSupport
import Testing

/// An executor that counts the jobs that are enqueued on it.
final class CountingExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "counting executor")
  private let enqueued = Shared(0)

  var jobs: Int { enqueued.value }

  func enqueue(_ job: consuming ExecutorJob) {
    enqueued.update { $0 += 1 }
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// A consumer's isolation that counts how often a task comes back to it.
actor CountingActor {
  private nonisolated let executor = CountingExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Expects that a number of elements is delivered without leaving this actor.
  ///
  /// - Parameter prepare: Runs after the iterator's first element, which may come from elsewhere.
  func expectNoHops<S: AsyncSequence>(
    for elements: Int, of make: @Sendable () -> S, after prepare: @Sendable () async -> Void = {},
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    var iterator = make().makeAsyncIterator()
    _ = try await iterator.next(isolation: self)
    await prepare()
    let jobs = executor.jobs
    for _ in 0..<elements {
      let element = try await iterator.next(isolation: self)
      #expect(element != nil, sourceLocation: sourceLocation)
    }
    #expect(executor.jobs == jobs, sourceLocation: sourceLocation)
  }
}
