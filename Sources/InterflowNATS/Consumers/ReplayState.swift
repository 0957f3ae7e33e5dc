import Dispatch

/// Where a replay is in its stream, and which consumer of the server it reads from. This is a state machine, without threads.
///
/// A consumer of the server is given up wherever there is a doubt: another one begins behind the last message. What an old
/// one still sends is recognised by its name, so that nothing comes twice.
struct ReplayState {
  /// Where the next consumer begins.
  enum Position: Equatable {
    /// Where the program says.
    case start(NATSConsumerSettings.Start)
    case sequence(UInt64)
    /// Behind a time, in nanoseconds since 1970.
    case after(Int64)
  }

  /// A message of a consumer, without what it contains.
  struct Arrival {
    let generation: Int
    /// The number in the stream.
    let sequence: UInt64
    /// The number among those that the consumer has sent.
    let delivery: UInt64
    /// When it was stored, in nanoseconds since 1970.
    let time: Int64
    let size: Int
  }

  /// What to do with a message.
  enum Verdict: Equatable {
    case deliver
    case ignore
    /// A message before it is missing: the consumer has been given up.
    case gap
  }

  /// What to do when an answer is late.
  enum Lateness: Equatable {
    case none
    /// The server is to be asked whether it has received the requests up to this one.
    case ask(UInt64)
    /// The consumer has been given up.
    case lost
  }

  private enum Phase: Equatable {
    /// There is no consumer, and none is being created.
    case missing
    /// - Parameter isStale: Whether the consumer has to be given up when it has been created.
    case creating(isStale: Bool)
    case ready
  }

  /// So many questions have no answer, one after the other, before a consumer is given up.
  private static let maxUnanswered = 4

  /// So often, one time after the other, the creation of a consumer fails that begins at that moment, before another one is
  /// created.
  private static let maxFailures = 5

  private let start: NATSConsumerSettings.Start
  private(set) var position: Position
  /// The number of the consumer.
  private(set) var generation = 1
  private var phase = Phase.missing
  private var pulls: PullState
  /// What the consumer has sent last, by its own count.
  private var delivery: UInt64 = 0
  /// The last number that the stream is known to have had; zero for none.
  private var seen: UInt64 = 0
  /// When the last message was stored.
  private var time: Int64 = 0
  /// When the stream was created, as a server has said before the consumer was created; `nil` where none has.
  private var creation: Int64?
  private var unanswered = 0
  /// How often creating a consumer has failed, one time after the other.
  private var failures = 0

  init(from start: NATSConsumerSettings.Start, pulls: PullState) {
    (self.start, self.pulls) = (start, pulls)
    position = .start(start)
  }

  // MARK: The consumer

  /// Whether the stream was there.
  var hasSeenStream: Bool { seen > 0 || creation != nil }

  /// When the stream was created, which is to be found out before each consumer is created. One that is newer than the last
  /// message has taken the place of that message's stream, and all its messages are newer, too. Where there was no message, it
  /// is another stream if that time is another one, and its messages all follow the beginning of the replay.
  mutating func streamWasCreated(at time: Int64) {
    defer { creation = time }
    let isAnother = lastArrival == nil ? creation.map { $0 != time } ?? false : time > self.time
    if isAnother { restartNumbering() }
  }

  /// The stream's last number, as its server says.
  ///
  /// A server that was killed may have lost the newest messages, or count an empty stream from one again. What it stores
  /// from then on is newer than what has been received.
  mutating func streamIs(at last: UInt64) {
    if last < seen { restartNumbering() }
  }

  /// The last message that has arrived, of which a server has to say when it was stored; `nil` for none.
  var lastArrival: UInt64? { time > 0 && seen > 0 ? seen : nil }

  /// When the stream's message with the number of the last one that has arrived was stored.
  ///
  /// A server that has lost messages may have stored as many again meanwhile: another one has the number then.
  mutating func lastArrivalWasStored(at time: Int64) {
    if lastArrival != nil, time != self.time { restartNumbering() }
  }

  private mutating func restartNumbering() {
    seen = 0
    switch start {
    case _ where time > 0: position = .after(time)
    case .sequence, .all, .date: position = .start(start)
    case .new, .last: position = .start(.all)
    }
  }

  /// - Returns: Whether a consumer is to be created.
  mutating func begin() -> Bool {
    guard phase == .missing else { return false }
    phase = .creating(isStale: false)
    return true
  }

  /// The consumer exists.
  ///
  /// - Parameter last: The number of the message before the first that it sends. Version 2.9 says an earlier one where the
  ///   stream has not come so far, and sends what is stored until then.
  /// - Returns: Whether it has been given up, so that another one is to be created.
  mutating func created(behind last: UInt64) -> Bool {
    let isStale = phase != .creating(isStale: false)
    phase = isStale ? .missing : .ready
    if isStale { generation += 1 }
    (delivery, unanswered, failures) = (0, 0, 0)
    switch position {
    case .start(.sequence(let sequence)), .sequence(let sequence): position = .sequence(max(sequence, last &+ 1))
    case .start, .after:
      position = .sequence(last &+ 1)
      seen = last
    }
    return isStale
  }

  /// No consumer has been created, or the answer is lost.
  mutating func creationFailed() {
    phase = .missing
    failures += 1
    let isOfThisMoment = position == .start(.new) || position == .start(.last)
    // The server to which a consumer of this name belongs may have ended. One that begins at the moment at which it is created
    // keeps its name for some time: the one that may exist has begun earlier.
    if !isOfThisMoment || failures.isMultiple(of: Self.maxFailures) { generation += 1 }
  }

  /// There is another consumer to create.
  mutating func giveUp() {
    pulls.lost()
    switch phase {
    case .creating: phase = .creating(isStale: true)
    case .ready, .missing:
      // One that may never have been created has its name again: begun twice, it would leave out what is sent in between.
      if case .start = position {} else { generation += 1 }
      phase = .missing
    }
  }

  /// Whether there is a consumer, of this number.
  func isCurrent(_ generation: Int) -> Bool { phase == .ready && generation == self.generation }

  // MARK: Messages

  /// How many messages to request now, and the request.
  mutating func request(demand: UInt, buffered: Int, bufferedBytes: Int, at now: DispatchTime) -> PullState.Pull? {
    guard let count = batch(demand: demand, buffered: buffered, bufferedBytes: bufferedBytes) else { return nil }
    return pulls.begin(count, at: now)
  }

  /// How many messages to request; `nil` for none.
  func batch(demand: UInt, buffered: Int, bufferedBytes: Int) -> Int? {
    phase == .ready ? pulls.batch(demand: demand, buffered: buffered, bufferedBytes: bufferedBytes) : nil
  }

  mutating func arrived(_ message: Arrival) -> Verdict {
    guard isCurrent(message.generation) else { return .ignore }
    guard message.delivery == delivery &+ 1 else {
      giveUp()
      return .gap
    }
    unanswered = 0
    delivery = message.delivery
    pulls.arrived(bytes: message.size)
    guard case .sequence(let next) = position, message.sequence >= next else { return .ignore }
    position = .sequence(message.sequence &+ 1)
    (seen, time) = (message.sequence, message.time)
    return .deliver
  }

  /// The server serves a request no longer.
  mutating func ended(_ id: UInt64, isFull: Bool) {
    unanswered = 0
    pulls.ended(id, isFull: isFull)
  }

  /// Whether a request has not been answered, and its consumer not been given up.
  func waits(for id: UInt64) -> Bool { phase == .ready && pulls.waits(for: id) }

  // MARK: Time

  var deadline: DispatchTime? { phase == .ready ? pulls.deadline : nil }

  mutating func checkTime(at now: DispatchTime) -> Lateness {
    if phase != .ready { return .none }
    switch pulls.checkTime(at: now) {
    case .none, .unconfirmed: return .none
    case .ask(let id) where unanswered < Self.maxUnanswered:
      unanswered += 1
      return .ask(id)
    case .ask, .lost:
      giveUp()
      return .lost
    }
  }

  /// The server has said how many requests it has, after those up to one.
  mutating func reported(waiting: Int, upTo id: UInt64, of generation: Int, at now: DispatchTime) {
    guard isCurrent(generation) else { return }
    unanswered = 0
    pulls.reported(waiting: waiting, upTo: id, at: now)
  }
}
