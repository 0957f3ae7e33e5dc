/// The buffered elements, the demand and the terminal of one subscriber. This is a state machine, without threads.
///
/// The owner guards it with a lock, takes the signals to deliver with the lock, and delivers them after releasing it.
/// Elements are delivered in order and never more than requested. The terminal follows them and usually needs no
/// demand.
@frozen
@usableFromInline
package struct DeliveryState<Element, Terminal> {
  @frozen
  @usableFromInline
  package enum Phase {
    /// The subscriber has not received its subscription yet: everything is buffered.
    case awaitingSubscription
    case open
    /// Cancelled, or the terminal has been taken.
    case over
  }

  @usableFromInline package var phase: Phase
  /// How many elements have been requested and not taken yet; ``PackedDemand/unlimited`` means no limit.
  @usableFromInline package private(set) var demand: UInt = 0
  @usableFromInline package private(set) var buffer = RingBuffer<Element>()
  @usableFromInline package private(set) var terminal: Terminal?
  /// Whether the terminal is delivered only if there is demand.
  @usableFromInline package private(set) var terminalNeedsDemand = false

  @inlinable
  package init(_ phase: Phase) {
    self.phase = phase
  }

  @inlinable package var isOver: Bool { phase == .over }
  @inlinable package var hasDemand: Bool { demand != 0 }
  @inlinable package var isUnlimited: Bool { demand >= PackedDemand.unlimited }

  /// Whether elements and a terminal are still accepted.
  @inlinable package var isAccepting: Bool { phase != .over && terminal == nil }

  /// Whether ``takeNext()`` or ``takeTerminal()`` would return something.
  @inlinable package var isDeliverable: Bool {
    phase == .open && (buffer.isEmpty ? terminal != nil && (demand != 0 || !terminalNeedsDemand) : demand != 0)
  }

  // MARK: Events

  @inlinable
  package mutating func requested(_ more: UInt) {
    demand = PackedDemand.sum(demand, more)
  }

  /// Takes one from the demand for an element that the caller delivers without buffering it.
  ///
  /// - Returns: Whether the caller may deliver it: there is demand, and nothing else is to be delivered first.
  @inlinable
  package mutating func takeDemandForImmediateDelivery() -> Bool {
    guard demand != 0, phase == .open, buffer.isEmpty, terminal == nil else { return false }
    if demand < PackedDemand.unlimited { demand &-= 1 }
    return true
  }

  /// Buffers an element. Ignores it after a terminal or a cancellation.
  @inlinable
  package mutating func append(_ element: Element) {
    if isAccepting { buffer.append(element) }
  }

  /// Buffers an element before those that it precedes. Ignores it after a terminal or a cancellation.
  @inlinable
  package mutating func insert(_ element: Element, before precedes: (Element, Element) -> Bool) {
    if isAccepting { buffer.insert(element, before: precedes) }
  }

  /// Stores the terminal.
  ///
  /// - Parameter needsDemand: Whether the terminal is delivered only if there is demand.
  /// - Returns: Whether it was accepted: there was neither a terminal nor a cancellation before.
  @inlinable
  package mutating func ended(with terminal: Terminal, needsDemand: Bool = false) -> Bool {
    guard isAccepting else { return false }
    self.terminal = terminal
    terminalNeedsDemand = needsDemand
    return true
  }

  // MARK: Deliveries

  /// Takes the next element, if it has been requested.
  @inlinable
  package mutating func takeNext() -> Element? {
    guard demand != 0, phase == .open, let element = buffer.popFirst() else { return nil }
    if demand < PackedDemand.unlimited { demand &-= 1 }
    return element
  }

  /// Takes the terminal, if no element is buffered before it, and if there is demand where the terminal needs it.
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

  /// How many of the buffered elements have not been requested.
  @inlinable
  package var unrequestedCount: Int {
    isUnlimited ? 0 : Swift.max(0, buffer.count - Int(demand))
  }

  /// Takes out the newest elements, which the caller releases outside the lock.
  package mutating func takeNewest(_ count: Int) -> [Element] {
    (0..<Swift.min(count, buffer.count)).compactMap { _ in buffer.popLast() }
  }

  /// Ends the delivery.
  ///
  /// - Returns: The buffered elements and the terminal, which the caller releases outside the lock.
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
