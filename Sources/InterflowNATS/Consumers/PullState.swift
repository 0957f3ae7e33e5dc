import Dispatch

/// What a consumer has requested from the server and not received. This is a state machine, without threads.
///
/// Everything that the server may send counts against the demand, so that nothing is fetched that was not requested.
struct PullState {
  /// One request for messages.
  struct Pull: Equatable {
    let id: UInt64
    let count: Int
  }

  private struct Outstanding {
    let id: UInt64
    var remaining: Int
    let deadline: DispatchTime
  }

  /// Below this demand, an acknowledged message counts until the server has confirmed the acknowledgement: it would hold
  /// a new message pending beside the old one otherwise.
  private static let smallDemand: UInt = 8

  private let window: Int
  // In the order in which the server serves them.
  private var outstanding: [Outstanding] = []
  private var lastID: UInt64 = 0
  /// How many acknowledgements the server has not confirmed, and when it should have confirmed the last.
  private var unconfirmed = 0
  private var confirmationDeadline: DispatchTime?

  /// - Parameter window: At most so many messages are on their way.
  init(window: Int) {
    self.window = window
  }

  /// How many messages the server may send.
  var expected: Int { outstanding.reduce(0) { $0 + $1.remaining } }

  /// When the oldest request should have been answered and all acknowledgements confirmed; `nil` where nothing is waited
  /// for.
  var deadline: DispatchTime? { [outstanding.first?.deadline, confirmationDeadline].compactMap { $0 }.min() }

  /// How many messages to request now: as many as there is demand for, and in large steps where there is much.
  ///
  /// - Returns: The number; `nil` for none.
  func batch(demand: UInt, buffered: Int) -> Int? {
    let wanted = demand < UInt(window) ? Int(demand) : window
    let room = wanted - buffered - expected - unconfirmed
    return room > 0 && (outstanding.isEmpty && buffered == 0 || room >= (wanted + 1) / 2) ? room : nil
  }

  /// Requests messages.
  ///
  /// - Parameter deadline: When the server should have answered.
  mutating func begin(_ count: Int, deadline: DispatchTime) -> Pull {
    lastID += 1
    outstanding.append(Outstanding(id: lastID, remaining: count, deadline: deadline))
    return Pull(id: lastID, count: count)
  }

  /// A message has arrived.
  mutating func arrived() {
    guard !outstanding.isEmpty else { return }
    outstanding[0].remaining -= 1
    if outstanding[0].remaining == 0 { outstanding.removeFirst() }
  }

  /// The server serves a request no longer.
  mutating func ended(_ id: UInt64) {
    outstanding.removeAll { $0.id == id }
  }

  /// No answer comes to what has been sent: the connection was interrupted, or a server has ended.
  mutating func lost() {
    outstanding = []
    unconfirmed = 0
    confirmationDeadline = nil
  }

  /// Whether an acknowledgement that is sent now has to be confirmed.
  ///
  /// - Parameters:
  ///   - demand: What has been requested, including the message that is acknowledged.
  ///   - deadline: When it should be confirmed.
  mutating func acknowledges(demand: UInt, deadline: DispatchTime) -> Bool {
    let isSmall = demand < Self.smallDemand
    if isSmall {
      unconfirmed += 1
      confirmationDeadline = deadline
    }
    return isSmall
  }

  /// The server has confirmed an acknowledgement.
  mutating func confirmed() {
    unconfirmed = max(0, unconfirmed - 1)
    if unconfirmed == 0 { confirmationDeadline = nil }
  }
}
