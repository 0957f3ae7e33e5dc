/// The elements that are buffered for one subscriber, and the terminal that follows them. Its demand is stored apart,
/// since code that does not know the types uses it too.
///
/// Elements are taken in order and never more than requested. The terminal follows them and usually needs no demand.
@frozen
@usableFromInline
package struct DeliveryBuffer<Element, Terminal> {
  @usableFromInline package private(set) var elements = RingBuffer<Element>()
  @usableFromInline package private(set) var terminal: Terminal?
  /// Whether the terminal is delivered only if there is demand.
  @usableFromInline package private(set) var terminalNeedsDemand = false

  @inlinable
  package init() {}

  /// Whether neither an element nor the terminal is to be delivered before a new element.
  @inlinable package var isEmpty: Bool { elements.isEmpty && terminal == nil }

  /// Whether elements and a terminal are still accepted.
  @inlinable
  package func isAccepting(_ demand: DeliveryDemand) -> Bool { !demand.isOver && terminal == nil }

  /// Whether ``takeNext(_:)`` or ``takeTerminal(_:)`` would return something.
  @inlinable
  package func isDeliverable(_ demand: DeliveryDemand) -> Bool {
    demand.isOpen
      && (elements.isEmpty ? terminal != nil && (!demand.isNone || !terminalNeedsDemand) : !demand.isNone)
  }

  // MARK: Events

  /// Buffers an element. Ignores it after a terminal or a cancellation.
  @inlinable
  package mutating func append(_ element: Element, _ demand: DeliveryDemand) {
    if isAccepting(demand) { elements.append(element) }
  }

  /// Buffers an element before those that it precedes. Ignores it after a terminal or a cancellation.
  @inlinable
  package mutating func insert(
    _ element: Element, _ demand: DeliveryDemand, before precedes: (Element, Element) -> Bool
  ) {
    if isAccepting(demand) { elements.insert(element, before: precedes) }
  }

  /// Stores the terminal.
  ///
  /// - Parameter needsDemand: Whether the terminal is delivered only if there is demand.
  /// - Returns: Whether it was accepted: there was neither a terminal nor a cancellation before.
  @inlinable
  package mutating func end(with terminal: Terminal, needsDemand: Bool = false, _ demand: DeliveryDemand) -> Bool {
    guard isAccepting(demand) else { return false }
    self.terminal = terminal
    terminalNeedsDemand = needsDemand
    return true
  }

  // MARK: Deliveries

  /// Takes the next element, if it has been requested.
  @inlinable
  package mutating func takeNext(_ demand: inout DeliveryDemand) -> Element? {
    guard demand.allowsElement, let element = elements.popFirst() else { return nil }
    demand.spend()
    return element
  }

  /// Takes the terminal, if no element is buffered before it, and if there is demand where the terminal needs it.
  @inlinable
  package mutating func takeTerminal(_ demand: inout DeliveryDemand) -> Terminal? {
    guard demand.isOpen, elements.isEmpty, !demand.isNone || !terminalNeedsDemand, let terminal else { return nil }
    demand.phase = .over
    self.terminal = nil
    return terminal
  }

  @inlinable
  package mutating func takeOldest() -> Element? { elements.popFirst() }

  @inlinable
  package mutating func takeNewest() -> Element? { elements.popLast() }

  /// Takes out the newest elements, which the caller releases outside the lock.
  package mutating func takeNewest(_ count: Int) -> [Element] {
    (0..<Swift.min(count, elements.count)).compactMap { _ in elements.popLast() }
  }

  /// Takes out the newest elements that have not been requested, which the caller releases outside the lock.
  package mutating func takeUnrequested(_ demand: DeliveryDemand) -> [Element] {
    takeNewest(demand.unrequested(of: elements.count))
  }

  /// Takes out everything, which the caller releases outside the lock.
  @inlinable
  package mutating func takeAll() -> (RingBuffer<Element>, Terminal?) {
    let (dropped, terminal) = (elements, terminal)
    elements = RingBuffer()
    self.terminal = nil
    return (dropped, terminal)
  }
}
