import Synchronization

/// Tells one subscription or subscriber from another.
public struct CombineIdentifier: Hashable, Sendable, CustomStringConvertible {
  private static let next = Atomic<UInt>(1)

  private let rawValue: UInt

  /// Makes an identifier that no other has.
  public init() {
    rawValue = Self.next.wrappingAdd(1, ordering: .relaxed).oldValue
  }

  /// Makes the identifier of an object, which is the same each time it is asked for.
  public init(_ object: AnyObject) {
    rawValue = UInt(bitPattern: ObjectIdentifier(object))
  }

  /// The identifier as a hexadecimal number.
  public var description: String { "0x" + String(rawValue, radix: 16) }
}

/// Something that can be told from others of its kind; for structures, which have no identity of their own.
public protocol CustomCombineIdentifierConvertible {
  /// Tells this from others.
  var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
  /// The object's own identity.
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}
