import CNATS
import Combine
import Foundation
import Interflow
import InterflowPrimitives

/// The jobs of one subscription: sends them, and matches the results.
///
/// `@unchecked Sendable`: `lock` guards `table` and `results`.
final class DistributedRun<Input: Sendable, Output: Sendable>: @unchecked Sendable {
  private let work: NATSWork<Input, Output>
  private let name = UUID().uuidString
  private let lock = Lock()
  private var table = JobTable<CancellableWait<JobReply>>()
  private var results: AnyCancellable?

  init(_ work: NATSWork<Input, Output>) {
    self.work = work
  }

  deinit {
    end()
  }

  // MARK: Jobs

  /// Sends a value as a job, and waits for its result.
  func result(of input: Input) async throws -> Result<Output, NATSJobFailure> {
    let bytes = try work.input.bytes(of: input, while: "distributing work to “\(work.name)”")
    let wait = CancellableWait<JobReply>()
    let id = JobID(run: name, number: try admit(wait))
    defer { forget(id.number) }
    return try await withTaskCancellationHandler {
      // In a task that is not cancelled: who cancels has to know what to remove. The result may come before a server has
      // said that it has stored the job, or without, where that is lost.
      let sequence = try await Task { [work, name] in
        try await work.store(bytes, in: work.jobs, id: id.text, subject: work.subject(ofJobsOf: name)) { wait.isOver }
      }.value
      let reply: JobReply
      do {
        reply = try await wait.value()
      } catch {
        if let sequence { work.removeJob(sequence) }
        throw error
      }
      switch reply {
      case .result(let bytes):
        return .success(try work.output.value(of: bytes, while: "receiving a result of “\(work.name)”"))
      case .failure(let failure):
        return .failure(failure)
      }
    } onCancel: {
      wait.end(.failure(CancellationError()))
    }
  }

  private func admit(_ wait: CancellableWait<JobReply>) throws -> Int {
    lock.lock()
    let admission = table.admit(wait)
    lock.unlock()
    switch admission {
    case .admitted(let number, let first):
      if first { receiveResults() }
      return number
    case .refused(let error):
      throw error
    }
  }

  private func forget(_ number: Int) {
    lock.lock()
    let wait = table.forget(number)
    lock.unlock()
    releaseOutsideLock(wait)
  }

  // MARK: Results

  private func receiveResults() {
    var settings = NATSConsumerSettings()
    settings.filter = work.subject(ofResultsOf: name)
    // A process that is killed leaves it behind. After that time, there are no results left to fetch either.
    settings.inactiveThreshold = work.settings.resultAge
    let cancellable = work.results.messages(durable: name, settings: settings)
      .sink { [weak self] in
        if case .failure(let error) = $0 { self?.failed(error) }
      } receiveValue: { [weak self] message in
        self?.received(message)
      }
    lock.lock()
    let isWanted = table.prepared()
    if isWanted { results = cancellable }
    lock.unlock()
    if isWanted { return }
    cancellable.cancel()
    work.cleanUp(after: name)
  }

  private func received(_ message: NATSMessage<Data>) {
    message.ack()
    guard let id = message.id.flatMap({ JobID($0) }), id.run == name, let reply = JobReply(message) else { return }
    lock.lock()
    let wait = table.received(id.number)
    lock.unlock()
    wait?.end(.success(reply))
  }

  private func failed(_ error: NATSError) {
    lock.lock()
    let waits = table.failed(error)
    lock.unlock()
    for wait in waits { wait.end(.failure(error)) }
  }

  // MARK: End

  /// Nobody wants results any more: removes what the servers have of the run.
  func end() {
    lock.lock()
    let (waits, cleansUp) = table.end()
    let results = results
    self.results = nil
    lock.unlock()
    results?.cancel()
    for wait in waits { wait.end(.failure(CancellationError())) }
    if cleansUp { work.cleanUp(after: name) }
  }
}

extension NATSWork {
  /// Removes the durable that fetched the results of a run.
  ///
  /// Purging by subject, which would remove the run's jobs and results too, lets servers of version 2.9 forget what
  /// consumers have not fetched of other subjects.
  func cleanUp(after run: String) {
    connection.queue.start { [connection, results] in
      guard let context = try? connection.jetStream() else { return }
      js_DeleteConsumer(context.pointer, results.name, run, nil, nil)
    }
  }

  /// Removes a job that nobody waits for.
  func removeJob(_ sequence: UInt64) {
    connection.queue.start { [connection, jobs] in
      guard let context = try? connection.jetStream() else { return }
      js_DeleteMsg(context.pointer, jobs.name, sequence, nil, nil)
    }
  }
}
