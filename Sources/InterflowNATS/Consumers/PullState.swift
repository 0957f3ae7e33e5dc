import Dispatch

/// What a consumer has requested from the server and not received. This is a state machine, without threads.
///
/// Everything that the server may send counts against the demand, so that nothing is fetched that was not requested.
struct PullState {
  /// One request for messages.
  struct Pull: Equatable {
    let id: UInt64
    let count: Int
    /// How many bytes the messages may have together; `nil` for any number.
    let bytes: Int?
    /// How long the server waits for messages before it ends the request.
    let expiration: Duration

    /// The request, in JSON.
    var request: String {
      let bytes = bytes.map { ",\"max_bytes\":\($0)" } ?? ""
      return "{\"batch\":\(count),\"expires\":\(expiration.nanoseconds)\(bytes)}"
    }
  }

  /// What to do when an answer is late.
  enum Lateness: Equatable {
    case none
    /// The server is to be asked whether it has received the requests up to this one.
    case ask(UInt64)
    /// Acknowledgements are not confirmed, and are not waited for any more.
    case unconfirmed
    /// What was requested is lost, and can be requested again.
    case lost
  }

  private struct Outstanding {
    let pull: Pull
    var remaining: Int
    /// How many bytes may arrive.
    var bytes: Int
    var deadline: DispatchTime
    /// Whether the server has been asked for it.
    var isAsked = false
    /// Whether the server has said that it has received the request, if that was not lost: it ends before the deadline.
    var isReceived = false

    var id: UInt64 { pull.id }
  }

  /// Below this demand, an acknowledged message counts until the server has confirmed the acknowledgement: it would hold
  /// a new message pending beside the old one otherwise.
  private static let smallDemand: UInt = 8

  /// How long the server waits, which has answered requests before.
  static let expiration: Duration = .seconds(2)
  /// How long it waits for the first request, which servers may lose that have not agreed on a durable yet, and for one
  /// after a loss.
  static let firstExpiration: Duration = .milliseconds(250)
  /// How long an answer takes.
  static let answerTime: Duration = .milliseconds(500)
  /// How long a message takes that was sent before the server said that no request waits.
  private static let graceTime: Duration = .milliseconds(100)
  /// How long the confirmation of an acknowledgement takes that a server has received: others store it as well.
  private static let confirmationTime: Duration = .seconds(1)

  /// After so many questions without an answer, what is requested can be wanted elsewhere. A server that chooses a leader
  /// answers sooner.
  private static let maxUnansweredQuestions = 4

  private let window: Int
  /// How many bytes one request may bring. Two of them may be on their way.
  private let bytesOfRequest: Int
  // In the order in which the server serves them.
  private var outstanding: [Outstanding] = []
  private var lastID: UInt64 = 0
  /// Whether the server has answered since the last loss.
  private var isAnswered = false
  /// How many questions about requests that were late have been sent without an answer of any kind since.
  private var unansweredQuestions = 0
  /// Whether a message is larger than any should be.
  private var hasLargeMessage = false
  /// The acknowledgements that the server has not confirmed: how many with each confirmation.
  private var confirmations: [(id: UInt64, count: Int)] = []
  private var lastConfirmation: UInt64 = 0
  /// When it should have confirmed the last.
  private var confirmationDeadline: DispatchTime?
  /// When the server is asked because it has not.
  private var confirmationQuestion: DispatchTime?
  /// The last confirmation that was waited for when the server was asked, and when it should be here, once it has answered.
  private var askedConfirmation: (id: UInt64, deadline: DispatchTime?)?
  /// Whether other consumers share the durable, so that requests that wait say nothing of those of this one.
  private let isShared: Bool
  /// How long the server waits, which has answered requests before.
  var expiration = Self.expiration

  /// - Parameters:
  ///   - window: At most so many messages are on their way.
  ///   - bytes: At most so many bytes, approximately.
  ///   - largest: How many bytes a message may have. A request that permits fewer brings none.
  ///   - isShared: Whether other consumers request messages of the same durable. What is given up is not served any more then,
  ///     which is up to the caller.
  init(window: Int, bytes: Int = 1 << 40, largest: Int = 0, isShared: Bool = false) {
    self.window = window
    self.isShared = isShared
    bytesOfRequest = max(bytes / 2, largest, 1)
  }

  /// How many messages the server may send.
  var expected: Int { outstanding.reduce(0) { $0 + $1.remaining } }

  private var unconfirmed: Int { confirmations.reduce(0) { $0 + $1.count } }

  /// How many of the messages that are wanted nothing has been requested for, nor can be before a confirmation.
  func unused(demand: UInt, buffered: Int) -> Int {
    max(0, Int(clamping: demand) - buffered - expected - unconfirmed)
  }

  /// When a request should have been answered or an acknowledgement confirmed; `nil` where nothing is waited for.
  var deadline: DispatchTime? {
    let ofConfirmation = [confirmationDeadline, confirmationQuestion, askedConfirmation?.deadline].compactMap { $0 }
    return (outstanding.map(\.deadline) + ofConfirmation).min()
  }

  /// Whether a request has not been answered, and has not been given up.
  func waits(for id: UInt64) -> Bool { outstanding.contains { $0.id == id } }

  /// The number of the last request.
  var last: UInt64 { lastID }

  /// How many messages to request now: as many as there is demand for, and in large steps where there is much.
  ///
  /// - Returns: The number; `nil` for none.
  func batch(demand: UInt, buffered: Int, bufferedBytes: Int = 0) -> Int? {
    let wanted = demand < UInt(window) ? Int(demand) : window
    let room = wanted - buffered - expected - unconfirmed
    let isIdle = outstanding.isEmpty && buffered == 0
    let bytes = outstanding.reduce(bufferedBytes) { $0 + $1.bytes }
    guard room > 0, isIdle || room >= (wanted + 1) / 2, isIdle || bytes <= bytesOfRequest else { return nil }
    return hasLargeMessage ? 1 : room
  }

  /// Requests messages.
  mutating func begin(_ count: Int, at now: DispatchTime) -> Pull {
    lastID += 1
    let pull = Pull(
      id: lastID, count: count, bytes: hasLargeMessage ? nil : bytesOfRequest,
      expiration: isAnswered ? expiration : min(expiration, Self.firstExpiration))
    hasLargeMessage = false
    outstanding.append(
      Outstanding(
        pull: pull, remaining: count, bytes: bytesOfRequest, deadline: now + (pull.expiration + Self.answerTime)))
    return pull
  }

  /// A message has arrived.
  mutating func arrived(bytes: Int = 0) {
    isAnswered = true
    unansweredQuestions = 0
    guard !outstanding.isEmpty else { return }
    outstanding[0].remaining -= 1
    outstanding[0].bytes = max(0, outstanding[0].bytes - bytes)
    if outstanding[0].remaining == 0 { outstanding.removeFirst() }
  }

  /// The server serves a request no longer.
  ///
  /// - Parameter isFull: Whether the next message has more bytes than it may bring.
  /// - Returns: The request; `nil` where it had been answered, or given up.
  @discardableResult
  mutating func ended(_ id: UInt64, isFull: Bool = false) -> Pull? {
    isAnswered = true
    unansweredQuestions = 0
    guard let index = outstanding.firstIndex(where: { $0.id == id }) else { return nil }
    let ended = outstanding.remove(at: index)
    if isFull, ended.remaining == ended.pull.count { hasLargeMessage = true }
    return ended.pull
  }

  /// No answer comes to what has been sent: the connection was interrupted, or a server has ended.
  mutating func lost() {
    outstanding = []
    isAnswered = false
    unansweredQuestions = 0
    forgetConfirmations()
  }

  private mutating func forgetConfirmations() {
    confirmations = []
    (confirmationDeadline, confirmationQuestion, askedConfirmation) = (nil, nil, nil)
  }

  /// Gives up what was requested where the server does not answer questions either. To be called where messages can be
  /// wanted elsewhere; those that come all the same are more than were requested.
  ///
  /// - Returns: Whether it has.
  mutating func giveUp() -> Bool {
    guard unansweredQuestions >= Self.maxUnansweredQuestions else { return false }
    lost()
    // What is requested next is given up after one question.
    unansweredQuestions = Self.maxUnansweredQuestions
    return true
  }

  /// Looks for answers that are late.
  ///
  /// A request that is given up may be served all the same, by a server that had stopped: it would send more than was
  /// requested with the next one. So the server is asked first, behind the request.
  mutating func checkTime(at now: DispatchTime) -> Lateness {
    // All are, so that the caller can end all that waits for this subscriber.
    if outstanding.contains(where: { $0.isReceived && $0.deadline < now }) {
      lost()
      return .lost
    }
    var isUnconfirmed = false
    if let confirmationDeadline, confirmationDeadline < now {
      forgetConfirmations()
      isUnconfirmed = true
    }
    if let asked = askedConfirmation, let deadline = asked.deadline, deadline < now {
      isUnconfirmed = confirmations.contains { $0.id <= asked.id } || isUnconfirmed
      askedConfirmation = nil
      removeConfirmations(upTo: asked.id)
    }
    var isLate = false
    if let question = confirmationQuestion, question < now {
      if askedConfirmation?.deadline == nil { askedConfirmation = (lastConfirmation, nil) }
      confirmationQuestion = now + Self.answerTime
      isLate = true
    }
    for index in outstanding.indices where outstanding[index].deadline < now {
      outstanding[index].deadline = now + Self.answerTime
      outstanding[index].isAsked = true
      isLate = true
    }
    if isLate {
      unansweredQuestions += 1
      return .ask(lastID)
    }
    return isUnconfirmed ? .unconfirmed : .none
  }

  /// The server has said how many requests it has, of all consumers of the durable, after it has received those up to one,
  /// if they were not lost.
  mutating func reported(waiting: Int, upTo id: UInt64, at now: DispatchTime) {
    unansweredQuestions = 0
    // One that is not late has not been asked for: the server may answer before it looks at the request.
    for index in outstanding.indices where outstanding[index].isAsked && outstanding[index].id <= id {
      let expiration = outstanding[index].pull.expiration
      let time =
        waiting == 0
        ? Self.graceTime : (isShared ? min(expiration, Self.firstExpiration) : expiration) + Self.answerTime
      if !outstanding[index].isReceived { outstanding[index].deadline = now + time }
      outstanding[index].isReceived = true
    }
    if let asked = askedConfirmation, asked.deadline == nil {
      askedConfirmation = (asked.id, now + Self.confirmationTime)
      confirmationQuestion = confirmations.contains { $0.id > asked.id } ? now + Self.answerTime : nil
    }
  }

  /// Acknowledgements that are sent now, of which the server settles the last one last: the confirmation of that one is
  /// that of all.
  ///
  /// - Parameters:
  ///   - demand: What has been requested, including one of the messages that are acknowledged.
  ///   - deadline: When they are not waited for any more.
  /// - Returns: The number of the confirmation; `nil` where none is needed.
  mutating func acknowledges(_ count: Int, demand: UInt, at now: DispatchTime, deadline: DispatchTime) -> UInt64? {
    guard count > 0, demand < Self.smallDemand else { return nil }
    lastConfirmation += 1
    confirmations.append((lastConfirmation, count))
    confirmationDeadline = deadline
    if confirmationQuestion == nil { confirmationQuestion = now + Self.answerTime }
    return lastConfirmation
  }

  /// The server has confirmed acknowledgements, up to a number.
  mutating func confirmed(_ id: UInt64, at now: DispatchTime) {
    removeConfirmations(upTo: id)
    guard !confirmations.isEmpty, askedConfirmation.map({ $0.id <= id }) ?? true else { return }
    // It is not late: those that are left were sent later.
    askedConfirmation = nil
    confirmationQuestion = now + Self.answerTime
  }

  private mutating func removeConfirmations(upTo id: UInt64) {
    confirmations.removeAll { $0.id <= id }
    if confirmations.isEmpty { forgetConfirmations() }
  }
}

private func + (time: DispatchTime, duration: Duration) -> DispatchTime { time + duration.dispatchInterval }
