#if INTERFLOW_FOUNDATION
  import Foundation
#endif

/// A value for a parameter. How some are stored is known only when the database is, which the arguments of a statement
/// do not depend on.
enum DatabaseArgument: Sendable {
  case value(DatabaseValue)
  #if INTERFLOW_FOUNDATION
    case date(Date)
    case uuid(UUID)
    case decimal(Decimal)
  #endif

  init(_ value: (any DatabaseConvertible)?) {
    guard let value else {
      self = .value(.null)
      return
    }
    #if INTERFLOW_FOUNDATION
      // Comparing types costs a fraction of casts that fail.
      let type: any Any.Type = Swift.type(of: value)
      if type == Date.self, let date = value as? Date {
        self = .date(date)
        return
      }
      if type == UUID.self, let uuid = value as? UUID {
        self = .uuid(uuid)
        return
      }
      if type == Decimal.self, let decimal = value as? Decimal {
        self = .decimal(decimal)
        return
      }
    #endif
    self = .value(value.databaseValue)
  }

  var isNull: Bool {
    if case .value(.null) = self { return true }
    return false
  }

  var dependsOnFormats: Bool {
    if case .value = self { return false }
    return true
  }

  /// What is stored.
  @inline(__always) func value(_ formats: DatabaseFormats) throws(DatabaseError) -> DatabaseValue {
    if case .value(let value) = self { return value }
    return try formatted(formats)
  }

  @inline(never) private func formatted(_ formats: DatabaseFormats) throws(DatabaseError) -> DatabaseValue {
    switch self {
    case .value(let value): value
    #if INTERFLOW_FOUNDATION
      case .date(let date): try date.databaseValue(formats.date)
      case .uuid(let uuid): formats.uuid == .text ? uuid.databaseValue : .blob(uuid.bytes)
      case .decimal(let decimal): try decimal.databaseValue(formats.decimal)
    #endif
    }
  }
}
