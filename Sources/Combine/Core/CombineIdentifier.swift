import Synchronization

/// Identifies a subscription or a subscriber.
public struct CombineIdentifier: Hashable, Sendable, CustomStringConvertible {
  private static let next = Atomic<UInt>(1)

  private let rawValue: UInt

  /// Makes an identifier that no other has.
  public init() {
    rawValue = Self.next.wrappingAdd(1, ordering: .relaxed).oldValue
  }

  /// Makes the identifier of an object, which is always the same for the same object.
  public init(_ object: AnyObject) {
    rawValue = UInt(bitPattern: ObjectIdentifier(object))
  }

  /// The identifier as a hexadecimal number.
  public var description: String { "0x" + String(rawValue, radix: 16) }
}

/// A type whose instances can be identified: for structures, which have no object identity.
public protocol CustomCombineIdentifierConvertible {
  /// Identifies this instance.
  var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
  /// The object's own identity.
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}
