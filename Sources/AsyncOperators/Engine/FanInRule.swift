/// How an operator joins its inputs: when its consumer gets something, and what ends it.
///
/// An operator passes its rule to its ``FanInConsumer``; the engine knows of no operator.
@frozen
@usableFromInline
struct FanInRule {
  /// What the consumer gets at a time.
  @usableFromInline
  @frozen
  enum Delivery: Sendable {
    /// An element of any input, in the order in which they arrive.
    case any
    /// An element of each input, together.
    case all
  }

  /// Whose end is the end of all.
  @usableFromInline
  @frozen
  enum End: Sendable {
    case any
    case all
    case first
    case last
  }

  /// Which inputs end all when they end without an element.
  @usableFromInline
  @frozen
  enum Requirement: Sendable {
    case none
    case first
    case each
  }

  /// Which inner inputs there are. If there may be some, the first input starts them, and delivers nothing itself.
  @usableFromInline
  @frozen
  enum Inner: Sendable {
    case none
    /// As many at a time as the limit says.
    case several
    /// One. A new element of the first input ends it.
    case latest
    /// One. A new element of the first input is dropped until it has ended.
    case first
  }

  @usableFromInline let delivers: Delivery
  @usableFromInline let end: End
  @usableFromInline let requires: Requirement
  @usableFromInline let inner: Inner
  /// Whether an input's next element is requested when its last one is taken, so that the input goes on while the
  /// consumer is busy. Otherwise, it is requested when the consumer waits.
  @usableFromInline let requestsAhead: Bool
  /// Whether the first input that answers ends the others. If it has an element, those that follow it are delivered, too.
  @usableFromInline let isRace: Bool

  @inlinable
  init(
    delivers: Delivery = .any, end: End, requires: Requirement = .none, inner: Inner = .none,
    requestsAhead: Bool = false, isRace: Bool = false
  ) {
    self.delivers = delivers
    self.end = end
    self.requires = requires
    self.inner = inner
    self.requestsAhead = requestsAhead
    self.isRace = isRace
  }
}
