#if INTERFLOW_FOUNDATION
  public import Foundation

  extension DatabaseError: LocalizedError {
    /// The message, which `localizedDescription` returns.
    public var errorDescription: String? { message }
  }

  extension Data: DatabaseConvertible {
    /// The bytes.
    public var databaseValue: DatabaseValue { .blob([UInt8](self)) }

    /// Makes the bytes.
    public init?(databaseValue: DatabaseValue) {
      guard case .blob(let bytes) = databaseValue else { return nil }
      self.init(bytes)
    }
  }

  extension Date: DatabaseConvertible {
    /// The seconds since 1970, which SQLite's functions for dates read with `'unixepoch'`.
    public var databaseValue: DatabaseValue { .real(timeIntervalSince1970) }

    /// Makes a date from the seconds since 1970.
    public init?(databaseValue: DatabaseValue) {
      guard let seconds = Double(databaseValue: databaseValue) else { return nil }
      self.init(timeIntervalSince1970: seconds)
    }
  }

  extension URL: DatabaseConvertible {
    /// The URL as text.
    public var databaseValue: DatabaseValue { .text(absoluteString) }

    /// Makes a URL from text.
    public init?(databaseValue: DatabaseValue) {
      guard case .text(let text) = databaseValue else { return nil }
      self.init(string: text)
    }
  }

  extension UUID: DatabaseConvertible {
    /// The identifier as text.
    public var databaseValue: DatabaseValue { .text(uuidString) }

    /// Makes an identifier from text.
    public init?(databaseValue: DatabaseValue) {
      guard case .text(let text) = databaseValue else { return nil }
      self.init(uuidString: text)
    }
  }
#endif
