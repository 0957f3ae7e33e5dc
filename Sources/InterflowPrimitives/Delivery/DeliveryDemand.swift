/// How many elements one subscriber has requested and not received, and whether anything may be delivered to it, in one
/// word, which a ``DeliveryCore`` can store in an atomic.
@frozen
@usableFromInline
package struct DeliveryDemand {
  @frozen
  @usableFromInline
  package enum Phase {
    /// The subscriber has not received its subscription yet: everything is buffered.
    case awaitingSubscription
    case open
    /// Cancelled, or the terminal has been taken.
    case over
  }

  /// The count, as in a ``PackedDemand``, and a flag for each phase but the first.
  @usableFromInline var word: UInt

  @inlinable static var openFlag: UInt { PackedDemand.flag(0) }
  @inlinable static var overFlag: UInt { PackedDemand.flag(1) }

  @inlinable
  init(word: UInt) {
    self.word = word
  }

  @inlinable
  package init(_ phase: Phase) {
    word = Self.flag(phase)
  }

  @inlinable
  static func flag(_ phase: Phase) -> UInt {
    switch phase {
    case .awaitingSubscription: 0
    case .open: openFlag
    case .over: overFlag
    }
  }

  @inlinable package var phase: Phase {
    get { isOpen ? .open : isOver ? .over : .awaitingSubscription }
    set { word = count | Self.flag(newValue) }
  }

  @inlinable package var isOpen: Bool { word & Self.openFlag != 0 }
  @inlinable package var isOver: Bool { word & Self.overFlag != 0 }

  /// How many elements have been requested and not taken yet; ``PackedDemand/unlimited`` means no limit.
  @inlinable package var count: UInt { word & PackedDemand.mask }
  @inlinable package var isNone: Bool { count == 0 }
  @inlinable package var isUnlimited: Bool { word & PackedDemand.unlimited != 0 }

  /// Whether an element may be delivered.
  @inlinable package var allowsElement: Bool { isOpen && !isNone }

  /// Whether elements may be delivered without limit.
  @inlinable package var allowsAllElements: Bool {
    let flags = Self.openFlag | PackedDemand.unlimited
    return word & flags == flags
  }

  @inlinable
  package mutating func add(_ more: UInt) {
    word = word & ~PackedDemand.mask | PackedDemand.sum(count, more)
  }

  /// Takes one from the demand, which is not none.
  @inlinable
  package mutating func spend() {
    if !isUnlimited { word &-= 1 }
  }

  /// Takes back what has been requested: no more than that.
  package mutating func withdraw(_ amount: UInt) {
    if !isUnlimited { word -= Swift.min(amount, count) }
  }

  /// How many of some buffered elements have not been requested.
  @inlinable
  package func unrequested(of buffered: Int) -> Int {
    isUnlimited ? 0 : Swift.max(0, buffered - Int(count))
  }
}
