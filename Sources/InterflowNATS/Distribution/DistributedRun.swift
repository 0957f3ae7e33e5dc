import CNATS
import Combine
import Foundation
import Interflow
import InterflowPrimitives

/// The jobs of one subscription: sends them, and matches the results.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class DistributedRun<Input: Sendable, Output: Sendable>: @unchecked Sendable {
  private let work: NATSWork<Input, Output>
  private let name = UUID().uuidString
  private let lock = Lock()
  private var table = JobTable<CancellableWait<JobReply>>()
  private var results: AnyCancellable?
  private var status: AnyCancellable?
  /// Since when the connection is interrupted.
  private var interruption: ContinuousClock.Instant?
  /// How often a new durable has become necessary, until there is one.
  private var renewals = 0

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
    let cancellable = fetchResults()
    lock.lock()
    let isWanted = table.prepared()
    if isWanted { results = cancellable }
    lock.unlock()
    guard isWanted else {
      cancellable.cancel()
      return work.cleanUp(after: name)
    }
    // A server may have been killed before this process began.
    work.connection.background.start { [work] in work.checkNumbersOfJobs() }
    let status = work.connection.events.status.sink { [weak self] in self?.changed(to: $0) }
    lock.lock()
    let isStillWanted = table.prepared()
    if isStillWanted { self.status = status }
    lock.unlock()
    if !isStillWanted { status.cancel() }
  }

  private func fetchResults() -> AnyCancellable {
    var settings = NATSConsumerSettings()
    settings.filter = work.subject(ofResultsOf: name)
    // A process that is killed leaves it behind. After that time, there are no results left to fetch either.
    settings.inactiveThreshold = work.settings.resultAge
    return work.results.messages(durable: name, settings: settings)
      .sink { [weak self] in
        if case .failure(let error) = $0 { self?.failed(error) }
      } receiveValue: { [weak self] message in
        self?.received(message)
      }
  }

  private func changed(to status: NATSConnection.Status) {
    lock.lock()
    var duration: Duration?
    switch status {
    case .reconnecting: interruption = interruption ?? .now
    case .connected: duration = interruption.take()?.duration(to: .now)
    case .closed: break
    }
    guard let duration else { return lock.unlock() }
    let isTooLong = duration >= work.settings.resultAge
    let old = results.take()
    if !isTooLong { renewals += 1 }
    let begins = !isTooLong && renewals == 1
    lock.unlock()
    old?.cancel()
    if isTooLong {
      failed(
        NATSError(
          kind: .notFound, operation: "receiving results of “\(work.name)”",
          message: "the connection was interrupted for longer than results are held: \(work.settings.resultAge)"))
    }
    if begins { work.connection.background.start { [weak self] in self?.renew() } }
  }

  /// Fetches results with a new durable after an interruption. Blocks.
  ///
  /// A server that was killed may have forgotten the numbers of a stream that was empty, as version 2.9 does, and give
  /// them to new results. The old durable takes those for delivered. What the new one delivers again is not counted.
  private func renew() {
    while true {
      lock.lock()
      let number = renewals
      lock.unlock()
      work.checkNumbersOfJobs()
      work.deleteDurable(of: name)
      let cancellable = fetchResults()
      lock.lock()
      let isWanted = table.prepared()
      let isLast = !isWanted || renewals == number
      if isLast { renewals = 0 }
      if isLast, isWanted { results = cancellable }
      lock.unlock()
      if isLast, isWanted { return }
      cancellable.cancel()
      if isLast { return work.cleanUp(after: name) }
    }
  }

  private func received(_ message: NATSMessage<Data>) {
    message.ack()
    guard let id = message.id.flatMap({ JobID($0) }), id.run == name, let reply = JobReply(message) else { return }
    lock.lock()
    let wait = table.received(id.number)
    lock.unlock()
    wait?.end(.success(reply))
  }

  private func failed(_ received: NATSError) {
    let error = explained(received)
    lock.lock()
    let waits = table.failed(error)
    lock.unlock()
    for wait in waits { wait.end(.failure(error)) }
  }

  /// Says what has gone, as the name of the durable says nothing to who distributes.
  private func explained(_ error: NATSError) -> NATSError {
    guard error.kind == .notFound, error.jetStreamCode != JSStreamNotFoundErr.rawValue else { return error }
    return NATSError(
      kind: .notFound, operation: "receiving results of “\(work.name)”",
      message: """
        the servers no longer keep results for this publisher, as after an interruption of more than \
        \(work.settings.resultAge): \(error.message)
        """, status: error.status, jetStreamCode: error.jetStreamCode)
  }

  // MARK: End

  /// Nobody wants results any more: removes what the servers have of the run.
  func end() {
    lock.lock()
    let (waits, cleansUp) = table.end()
    let (results, status) = (results.take(), status.take())
    lock.unlock()
    status?.cancel()
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
    connection.background.start { deleteDurable(of: run) }
  }

  /// Blocks.
  func deleteDurable(of run: String) {
    guard let context = try? connection.jetStream() else { return }
    js_DeleteConsumer(context.pointer, results.name, run, nil, nil)
  }

  /// Has workers begin again where a server has forgotten the numbers of the jobs, as with the numbers of results: their
  /// durable would take new jobs for delivered. Jobs that they have are delivered again. Blocks.
  func checkNumbersOfJobs() {
    guard let context = try? connection.jetStream() else { return }
    var (consumer, stream): (UnsafeMutablePointer<jsConsumerInfo>?, UnsafeMutablePointer<jsStreamInfo>?) = (nil, nil)
    // In this order, jobs that are stored and delivered meanwhile make no difference.
    guard js_GetConsumerInfo(&consumer, context.pointer, jobs.name, Self.workers, nil, nil) == NATS_OK else { return }
    defer { jsConsumerInfo_Destroy(consumer) }
    guard js_GetStreamInfo(&stream, context.pointer, jobs.name, nil, nil) == NATS_OK else { return }
    defer { jsStreamInfo_Destroy(stream) }
    guard let delivered = consumer?.pointee.Delivered.Stream, let last = stream?.pointee.State.LastSeq else { return }
    if delivered > last { js_DeleteConsumer(context.pointer, jobs.name, Self.workers, nil, nil) }
  }

  /// Removes a job that nobody waits for.
  func removeJob(_ sequence: UInt64) {
    connection.background.start { [connection, jobs] in
      guard let context = try? connection.jetStream() else { return }
      js_DeleteMsg(context.pointer, jobs.name, sequence, nil, nil)
    }
  }
}
