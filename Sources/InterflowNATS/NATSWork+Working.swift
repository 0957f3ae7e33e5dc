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
  /// - Demand: No more than `concurrency` jobs are fetched that have not been answered.
  /// - Errors: A job whose closure throws is delivered again after ``NATSWorkSettings/retryPause``, to any worker, and in
  ///   its last delivery the error's description is its ``NATSJobFailure``. The function itself throws where the
  ///   connection is closed, the streams are deleted, or results are refused for a minute.
  /// - Cancellation: Cancels the closures that run, waits until they have returned, and returns. Their jobs go back,
  ///   whatever they return, and reach other workers at once.
  /// - Parameters:
  ///   - concurrency: How many closures run at a time. Fewer than one is a programming error and traps.
  ///   - body: The closure.
  /// - Throws: A ``NATSError``.
  public func work(
    concurrency: Int = 1, _ body: @escaping @Sendable (Input) async throws -> Output
  ) async throws(NATSError) {
    precondition(concurrency > 0, "at least one job must be allowed to run, but concurrency was \(concurrency)")
    while true {
      do {
        return try await workUntilRefused(concurrency, body)
      } catch {
        // The durable is deleted where a server has forgotten the numbers of jobs, to be made again.
        guard error.kind == .notFound, !Task.isCancelled else { throw error }
        do throws(NATSError) {
          _ = try await jobs.state()
        } catch {
          if error.kind == .notFound { throw error }
        }
      }
    }
  }

  /// The durable that all workers share.
  static var workers: String { "workers" }

  private func workUntilRefused(
    _ concurrency: Int, _ body: @escaping @Sendable (Input) async throws -> Output
  ) async throws(NATSError) {
    let running = RunningJobs()
    let messages = NATSMessagePublisher(
      stream: jobs, durable: Self.workers, settings: settings.worker, returnsWhenReleased: true)
    let work = messages.task(maxPublishers: .max(concurrency)) { message throws(NATSError) in
      // A message that is released goes back.
      guard running.enter() else { return }
      defer { running.leave() }
      try await self.answer(message, body)
    }
    var failure: NATSError?
    do throws(NATSError) {
      for try await _ in work.ignoreOutput().asyncValues {}
    } catch {
      failure = error
    }
    await running.close()
    if let failure { throw failure }
  }

  /// Does a job, stores what has become of it, and removes the job.
  private func answer(
    _ message: NATSMessage<Data>, _ body: @escaping @Sendable (Input) async throws -> Output
  ) async throws(NATSError) {
    guard let id = message.id.flatMap({ JobID($0) }) else { return message.term() }
    let failure = await whileInProgress(message) { () async -> NATSError? in
      guard let reply = await self.reply(to: message, body) else { return nil }
      return await self.store(reply, for: id, message)
    }
    if let failure { throw failure }
  }

  /// - Returns: What to store; `nil` if the job has gone back.
  private func reply(
    to message: NATSMessage<Data>, _ body: @Sendable (Input) async throws -> Output
  ) async -> JobReply? {
    let deliveries = message.deliveryCount
    func failure(_ reason: NATSJobFailure.Reason, _ message: String) -> JobReply {
      .failure(NATSJobFailure(reason: reason, message: message, deliveryCount: deliveries))
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
  private func store(_ reply: JobReply, for id: JobID, _ message: NATSMessage<Data>) async -> NATSError? {
    do {
      let subject = subject(ofResultsOf: id.run, kind: reply.kind)
      try await results.send(try reply.bytes(), id: id.text, retrying: .untilStored, to: subject)
      message.ack()
      return nil
    } catch let error as NATSError {
      if case .result = reply, error.kind == .tooLarge {
        let failure = NATSJobFailure(
          reason: .notStorable, message: error.message, deliveryCount: message.deliveryCount)
        return await store(.failure(failure), for: id, message)
      }
      message.nak()
      return error
    } catch {
      message.nak()
      return nil
    }
  }

  /// Tells the server that the work goes on, for as long as it does.
  private func whileInProgress(
    _ message: NATSMessage<Data>, _ body: @Sendable () async -> NATSError?
  ) async -> NATSError? {
    let interval = settings.acknowledgementWait / 3
    return await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while (try? await Task.sleep(for: interval)) != nil { message.inProgress() }
      }
      let failure = await body()
      group.cancelAll()
      return failure
    }
  }
}
