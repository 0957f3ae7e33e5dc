import CNATS
import Combine
import Foundation
import Interflow
import InterflowPrimitives

/// The jobs of one subscription: sends them, and matches the results.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class DistributedRun<Input: Sendable, Output: Sendable>: @unchecked Sendable {
  /// The servers have lost a job, or its result.
  private struct Lost: Error {}

  let work: NATSWork<Input, Output>
  let name = UUID().uuidString
  /// How long a job may take without being looked up.
  private let lookupInterval: Duration
  let lock = Lock()
  var table = JobTable<CancellableWait<JobReply>>()
  /// Of each shard.
  private var numbers: [JobNumbers]
  private var results: [AnyCancellable]?
  private var status: AnyCancellable?
  /// Since when the connection is interrupted.
  private var interruption: ContinuousClock.Instant?
  /// The next time at which results are looked up that have not been delivered.
  private var lookup: Deadlines.Number?
  /// Of each shard.
  var lookups: [ShardLookupState]
  /// Ends when jobs can be sent.
  private var preparation: Task<Void, Never>?

  init(_ work: NATSWork<Input, Output>, lookupInterval: Duration = .seconds(5)) {
    self.work = work
    self.lookupInterval = lookupInterval
    numbers = Array(repeating: JobNumbers(), count: work.shards.count)
    lookups = Array(repeating: ShardLookupState(), count: work.shards.count)
  }

  deinit {
    end()
  }

  // MARK: Jobs

  /// Sends a value as a job, and waits for its result.
  func result(of input: Input) async throws -> Result<Output, NATSJobFailure> {
    let bytes = try work.input.bytes(of: input, while: "distributing work to “\(work.name)”")
    while true {
      // As another job: servers take what has an identifier that they have seen for stored.
      do { return try await result(of: bytes) } catch is Lost {}
    }
  }

  private func result(of bytes: Data) async throws -> Result<Output, NATSJobFailure> {
    let wait = CancellableWait<JobReply>()
    let id = JobID(run: name, number: try admit(wait))
    defer { forget(id.number) }
    return try await withTaskCancellationHandler {
      // In a task that is not cancelled: a job can be removed when its number is known. The result may come before a server
      // has confirmed that it has stored the job, or without, where the confirmation is lost.
      let sequence = try await Task { [self] in
        await prepare()
        return try await store(bytes, id) { wait.isOver }
      }.value
      let reply: JobReply
      do {
        reply = try await wait.value()
      } catch {
        if let sequence { work.removeJob(sequence, id) }
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

  /// Waits until jobs can be sent.
  private func prepare() async {
    lock.lock()
    // A server may have been killed before this process began.
    let task =
      preparation
      ?? Task { [work] in
        for shard in work.shards { await work.checkNumbersOfJobs(in: shard) }
      }
    preparation = task
    lock.unlock()
    await task.value
  }

  /// Sends a job until a server has stored it, or its result is known.
  private func store(_ bytes: Data, _ id: JobID, unless isUnwanted: () -> Bool) async throws -> UInt64? {
    let index = id.shard(of: work.shards.count)
    let shard = work.shards[index]
    lock.lock()
    let mark = numbers[index].mark
    lock.unlock()
    guard
      let sequence = try await shard.jobs.send(
        bytes, id: id.text, retrying: .untilStored, to: shard.subject(ofJobsOf: name), unless: isUnwanted)?.sequence
    else { return nil }
    lock.lock()
    table.stored(id.number, in: index, at: sequence)
    let haveBegunAgain = numbers[index].stored(sequence, since: mark)
    lock.unlock()
    if haveBegunAgain { work.deliverJobsAgain(in: shard) }
    return sequence
  }

  private func forget(_ number: Int) {
    lock.lock()
    let wait = table.forget(number)
    lock.unlock()
    releaseOutsideLock(wait)
  }

  // MARK: Results

  private func receiveResults() {
    let results = work.shards.map { fetchResults($0) }
    let status = work.connection.events.status.sink { [weak self] in self?.changed(to: $0) }
    lock.lock()
    let isWanted = table.prepared()
    if isWanted { (self.results, self.status) = (results, status) }
    lock.unlock()
    guard isWanted else {
      for results in results { results.cancel() }
      return status.cancel()
    }
    scheduleLookup()
  }

  private func fetchResults(_ shard: WorkShard) -> AnyCancellable {
    var settings = NATSConsumerSettings()
    settings.filter = shard.subject(ofResultsOf: name)
    // A process that is killed leaves it behind. After that time, there are no results left to fetch either.
    settings.inactiveThreshold = work.settings.resultAge
    // A server that is killed may forget the numbers of results, too: the durable is made again after an interruption. What
    // is delivered again is not counted.
    return NATSMessagePublisher(stream: shard.results, durable: name, settings: settings, isTemporary: true)
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
    lock.unlock()
    guard let duration, duration >= work.settings.resultAge else { return }
    failed(
      NATSError(
        kind: .notFound, operation: "receiving results of “\(work.name)”",
        message: "the connection was interrupted for longer than results are held: \(work.settings.resultAge)"))
  }

  private func received(_ message: NATSMessage<Data>) {
    received(message.value, id: message.id, subject: message.subject) { message.ack() }
  }

  /// - Parameter remove: Removes the result from its stream. First the job is no longer waited for, since a lookup takes it
  ///   for lost that has no result; then the run may end, and with it the durable that acknowledges.
  func received(_ bytes: Data, id: String?, subject: String, remove: () -> Void = {}) {
    guard let id = id.flatMap({ JobID($0) }), id.run == name else { return remove() }
    lock.lock()
    let wait = table.received(id.number)
    lock.unlock()
    remove()
    wait?.end(Result { try JobReply(bytes, sentTo: subject, of: work.name) })
  }

  // MARK: Results that are not delivered

  /// A durable that comes from one server to another with a failure may take results for delivered that have not been, and
  /// servers have lost jobs and results that they had confirmed.
  private func scheduleLookup() {
    let number = Deadlines.shared.add(after: lookupInterval) { [weak self] in self?.lookUpResults() }
    lock.lock()
    let isOver = results == nil
    if !isOver { lookup = number }
    lock.unlock()
    if isOver { Deadlines.shared.remove(number) }
  }

  /// Each shard by itself: one whose servers do not answer goes on when they do, and keeps no other from it.
  private func lookUpResults() {
    lock.lock()
    let isNeeded = table.beginLookup()
    let jobs = isNeeded ? table.jobsToLookFor(inEachOf: lookups.count, atMost: ShardLookupState.maxJobCount) : []
    let shards = jobs.indices.filter { !lookups[$0].isRunning }
    for index in shards { lookups[index].isRunning = true }
    lock.unlock()
    // Not cancelled with the run: what has been taken is removed from the servers.
    for index in shards {
      Task { [work] in await ShardLookup(work, index, jobs[index]) { [weak self] in self }.lookUp() }
    }
    scheduleLookup()
  }

  /// Jobs are neither in their stream nor have a result.
  func endLost(_ gone: [Int]) {
    lock.lock()
    let waits = table.takeLost(gone)
    lock.unlock()
    for wait in waits { wait.end(.failure(Lost())) }
  }

  private func failed(_ received: NATSError) {
    let error = explained(received)
    lock.lock()
    let waits = table.failed(error)
    lock.unlock()
    for wait in waits { wait.end(.failure(error)) }
  }

  /// Says what has gone: a program does not have the name of the durable.
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

  /// Ends without the results that have not come. The servers remove what they have of the run.
  func end() {
    lock.lock()
    let waits = table.end()
    let (results, status, lookup) = (results.take(), status.take(), lookup.take())
    lock.unlock()
    if let lookup { Deadlines.shared.remove(lookup) }
    status?.cancel()
    for results in results ?? [] { results.cancel() }
    if !waits.isEmpty { for shard in work.shards { work.removeJobs(ofRun: name, in: shard) } }
    for wait in waits { wait.end(.failure(CancellationError())) }
  }
}
