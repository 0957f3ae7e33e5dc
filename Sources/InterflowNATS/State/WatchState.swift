/// The server's consumer for one watch of a bucket. This is a state machine, without threads.
///
/// A consumer ends with its server. Each that is made in its place begins with the last revision of each key, and has a
/// number of its own here, so that what the one before has left on its way is recognised.
struct WatchState {
  /// What to do with a message.
  enum Arrival: Equatable {
    case ignore
    case deliver(completes: Bool)
    /// Messages before it are lost.
    case restart
  }

  /// What to do after the server has said how many messages it has sent.
  enum Report: Equatable {
    case nothing
    /// Messages are lost.
    case restart
    case complete
  }

  /// What to do after a consumer could not be made.
  enum Failure: Equatable { case ignore, retry, end }

  /// So many failures to find the bucket in a row mean that there is none.
  static let maxMissing = 40

  private(set) var number = 0
  private(set) var isOver = false
  private var isCreating = false
  private var last: UInt64 = 0
  /// Whether the keys' last revisions have arrived from this consumer.
  private var isComplete = false
  /// Whether they have arrived from any.
  private var hasBeenComplete = false
  private var isAlive = true
  private var missing = 0

  /// Begins with a new consumer.
  ///
  /// - Returns: Its number.
  mutating func begin() -> Int {
    number += 1
    isCreating = true
    last = 0
    isComplete = false
    isAlive = true
    return number
  }

  /// - Returns: Whether nothing more is to be waited for: the keys have no revisions.
  mutating func created(_ number: Int, pending: UInt64, delivered: UInt64) -> Bool {
    guard number == self.number, !isOver else { return false }
    isCreating = false
    isAlive = true
    missing = 0
    if pending > 0 || delivered > 0 || isComplete { return false }
    (isComplete, hasBeenComplete) = (true, true)
    return true
  }

  mutating func failed(_ number: Int, isMissing: Bool) -> Failure {
    guard number == self.number, !isOver else { return .ignore }
    isCreating = false
    missing = isMissing ? missing + 1 : 0
    return !hasBeenComplete || missing >= Self.maxMissing ? .end : .retry
  }

  /// - Parameters:
  ///   - sequence: The message's number, which the consumer counts from one.
  ///   - pending: How many more there are.
  mutating func arrived(_ number: Int, sequence: UInt64, pending: UInt64) -> Arrival {
    guard number == self.number, !isOver else { return .ignore }
    isAlive = true
    guard sequence == last + 1 else { return .restart }
    last = sequence
    let completes = pending == 0 && !isComplete
    if completes { (isComplete, hasBeenComplete) = (true, true) }
    return .deliver(completes: completes)
  }

  /// The server says how many messages it has sent, since it has had none to send for a while.
  ///
  /// It may have said of the last one that more follow: servers count those that were replaced before they were sent.
  mutating func reported(_ number: Int, last: UInt64) -> Report {
    guard number == self.number, !isOver else { return .nothing }
    isAlive = true
    if last != self.last { return .restart }
    if isCreating || isComplete { return .nothing }
    (isComplete, hasBeenComplete) = (true, true)
    return .complete
  }

  /// - Returns: Whether to begin again, since nothing has arrived from the server for the whole time.
  mutating func timePassed() -> Bool {
    if isOver || isCreating { return false }
    defer { isAlive = false }
    return !isAlive
  }

  /// - Returns: Whether it was not over before.
  mutating func end() -> Bool {
    defer { isOver = true }
    return !isOver
  }
}
