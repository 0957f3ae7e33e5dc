import Combine
import Interflow

/// A publisher that has other processes work on the values of another, and delivers the results.
///
/// Made by `distribute(over:maxJobs:inOrder:)` and `distributeResults(over:maxJobs:inOrder:)`.
public struct NATSDistributePublisher<Upstream: Publisher, JobOutput: Sendable, Output: Sendable>: Publisher
where Upstream.Output: Sendable {
  /// Upstream's failure, a ``NATSError``, or a ``NATSJobFailure``.
  public typealias Failure = any Error

  /// The publisher that this publisher receives values from.
  public let upstream: Upstream

  let work: NATSWork<Upstream.Output, JobOutput>
  let maxJobs: Int
  let inOrder: Bool
  let transform: @Sendable (Result<JobOutput, NATSJobFailure>) throws -> Output

  init(
    _ upstream: Upstream, _ work: NATSWork<Upstream.Output, JobOutput>, _ maxJobs: Int, _ inOrder: Bool,
    _ transform: @escaping @Sendable (Result<JobOutput, NATSJobFailure>) throws -> Output
  ) {
    precondition(maxJobs > 0, "at least one job must be allowed, but maxJobs was \(maxJobs)")
    self.upstream = upstream
    self.work = work
    self.maxJobs = maxJobs
    self.inOrder = inOrder
    self.transform = transform
  }

  /// Attaches a subscriber, whose jobs are a run of their own.
  public func receive<Downstream: Subscriber>(
    subscriber: Downstream
  ) where Downstream.Input == Output, Downstream.Failure == any Error {
    let run = DistributedRun(work)
    let perform: @Sendable (Upstream.Output) async throws -> Output = { [transform] input in
      try transform(try await run.result(of: input))
    }
    let tasks =
      inOrder
      ? upstream.concurrentMap(maxTasks: maxJobs, perform) : upstream.task(maxPublishers: .max(maxJobs), perform)
    tasks
      .handleEvents(receiveCompletion: { _ in run.end() }, receiveCancel: { run.end() })
      .receive(subscriber: subscriber)
  }
}

extension NATSDistributePublisher: Sendable where Upstream: Sendable {}

extension Publisher where Output: Sendable {
  /// Has workers in other processes work on each value, and delivers the results.
  ///
  /// ```swift
  /// let cancellable = names.publisher
  ///   .distribute(over: work, maxJobs: 16)
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// ```
  ///
  /// This is `task(maxPublishers:buffering:priority:_:)`, or `concurrentMap(maxTasks:buffering:priority:_:)`, with the
  /// closure in other processes: those that call ``NATSWork/work(concurrency:prefetch:_:)``. Each result is delivered once, though
  /// a job whose worker did not answer in time may have been done twice. Interruptions of the connection are no failure:
  /// jobs and results are stored meanwhile, results for as long as ``NATSWorkSettings/resultAge`` says. A value is sent as
  /// a job again where the servers hold neither its job nor its result any more, as may be after the leader of a cluster's
  /// streams was killed; its ``NATSWorkSettings/maxDeliveries`` are counted from one then. Jobs that wait are looked up every
  /// five seconds, in each shard a hundred at most, or eight megabytes of them. So one that the servers have lost is sent
  /// again after some fifteen seconds, and later where it had waited for long or where many wait.
  ///
  /// - Demand: Work begins with the subscriber's first request. `maxJobs` values are requested from upstream, and one
  ///   more with each result delivered. A result that has not been delivered counts as a job.
  /// - Errors: The first job that fails, by its ``NATSJobFailure``, fails the publisher; ``NATSWorkSettings/maxDeliveries``
  ///   says how often it is tried before. A ``NATSError`` comes where the connection is closed, a job cannot be stored or
  ///   a result cannot be decoded, and with ``NATSError/Kind/notFound`` where the connection was interrupted for longer
  ///   than ``NATSWorkSettings/resultAge``. With upstream's failure or a job's, all other jobs are cancelled; with
  ///   `inOrder`, after the results of the values before it.
  /// - Cancellation: Jobs that have been stored and not answered are removed, and results that come later are not
  ///   stored for longer than ``NATSWorkSettings/resultAge``. A closure that runs in another process is not cancelled.
  ///   The same happens at the completion.
  /// - Thread: Results are delivered on the threads that tasks share.
  /// - Parameters:
  ///   - work: The work, of which the workers use one of the same name.
  ///   - maxJobs: How many jobs are with the workers, or wait for them, at a time. Fewer than one is a programming error
  ///     and traps.
  ///   - inOrder: Whether results are delivered in the order of the values; otherwise, as they come.
  public func distribute<Value: Sendable>(
    over work: NATSWork<Output, Value>, maxJobs: Int = 64, inOrder: Bool = false
  ) -> NATSDistributePublisher<Self, Value, Value> {
    NATSDistributePublisher(self, work, maxJobs, inOrder) { try $0.get() }
  }

  /// Has workers in other processes work on each value, and delivers the results, and the failures of jobs as values.
  ///
  /// Everything is as with ``Combine/Publisher/distribute(over:maxJobs:inOrder:)``, but a job that fails is a value: the
  /// other jobs go on.
  ///
  /// - Parameters:
  ///   - work: The work, of which the workers use one of the same name.
  ///   - maxJobs: How many jobs are with the workers, or wait for them, at a time. Fewer than one is a programming error
  ///     and traps.
  ///   - inOrder: Whether results are delivered in the order of the values; otherwise, as they come.
  public func distributeResults<Value: Sendable>(
    over work: NATSWork<Output, Value>, maxJobs: Int = 64, inOrder: Bool = false
  ) -> NATSDistributePublisher<Self, Value, Result<Value, NATSJobFailure>> {
    NATSDistributePublisher(self, work, maxJobs, inOrder) { $0 }
  }
}
