/// The state of a channel between many producers and one consumer, without the elements.
///
/// - `open`: producers may send. Followed by each of the others.
/// - `finishing`: the end comes after the elements that are buffered and those of producers that wait. Followed by
///   `ended` and `abandoned`.
/// - `ended`: the consumer has been given the end.
/// - `abandoned`: there is no consumer any more.
struct BoundedChannelStateMachine {
  enum Phase {
    case open
    case finishing
    case ended
    case abandoned
  }

  enum SendAction {
    case append
    /// The producer waits with its element.
    case wait
    case refuse(AsyncBoundedChannelError)
  }

  let lowWatermark: Int
  let highWatermark: Int
  private(set) var phase = Phase.open
  private(set) var buffered = 0
  /// How many producers wait.
  private(set) var waiting = 0
  /// Whether producers wait: from the high watermark on until the low one.
  private(set) var isFull = false

  init(lowWatermark: Int, highWatermark: Int) {
    self.lowWatermark = lowWatermark
    self.highWatermark = highWatermark
  }

  // MARK: The producers

  mutating func sent() -> SendAction {
    switch phase {
    case .finishing, .ended: return .refuse(.finished)
    case .abandoned: return .refuse(.noConsumer)
    case .open: break
    }
    if isFull {
      waiting += 1
      return .wait
    }
    buffered += 1
    isFull = buffered == highWatermark
    return .append
  }

  /// A producer that waited does not any more.
  mutating func gaveUp() {
    waiting -= 1
  }

  /// - Returns: Whether it is the end; otherwise, it had ended before.
  mutating func finished() -> Bool {
    guard phase == .open else { return false }
    phase = .finishing
    return true
  }

  // MARK: The consumer

  /// The consumer has taken an element.
  ///
  /// - Returns: How many of the producers that have waited longest are resumed; their elements are buffered.
  mutating func tookOne() -> Int {
    buffered -= 1
    guard isFull, buffered <= lowWatermark else { return 0 }
    let admitted = min(waiting, highWatermark - buffered)
    waiting -= admitted
    buffered += admitted
    isFull = buffered == highWatermark
    return admitted
  }

  /// Whether the consumer need not wait.
  var isReady: Bool { buffered > 0 || phase != .open }

  enum End {
    case notYet
    /// For the first time: with the failure, if there is one.
    case first
    case again
  }

  mutating func takeEnd() -> End {
    switch phase {
    case .finishing where buffered == 0:
      phase = .ended
      return .first
    case .ended, .abandoned: return .again
    case .open, .finishing: return .notYet
    }
  }

  /// The consumer has left. The caller drops all elements, and resumes all producers that wait.
  mutating func abandoned() {
    if phase != .ended { phase = .abandoned }
    buffered = 0
    waiting = 0
    isFull = false
  }
}
