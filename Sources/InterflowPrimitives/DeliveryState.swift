/// What there is to deliver to one subscriber, and what it has requested: the decisions of a serial delivery, without
/// its threads.
///
/// Whoever uses it guards it with a lock, takes a decision under that, and acts afterwards. Elements are delivered in
/// their order and never more than requested; the terminal after them, most often without demand.
@frozen
@usableFromInline
package struct DeliveryState<Element, Terminal> {
  @frozen
  @usableFromInline
  package enum Phase {
    /// The subscriber does not have its subscription yet: everything is buffered.
    case awaitingSubscription
    case open
    /// Cancelled, or the terminal has been taken.
    case over
  }

  @usableFromInline package var phase: Phase
  /// What has been requested and not taken; ``PackedDemand/unlimited`` stands for no limit.
  @usableFromInline package private(set) var demand: UInt = 0
  @usableFromInline package private(set) var buffer = RingBuffer<Element>()
  @usableFromInline package private(set) var terminal: Terminal?
  /// Whether the terminal is delivered only where there is demand left.
  @usableFromInline package private(set) var terminalNeedsDemand = false

  @inlinable
  package init(_ phase: Phase) {
    self.phase = phase
  }

  @inlinable package var isOver: Bool { phase == .over }
  @inlinable package var hasDemand: Bool { demand != 0 }
  @inlinable package var isUnlimited: Bool { demand >= PackedDemand.unlimited }

  /// Whether elements are still taken in.
  @inlinable package var isAccepting: Bool { phase != .over && terminal == nil }

  /// Whether ``takeNext()`` or ``takeTerminal()`` has something.
  @inlinable package var isDeliverable: Bool {
    phase == .open && (buffer.isEmpty ? terminal != nil && (demand != 0 || !terminalNeedsDemand) : demand != 0)
  }

  // MARK: What has happened

  @inlinable
  package mutating func requested(_ more: UInt) {
    demand = PackedDemand.sum(demand, more)
  }

  /// Takes one from the demand for an element that is delivered at once.
  ///
  /// - Returns: Whether it may be: there is demand, and nothing goes before it.
  @inlinable
  package mutating func takeDemandForImmediateDelivery() -> Bool {
    guard demand != 0, phase == .open, buffer.isEmpty, terminal == nil else { return false }
    if demand < PackedDemand.unlimited { demand &-= 1 }
    return true
  }

  /// Buffers an element, unless the end has come.
  @inlinable
  package mutating func append(_ element: Element) {
    if isAccepting { buffer.append(element) }
  }

  /// Buffers an element before those that it precedes, unless the end has come.
  @inlinable
  package mutating func insert(_ element: Element, before precedes: (Element, Element) -> Bool) {
    if isAccepting { buffer.insert(element, before: precedes) }
  }

  /// - Returns: Whether this is the first end.
  @inlinable
  package mutating func ended(with terminal: Terminal, needsDemand: Bool = false) -> Bool {
    guard isAccepting else { return false }
    self.terminal = terminal
    terminalNeedsDemand = needsDemand
    return true
  }

  // MARK: What to do

  /// The next element, if it has been requested.
  @inlinable
  package mutating func takeNext() -> Element? {
    guard demand != 0, phase == .open, let element = buffer.popFirst() else { return nil }
    if demand < PackedDemand.unlimited { demand &-= 1 }
    return element
  }

  /// The terminal, when no element is before it, and demand where it needs that.
  @inlinable
  package mutating func takeTerminal() -> Terminal? {
    guard phase == .open, buffer.isEmpty, demand != 0 || !terminalNeedsDemand, let terminal else { return nil }
    phase = .over
    self.terminal = nil
    return terminal
  }

  @inlinable
  package mutating func takeOldest() -> Element? { buffer.popFirst() }

  @inlinable
  package mutating func takeNewest() -> Element? { buffer.popLast() }

  /// How many buffered elements nobody has requested.
  @inlinable
  package var unrequestedCount: Int {
    isUnlimited ? 0 : Swift.max(0, buffer.count - Int(demand))
  }

  /// Takes out the newest elements, for the caller to release.
  package mutating func takeNewest(_ count: Int) -> [Element] {
    (0..<Swift.min(count, buffer.count)).compactMap { _ in buffer.popLast() }
  }

  /// Ends the delivery.
  ///
  /// - Returns: What is not delivered any more, for the caller to release.
  @inlinable
  package mutating func cancelled() -> (RingBuffer<Element>, Terminal?) {
    phase = .over
    let dropped = buffer
    let terminal = terminal
    buffer = RingBuffer()
    self.terminal = nil
    return (dropped, terminal)
  }
}
