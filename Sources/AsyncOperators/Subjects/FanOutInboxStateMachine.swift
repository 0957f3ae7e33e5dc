/// The state of one consumer's buffer, without the elements.
///
/// - `open`: there may be more elements. Followed by each of the others.
/// - `closing`: the producer has ended; the buffered elements are delivered, then the failure, if any. Followed by
///   `ended`.
/// - `ended`: everything has been delivered, or the consumer has left.
@usableFromInline
@frozen
struct FanOutInboxStateMachine {
  @usableFromInline
  @frozen
  enum Phase {
    case open
    case closing
    case ended
  }

  /// What to do with an element.
  @usableFromInline
  @frozen
  enum ElementAction {
    case append
    case replaceOldest
    case drop
  }

  @usableFromInline let rule: BufferStateMachine.Rule
  @usableFromInline let limit: Int
  /// Whether the consumer may take all elements at once, if the rule permits it.
  @usableFromInline let takesBatches: Bool
  @usableFromInline var phase = Phase.open
  @usableFromInline var buffered = 0
  @usableFromInline var droppedCount = 0
  /// Whether the consumer waits for an element, which has room then whatever the limit.
  @usableFromInline var isWaiting = false
  /// Whether the producer counts this buffer among the full ones.
  @usableFromInline var isCountedAsFull = false

  @inlinable
  init(_ rule: BufferStateMachine.Rule, limit: Int, takesBatches: Bool = true) {
    self.rule = rule
    self.limit = limit
    self.takesBatches = takesBatches
  }

  /// Whether the consumer may take all elements at once. Not where newer elements replace them meanwhile, nor where
  /// the producer waits for room.
  @inlinable var deliversBatches: Bool { takesBatches && rule == .wait && limit == .max }

  @inlinable var hasPlace: Bool { buffered < limit || (isWaiting && buffered == 0) }

  // MARK: The producer

  @inlinable
  mutating func received() -> ElementAction {
    if rule == .wait || hasPlace {
      buffered &+= 1
      return .append
    }
    droppedCount &+= 1
    return rule == .dropOldest && limit > 0 ? .replaceOldest : .drop
  }

  /// The consumer's wait has ended.
  @inlinable
  mutating func resumed() {
    isWaiting = false
  }

  /// By how much the number of full buffers has changed since the last call.
  @inlinable
  mutating func fullnessChange() -> Int {
    let isFull = rule == .wait && !hasPlace && phase == .open
    if isFull == isCountedAsFull { return 0 }
    isCountedAsFull = isFull
    return isFull ? 1 : -1
  }

  /// The producer has ended.
  @inlinable
  mutating func finished() {
    if phase == .open { phase = .closing }
    isWaiting = false
  }

  // MARK: The consumer

  @inlinable
  mutating func tookAll() {
    buffered = 0
  }

  @inlinable
  mutating func tookOne() {
    buffered &-= 1
  }

  /// The consumer begins to wait.
  ///
  /// - Returns: Whether it does; otherwise, it need not.
  @inlinable
  mutating func waited() -> Bool {
    guard buffered == 0, phase == .open else { return false }
    isWaiting = true
    return true
  }

  /// What the consumer finds where no element is left.
  @usableFromInline
  @frozen
  enum End {
    case notYet
    /// For the first time: with the failure, if there is one.
    case first
    case again
  }

  @inlinable
  mutating func takeEnd() -> End {
    switch phase {
    case .closing where buffered == 0:
      phase = .ended
      return .first
    case .ended: return .again
    case .open, .closing: return .notYet
    }
  }

  /// The consumer has left.
  ///
  /// - Returns: Whether it had not before.
  @inlinable
  mutating func left() -> Bool {
    guard phase != .ended else { return false }
    phase = .ended
    buffered = 0
    isWaiting = false
    return true
  }
}
