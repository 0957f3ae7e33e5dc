/// The life of a durable, as one of its subscribers sees it. This is a state machine, without threads.
struct DurableState {
  /// How to create the durable.
  struct Creation: Equatable {
    /// Whether it takes the place of one that was there.
    let isAgain: Bool
    /// Whether it is the first attempt for this place.
    let isNew: Bool
    /// Whether the one that was there has been deleted by an attempt before.
    let isDeleted: Bool

    /// Whether it is attempted again. A server that has just been started may not have JetStream yet.
    func isRepeated(after error: NATSError) -> Bool {
      error.isTransient || isAgain && error.kind == .jetStreamDisabled
    }
  }

  private enum Phase {
    case missing
    /// - Parameter isStale: Whether it has to be created again after that: what is being created may be that of before.
    case creating(isStale: Bool)
    case present
  }

  /// So often in a row, with a pause between, the server says that there is no durable where it is gone.
  private static let maxMissing = 4

  private var phase = Phase.missing
  /// Whether messages can arrive, as the subscription says.
  var receives = false
  /// What is requested while the connection is interrupted would be requested twice when it is restored.
  private(set) var isConnected = true
  /// Whether requests wait because the server has refused one.
  private var isPaused = false
  /// How often servers have refused requests, one time after the other.
  private var refusals = 0
  /// The number of the subject at which the answers to requests arrive.
  private(set) var inbox = 0
  /// Whether answers arrive there.
  private var isInboxOpen = true
  /// Whether the server has refused a request since the durable was compared with its stream.
  private var wasRefused = false
  /// How often the server has said that there is no durable, one time after the other.
  private var missingCount = 0

  /// Whether there is a durable, as far as is known.
  var isPresent: Bool { if case .present = phase { true } else { false } }
  var mayRequest: Bool { isPresent && isConnected && !isPaused && isInboxOpen }

  // MARK: Creation

  /// The durable has to be created, or made again, before more is requested.
  ///
  /// - Returns: Whether the caller has to begin.
  mutating func needed() -> Bool {
    if case .creating = phase {
      phase = .creating(isStale: true)
      return false
    }
    phase = .creating(isStale: false)
    return true
  }

  /// An attempt to create it begins.
  ///
  /// - Parameters:
  ///   - isRetry: Whether one before has failed.
  ///   - wasDeleted: Whether that has deleted the durable.
  mutating func beginsCreation(isRetry: Bool, wasDeleted: Bool) -> Creation {
    var isStale = false
    if case .creating(isStale: true) = phase { isStale = true }
    phase = .creating(isStale: false)
    return Creation(isAgain: receives, isNew: isStale || !isRetry, isDeleted: wasDeleted && !isStale)
  }

  /// - Returns: Whether it has to be created again.
  mutating func created() -> Bool {
    if case .creating(isStale: true) = phase { return true }
    phase = .present
    missingCount = 0
    return false
  }

  // MARK: The connection

  /// - Returns: Whether the connection has been restored.
  mutating func connectionChanged(isConnected: Bool) -> Bool {
    defer { self.isConnected = isConnected }
    return isConnected && !self.isConnected
  }

  // MARK: The inbox

  /// What has been requested is given up: it is not served where nobody waits for its answers.
  ///
  /// - Returns: Whether the caller has to open another inbox.
  mutating func leaveInbox() -> Bool {
    inbox += 1
    defer { isInboxOpen = false }
    return isInboxOpen
  }

  /// The answers to requests arrive at an inbox.
  ///
  /// - Returns: Whether it is the one that is needed. Otherwise, the caller has to open that.
  mutating func opened(_ inbox: Int) -> Bool {
    isInboxOpen = inbox == self.inbox
    return isInboxOpen
  }

  // MARK: What the server says

  mutating func refused() {
    wasRefused = true
  }

  /// A request has ended as it has to.
  ///
  /// - Returns: Whether to compare the durable with its stream: the server that has them may be another one now, or one that
  ///   was killed.
  mutating func served() -> Bool {
    (missingCount, refusals) = (0, 0)
    defer { wasRefused = false }
    return wasRefused
  }

  /// The server has said that there is no durable.
  ///
  /// - Returns: Whether another client may be about to make it again.
  mutating func reportedMissing() -> Bool {
    missingCount += 1
    return missingCount < Self.maxMissing
  }

  mutating func reportedPresent() {
    missingCount = 0
  }

  // MARK: Pauses

  /// How long requests wait when a server has refused one, and at most, while none serves any.
  private static let (firstPause, longestPause) = (Duration.milliseconds(250), Duration.seconds(1))

  /// - Returns: How long the pause is that begins; `nil` where one goes on.
  mutating func pause() -> Duration? {
    if isPaused { return nil }
    isPaused = true
    defer { refusals += 1 }
    return min(Self.firstPause * (1 << min(refusals, 8)), Self.longestPause)
  }

  /// A message has arrived.
  mutating func delivered() {
    refusals = 0
  }

  mutating func resume() {
    isPaused = false
  }
}
