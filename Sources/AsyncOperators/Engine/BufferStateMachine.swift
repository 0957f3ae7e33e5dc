/// The state of a buffer between one producer and one consumer, without the elements.
///
/// - `open`: there may be more elements. Followed by each of the others.
/// - `closing`: the producer has ended; the buffered elements are delivered, then the failure, if any. Followed by
///   `ended`.
/// - `ended`: everything has been delivered, or the consumer has cancelled.
@usableFromInline
@frozen
struct BufferStateMachine {
  /// What happens to an element for which there is no room.
  @usableFromInline
  @frozen
  enum Rule: Sendable {
    /// The producer waits before it takes it from the base.
    case wait
    case dropOldest
    case dropNewest
  }

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
    /// The consumer has cancelled: the producer stops.
    case stop
  }

  @usableFromInline let rule: Rule
  @usableFromInline let limit: Int
  @usableFromInline var phase = Phase.open
  /// The elements in the buffer.
  @usableFromInline var buffered = 0
  /// The elements that the consumer has taken out of the buffer, and not reported as delivered.
  @usableFromInline var taken = 0

  @inlinable
  init(_ rule: Rule, limit: Int) {
    self.rule = rule
    self.limit = limit
  }

  /// How many elements the consumer delivers before it reports them: the producer of a large buffer may wait a little
  /// longer than it must.
  @inlinable var reportInterval: Int { rule == .wait ? max(1, limit / 8) : .max }

  /// Whether the consumer may take all elements at once. Not where newer elements replace them meanwhile.
  @inlinable var deliversBatches: Bool { rule == .wait }

  // MARK: The producer

  @inlinable
  mutating func received() -> ElementAction {
    guard phase == .open else { return .stop }
    if rule == .wait || buffered < limit {
      buffered &+= 1
      return .append
    }
    return rule == .dropOldest ? .replaceOldest : .drop
  }

  /// Whether the producer may take an element from its base.
  @inlinable var hasRoom: Bool { rule != .wait || buffered &+ taken < limit }

  /// The base has ended.
  ///
  /// - Returns: Whether a task has to be resumed.
  @inlinable
  mutating func finished() -> Bool {
    guard phase == .open else { return false }
    phase = .closing
    return true
  }

  // MARK: The consumer

  /// The consumer has taken all elements out of the buffer.
  @inlinable
  mutating func tookAll() {
    taken = buffered
    buffered = 0
  }

  /// The consumer has taken one element out of the buffer, and delivered it.
  @inlinable
  mutating func tookOne() {
    buffered &-= 1
  }

  /// The consumer has delivered elements of those that it had taken.
  @inlinable
  mutating func delivered(_ count: Int) {
    taken = max(0, taken &- count)
  }

  @inlinable
  mutating func ended() {
    phase = .ended
    buffered = 0
    taken = 0
  }

  /// Whether the consumer need not wait.
  @inlinable var isReady: Bool { buffered > 0 || phase != .open }
}
