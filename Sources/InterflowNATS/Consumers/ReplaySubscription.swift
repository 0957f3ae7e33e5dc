import CNATS
import Combine
import Dispatch
import Foundation
import InterflowPrimitives

/// One subscriber of a replay. Nothing here blocks.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class ReplaySubscription: RequestingSubscription<ReplayedMessage>, @unchecked Sendable {
  private let consumer: ReplayConsumer
  private let undecodable: NATSUndecodable
  private var state: ReplayState
  private var isConnected = true

  init(
    _ connection: NATSConnection, _ consumer: ReplayConsumer, from start: NATSConsumerSettings.Start,
    _ undecodable: NATSUndecodable, _ receiver: Receiver
  ) {
    self.consumer = consumer
    self.undecodable = undecodable
    let settings = NATSConsumerSettings()
    state = ReplayState(
      from: start,
      pulls: PullState(
        window: settings.window, bytes: settings.maxPullBytes, largest: connection.largestMessage))
    super.init(connection, receiver, while: consumer.operation)
  }

  // MARK: The consumer

  override func begin() {
    connection.outbox.post { handle in
      do throws(NATSError) {
        self.opened(
          try MessageSubscription(handle, "\(self.consumer.inbox).*", while: self.operation) { self.arrived($0) })
        self.create()
      } catch {
        self.end(error)
      }
    }
  }

  /// Creates a consumer, if there is none.
  private func create() {
    lock.lock()
    let begins = !isOver && isConnected && state.begin()
    lock.unlock()
    if begins { Task { await self.createConsumer() } }
  }

  private func createLater() {
    Deadlines.shared.add(after: PullSubscription.pause) { self.create() }
  }

  private func createConsumer() async {
    do throws(NATSError) {
      try await compareWithStream()
      let (generation, position) = withState { ($0.generation, $0.position) }
      let created = try await connection.jetStream(
        ReplayConsumer.Creation.self, consumer.creation(generation),
        consumer.creationRequest(generation, from: position), while: operation)
      let isAgain = withState { $0.created(behind: created.delivered.stream_seq) }
      if isAgain || hasEnded { connection.outbox.post { [consumer] in consumer.delete(generation, $0) } }
      // One that was given up with its connection would stay for minutes.
      if generation > 1 { connection.outbox.post { [consumer] in consumer.delete(generation - 1, $0) } }
      if isAgain { create() } else { sendSoon() }
    } catch {
      let wasThere = withState { state in
        state.creationFailed()
        return state.hasSeenStream
      }
      // A server that has just been started may not have JetStream yet.
      let isTransient = error.isTransient || error.kind == .jetStreamDisabled && wasThere
      if isTransient { createLater() } else { end(error) }
    }
  }

  /// Asks whether the stream is the one that it was, and has counted as far as it had.
  private func compareWithStream() async throws(NATSError) {
    let stream = try await connection.jetStream(
      ReplayConsumer.Stream.self, "STREAM.INFO.\(consumer.stream)", while: operation)
    if let time = stream.created.flatMap(StoredMessage.nanoseconds(of:)) { withState { $0.streamWasCreated(at: time) } }
    // Where several servers hold a stream, the others have the numbers; the one that answers may only be behind.
    if stream.config.num_replicas > 1 { return }
    withState { $0.streamIs(at: stream.state.last_seq) }
    guard let last = withState({ $0.lastArrival }) else { return }
    let stored = try await connection.storedMessage(.number(last), ofStream: consumer.stream, while: operation)
    if let time = stored?.time { withState { $0.lastArrivalWasStored(at: time) } }
  }

  private func withState<Success>(_ body: (inout ReplayState) -> Success) -> Success {
    lock.lock()
    defer { lock.unlock() }
    return body(&state)
  }

  override func close(_ subscription: MessageSubscription) {
    let generation = withState { $0.generation }
    connection.outbox.post { [consumer] in
      subscription.end()
      consumer.delete(generation, $0)
    }
  }

  override func connectionChanged(to status: NATSConnection.Status) {
    lock.lock()
    let wasConnected = isConnected
    isConnected = status.isConnected
    let isRestored = isConnected && !wasConnected
    if !isConnected { state.giveUp() }
    lock.unlock()
    if isRestored { create() }
  }

  // MARK: Messages

  /// Called on a thread of the library.
  private func arrived(_ pointer: OpaquePointer) {
    defer { natsMsg_Destroy(pointer) }
    guard let (message, name, number) = ReplayedMessage.read(pointer) else { return reported(pointer) }
    var (verdict, generation) = (ReplayState.Verdict.ignore, 0)
    accept(message) {
      generation = state.generation
      guard name == consumer.name(generation) else { return false }
      verdict = state.arrived(
        ReplayState.Arrival(
          generation: generation, sequence: message.sequence, delivery: number, time: message.time,
          size: message.size))
      return verdict == .deliver
    }
    switch verdict {
    case .deliver: break
    case .ignore: sendSoon()
    case .gap: gaveUp(generation)
    }
  }

  /// Another consumer takes the place of one.
  private func gaveUp(_ generation: Int) {
    connection.outbox.post { [consumer] in consumer.delete(generation, $0) }
    create()
  }

  private func reported(_ pointer: OpaquePointer) {
    let report = consumer.report(
      String(cString: natsMsg_GetSubject(pointer)), NATSHeaders(messageOfLibrary: pointer),
      Data(messageOfLibrary: pointer))
    switch report {
    case .ended(let id, let isFull):
      withState { $0.ended(id, isFull: isFull) }
      sendSoon()
    case .waiting(let count, let id, let generation):
      withState { $0.reported(waiting: count, upTo: id, of: generation, at: .now()) }
      updateTimer()
    case .refused(let id): giveUpLater { $0.waits(for: id) }
    case .missing(let generation): giveUpLater { $0.isCurrent(generation) }
    case .failed(let id, let error): if withState({ $0.waits(for: id) }) { end(error) }
    case .nothing: break
    }
  }

  /// The server that has the consumer may have ended, and the next one not be chosen yet.
  private func giveUpLater(if isCurrent: (ReplayState) -> Bool) {
    let gives = withState { state in
      let isCurrent = isCurrent(state)
      if isCurrent { state.giveUp() }
      return isCurrent
    }
    if gives { createLater() }
  }

  override func didFinish(_ message: ReplayedMessage, _ outcome: Outcome) {
    switch outcome {
    case .received, .cancelled: sendSoon()
    case .dropped: break
    }
  }

  override func continues(after message: ReplayedMessage, _ error: NATSError) -> Bool {
    switch undecodable {
    case .fail: return false
    case .skip: break
    case .deadLetter(let subject): sendOn(message.bytes, to: subject) {}
    }
    return true
  }

  // MARK: Requests

  override func demandGrew() {
    sendSoon()
  }

  override var hasMessagesToSend: Bool { canRequest && batch != nil }

  private var canRequest: Bool { isConnected && isAccepting }

  private var batch: Int? {
    state.batch(demand: demand, buffered: bufferedCount, bufferedBytes: bufferedBytes)
  }

  override func send(_ handle: ConnectionHandle) {
    lock.lock()
    let generation = state.generation
    let pull =
      canRequest
      ? state.request(
        demand: demand, buffered: bufferedCount, bufferedBytes: bufferedBytes, at: .now()) : nil
    lock.unlock()
    guard let pull else { return }
    consumer.send(pull, generation, handle)
    updateTimer()
  }

  // MARK: Time

  override var deadline: DispatchTime? { state.deadline }

  override func checkTime(at now: DispatchTime) {
    lock.lock()
    let generation = state.generation
    let lateness = isOver || !isConnected ? .none : state.checkTime(at: now)
    lock.unlock()
    switch lateness {
    case .none: break
    case .ask(let id):
      connection.outbox.post { [consumer] in consumer.requestInformation(after: id, generation, $0) }
    case .lost: gaveUp(generation)
    }
  }
}

extension ReplaySubscription: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  var description: String { "NATSReplay" }
  var playgroundDescription: Any { description }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
