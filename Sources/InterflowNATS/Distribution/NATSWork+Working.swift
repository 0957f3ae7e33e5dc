import Combine
import Foundation
import Interflow

extension NATSWork {
  /// Does jobs, several at a time, until the task is cancelled.
  ///
  /// ```swift
  /// let worker = Task {
  ///   try await work.work(concurrency: 4) { name in try await size(of: name) }
  /// }
  /// ```
  ///
  /// The closure runs in a task, outside any actor. It may take as long as it needs: while it runs, the server does not
  /// deliver the job again. When it has returned, its result is stored for the job's publisher, and then the job is
  /// removed. A job may be delivered again after that has failed, or to another worker when this one does not answer.
  ///
  /// - Demand: No more than `concurrency` jobs are fetched that have not been answered, and `prefetch` more. Where there are
  ///   ``NATSWorkSettings/shards``, those come in addition that a server sends late, after it had not answered for seconds:
  ///   they wait here, and no others are fetched until there are places again.
  /// - Errors: A job whose closure throws is delivered again after ``NATSWorkSettings/retryPause``, to any worker, and in
  ///   its last delivery the error's description is its ``NATSJobFailure``. The function itself throws where the
  ///   connection is closed, the streams are deleted, or results are refused for a minute.
  /// - Cancellation: Cancels the closures that run, waits until they have returned, and returns. Their jobs go back,
  ///   whatever they return, and reach other workers at once.
  /// - Parameters:
  ///   - concurrency: How many closures run at a time. Fewer than one is a programming error and traps.
  ///   - prefetch: How many jobs are here that wait for a closure to return. With none, a worker waits for the servers after
  ///     each job, and no job waits here while another worker is idle. So it is for jobs that take less time than a message
  ///     to the servers and back. A worker that ends gives them back, which counts as one of
  ///     ``NATSWorkSettings/maxDeliveries``. Fewer than zero is a programming error and traps.
  ///   - body: The closure.
  /// - Throws: A ``NATSError``.
  public func work(
    concurrency: Int = 1, prefetch: Int = 0, _ body: @escaping @Sendable (Input) async throws -> Output
  ) async throws(NATSError) {
    try await work(
      concurrency: concurrency, prefetch: prefetch, until: Empty<Void, Never>(completeImmediately: false), body)
  }

  /// Does jobs, several at a time, until a publisher says so: no more jobs are taken then, those that run are finished, their
  /// results are stored, and the function returns; where a result is not stored, it throws. Otherwise it is like ``work(concurrency:prefetch:_:)``.
  ///
  /// ```swift
  /// let stop = CurrentValueSubject<Bool, Never>(false)
  /// let worker = Task {
  ///   try await work.work(concurrency: 4, until: stop.filter { $0 }.map { _ in }) { name in try await size(of: name) }
  /// }
  /// ```
  ///
  /// Cancelling the task, in contrast, cancels the closures, and their jobs go back.
  ///
  /// - Parameters:
  ///   - concurrency: How many closures run at a time. Fewer than one is a programming error and traps.
  ///   - prefetch: How many jobs are here that wait for a closure to return. They go back when the work is to stop.
  ///   - stop: Ends the work with its first value. Its completion does not. A subject that keeps its value, as in the
  ///     example, also ends work that has not begun yet.
  ///   - body: The closure.
  /// - Throws: A ``NATSError``.
  public func work(
    concurrency: Int = 1, prefetch: Int = 0, until stop: some Publisher<Void, Never>,
    _ body: @escaping @Sendable (Input) async throws -> Output
  ) async throws(NATSError) {
    precondition(concurrency > 0, "at least one job must be allowed to run, but concurrency was \(concurrency)")
    precondition(prefetch >= 0, "no number of jobs to wait here is less than zero, but prefetch was \(prefetch)")
    // It may send its value while the work begins again.
    let isStopped = CurrentValueSubject<Bool, Never>(false)
    let stopping = stop.prefix(1).sink { isStopped.send(true) }
    defer { stopping.cancel() }
    while true {
      do {
        return try await workUntilRefused(concurrency, prefetch, until: isStopped.filter { $0 }, body)
      } catch {
        // The durable is deleted where a server has forgotten the numbers of jobs, to be made again.
        guard error.kind == .notFound, !Task.isCancelled else { throw error }
        do throws(NATSError) {
          for shard in shards { _ = try await shard.jobs.state() }
        } catch {
          if error.kind == .notFound { throw error }
        }
      }
    }
  }

  /// The durable that all workers share, of each shard.
  static var workers: String { "workers" }

  private func workUntilRefused(
    _ concurrency: Int, _ prefetch: Int, until stop: some Publisher<Bool, Never>,
    _ body: @escaping @Sendable (Input) async throws -> Output
  ) async throws(NATSError) {
    let feed = JobFeed(
      connection, shards: shards.count, concurrency: concurrency, prefetch: prefetch,
      acknowledgementWait: settings.acknowledgementWait)
    let stopping = stop.sink { _ in feed.stop() }
    defer { stopping.cancel() }
    try feed.start(shards, durable: Self.workers, settings: settings.worker)
    await withTaskCancellationHandler {
      await withDiscardingTaskGroup { group in
        while let job = await feed.next() {
          group.addTask { feed.finished(job, await self.answer(job, body)) }
        }
        if feed.failure != nil { group.cancelAll() }
      }
    } onCancel: {
      feed.stop()
    }
    // Jobs of a task that is cancelled go back, also those whose results were being stored.
    if let failure = feed.failure, !Task.isCancelled { throw failure }
  }

  /// How many characters a failure's message may have.
  private static var maxMessageLength: Int { 1_000 }

  /// Does a job, stores what has become of it, and removes the job.
  ///
  /// - Returns: Why a worker cannot go on.
  private func answer(
    _ job: JobFeed.Job, _ body: @escaping @Sendable (Input) async throws -> Output
  ) async -> NATSError? {
    guard let id = job.message.id.flatMap({ JobID($0) }) else {
      job.message.term()
      return nil
    }
    guard let reply = await reply(to: job.message, body) else { return nil }
    return await store(reply, for: id, job)
  }

  /// - Returns: What to store; `nil` if the job has gone back.
  private func reply(
    to message: NATSMessage<Data>, _ body: @Sendable (Input) async throws -> Output
  ) async -> JobReply? {
    let deliveries = message.deliveryCount
    func failure(_ reason: NATSJobFailure.Reason, _ message: String) -> JobReply {
      // An error may describe more than a server takes.
      let message = String(message.unicodeScalars.prefix(Self.maxMessageLength))
      return .failure(NATSJobFailure(reason: reason, message: message, deliveryCount: deliveries))
    }
    if deliveries > settings.maxDeliveries {
      return failure(.unanswered, "it was delivered \(deliveries - 1) times, and no worker has answered")
    }
    let value: Input
    do throws(NATSError) {
      value = try input.value(of: message.value, while: "doing a job of “\(name)”")
    } catch {
      return failure(.undecodable, error.message)
    }
    let result: Result<Output, any Error>
    do { result = .success(try await body(value)) } catch { result = .failure(error) }
    if Task.isCancelled {
      message.nak()
      return nil
    }
    switch result {
    case .success(let value):
      do throws(NATSError) {
        return .result(try output.bytes(of: value, while: "doing a job of “\(name)”"))
      } catch {
        return failure(.notStorable, error.message)
      }
    case .failure(let error):
      if deliveries >= settings.maxDeliveries { return failure(.threw, "\(error)") }
      message.nak(after: settings.retryPause)
      return nil
    }
  }

  /// - Returns: Why a worker cannot go on.
  private func store(_ reply: JobReply, for id: JobID, _ job: JobFeed.Job) async -> NATSError? {
    let message = job.message
    do {
      let shard = shards[job.shard]
      let subject = shard.subject(ofResultsOf: id.run, kind: reply.kind)
      try await shard.results.send(try reply.bytes(), id: id.text, retrying: .untilStored, to: subject)
      message.ack()
      return nil
    } catch let error as NATSError {
      if error.kind == .tooLarge, let smaller = reply.smaller(error, deliveryCount: message.deliveryCount) {
        return await store(smaller, for: id, job)
      }
      message.nak()
      return error
    } catch {
      message.nak()
      return nil
    }
  }
}
