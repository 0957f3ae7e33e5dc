/// The state of what sends each element to all consumers, without the elements and the consumers.
@usableFromInline
@frozen
struct FanOutStateMachine {
  /// - `open`: there may be more elements. Followed by `ended`.
  /// - `ended`: the producer has ended, or nothing can use it any more.
  @usableFromInline
  @frozen
  enum Phase {
    case open
    case ended
  }

  /// What happens to an element in the history.
  @usableFromInline
  @frozen
  enum HistoryAction {
    case ignore
    case append
    case replaceOldest
  }

  /// How many elements a new consumer is given of those sent before.
  @usableFromInline let historyLimit: Int
  /// Whether it is given them after the end, too.
  @usableFromInline let replaysAfterEnd: Bool
  @usableFromInline var historyCount = 0
  /// How many elements have been sent, where there is a history.
  @usableFromInline var sentCount = 0
  @usableFromInline var phase = Phase.open
  @usableFromInline var consumerCount = 0
  /// How many consumers have full buffers.
  @usableFromInline var fullCount = 0
  /// Whether a consumer has requested an element since there were none.
  @usableFromInline var isRequested = false
  /// Whether new consumers can be added.
  @usableFromInline var isOwned = true

  @inlinable
  init(historyLimit: Int, replaysAfterEnd: Bool, historyCount: Int = 0) {
    self.historyLimit = historyLimit
    self.replaysAfterEnd = replaysAfterEnd
    self.historyCount = historyCount
  }

  @inlinable var replays: Bool { historyCount > 0 && (phase == .open || replaysAfterEnd) }

  /// Whether an element may be taken from the base.
  @inlinable var mayProduce: Bool { phase == .open && isRequested && fullCount == 0 }

  @inlinable
  mutating func sent() -> HistoryAction {
    if historyLimit == 0 { return .ignore }
    sentCount &+= 1
    if historyCount == historyLimit { return .replaceOldest }
    historyCount &+= 1
    return .append
  }

  /// - Returns: Whether it is the end; otherwise, it had ended before.
  @inlinable
  mutating func finished() -> Bool {
    guard phase == .open else { return false }
    phase = .ended
    consumerCount = 0
    fullCount = 0
    return true
  }

  @inlinable
  mutating func joined() {
    consumerCount &+= 1
  }

  @inlinable
  mutating func requested() {
    isRequested = true
  }

  /// - Returns: Whether nothing can use it any more: the producer stops.
  @inlinable
  mutating func left(wasFull: Bool) -> Bool {
    consumerCount &-= 1
    if wasFull { fullCount &-= 1 }
    if consumerCount == 0 { isRequested = false }
    return stopIfUnused()
  }

  /// There will be no new consumers.
  ///
  /// - Returns: Whether nothing can use it any more: the producer stops.
  @inlinable
  mutating func released() -> Bool {
    isOwned = false
    return stopIfUnused()
  }

  @inlinable
  mutating func stopIfUnused() -> Bool {
    if consumerCount == 0, !isOwned { return finished() }
    return false
  }
}
