/// The buffered elements, the demand and the terminal of one subscriber. This is a state machine, without threads.
///
/// The owner guards it with a lock, takes the signals to deliver with the lock, and delivers them after releasing it.
/// An owner with a ``DeliveryCore`` has the demand there, and a ``DeliveryBuffer`` for the rest.
@frozen
@usableFromInline
package struct DeliveryState<Element, Terminal> {
  @usableFromInline package typealias Phase = DeliveryDemand.Phase

  @usableFromInline var demanded: DeliveryDemand
  @usableFromInline var signals = DeliveryBuffer<Element, Terminal>()

  @inlinable
  package init(_ phase: Phase) {
    demanded = DeliveryDemand(phase)
  }

  @inlinable package var phase: Phase {
    get { demanded.phase }
    set { demanded.phase = newValue }
  }

  /// How many elements have been requested and not taken yet; ``PackedDemand/unlimited`` means no limit.
  @inlinable package var demand: UInt { demanded.count }
  @inlinable package var hasDemand: Bool { !demanded.isNone }
  @inlinable package var isUnlimited: Bool { demanded.isUnlimited }
  @inlinable package var isOver: Bool { demanded.isOver }

  @inlinable package var buffer: RingBuffer<Element> { signals.elements }
  @inlinable package var terminal: Terminal? { signals.terminal }
  @inlinable package var terminalNeedsDemand: Bool { signals.terminalNeedsDemand }

  /// Whether elements and a terminal are still accepted.
  @inlinable package var isAccepting: Bool { signals.isAccepting(demanded) }
  /// Whether ``takeNext()`` or ``takeTerminal()`` would return something.
  @inlinable package var isDeliverable: Bool { signals.isDeliverable(demanded) }

  // MARK: Events

  @inlinable
  package mutating func requested(_ more: UInt) {
    demanded.add(more)
  }

  /// Takes back what has been requested, which the owner has found out not to deliver.
  package mutating func withdraw(_ amount: UInt) {
    demanded.withdraw(amount)
  }

  /// Takes one from the demand for an element that the caller delivers without buffering it.
  ///
  /// - Returns: Whether the caller may deliver it: there is demand, and nothing else is to be delivered first.
  @inlinable
  package mutating func takeDemandForImmediateDelivery() -> Bool {
    guard demanded.allowsElement, signals.isEmpty else { return false }
    demanded.spend()
    return true
  }

  /// Buffers an element. Ignores it after a terminal or a cancellation.
  @inlinable
  package mutating func append(_ element: Element) {
    signals.append(element, demanded)
  }

  /// Stores the terminal.
  ///
  /// - Parameter needsDemand: Whether the terminal is delivered only if there is demand.
  /// - Returns: Whether it was accepted: there was neither a terminal nor a cancellation before.
  @inlinable
  package mutating func ended(with terminal: Terminal, needsDemand: Bool = false) -> Bool {
    signals.end(with: terminal, needsDemand: needsDemand, demanded)
  }

  // MARK: Deliveries

  /// Takes the next element, if it has been requested.
  @inlinable
  package mutating func takeNext() -> Element? { signals.takeNext(&demanded) }

  /// Takes the terminal, if no element is buffered before it, and if there is demand where the terminal needs it.
  @inlinable
  package mutating func takeTerminal() -> Terminal? { signals.takeTerminal(&demanded) }

  @inlinable
  package mutating func takeOldest() -> Element? { signals.takeOldest() }

  @inlinable
  package mutating func takeNewest() -> Element? { signals.takeNewest() }

  /// How many of the buffered elements have not been requested.
  @inlinable
  package var unrequestedCount: Int { demanded.unrequested(of: signals.elements.count) }

  /// Takes out the newest elements, which the caller releases outside the lock.
  package mutating func takeNewest(_ count: Int) -> [Element] { signals.takeNewest(count) }

  /// Ends the delivery.
  ///
  /// - Returns: The buffered elements and the terminal, which the caller releases outside the lock.
  @inlinable
  package mutating func cancelled() -> (RingBuffer<Element>, Terminal?) {
    demanded.phase = .over
    return signals.takeAll()
  }
}
