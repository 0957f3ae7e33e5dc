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
    /// The seconds since 1970, which SQLite's functions for dates read with `'unixepoch'`. As an argument and as a
    /// property, a date is stored as ``DatabaseFormats/DateFormat`` says.
    public var databaseValue: DatabaseValue { .real(timeIntervalSince1970) }

    /// Makes a date from the seconds since 1970, or from text as ``DatabaseFormats/DateFormat`` describes it.
    public init?(databaseValue: DatabaseValue) {
      self.init(databaseValue, .secondsSince1970)
    }

    /// - Parameter format: What a number means.
    init?(_ value: DatabaseValue, _ format: DatabaseFormats.DateFormat) {
      if case .text(let text) = value {
        guard let seconds = DateText.seconds(text) else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
        return
      }
      guard let seconds = Double(databaseValue: value) else { return nil }
      switch format {
      case .secondsSince1970, .text: self.init(timeIntervalSince1970: seconds)
      case .secondsSinceReferenceDate: self.init(timeIntervalSinceReferenceDate: seconds)
      }
    }

    func databaseValue(_ format: DatabaseFormats.DateFormat) throws(DatabaseError) -> DatabaseValue {
      // SQLite would store NULL.
      guard !timeIntervalSinceReferenceDate.isNaN else { throw .misuse("a date that is no number cannot be stored") }
      switch format {
      case .secondsSince1970: return databaseValue
      case .secondsSinceReferenceDate: return .real(timeIntervalSinceReferenceDate)
      case .text:
        guard let text = DateText.text(timeIntervalSinceReferenceDate) else {
          throw .misuse("a date outside of the years 0000 to 9999 cannot be stored as text")
        }
        return .text(text)
      }
    }
  }

  extension Decimal: DatabaseConvertible {
    /// All digits, as text. As an argument and as a property, it is stored as ``DatabaseFormats/DecimalFormat`` says.
    public var databaseValue: DatabaseValue { .text(description) }

    /// Makes a number from text, from a whole number, or from a floating-point number, of which it gets the digits that
    /// tell it apart from others.
    public init?(databaseValue: DatabaseValue) {
      switch databaseValue {
      case .integer(let number): self.init(number)
      case .real(let number): self.init(digits: number.description)
      case .text(let text): self.init(digits: text)
      case .null, .blob: return nil
      }
    }

    func databaseValue(_ format: DatabaseFormats.DecimalFormat) throws(DatabaseError) -> DatabaseValue {
      guard format == .real else { return databaseValue }
      // SQLite would store NULL.
      guard !isNaN else { throw .misuse("a decimal that is no number cannot be stored as a floating-point number") }
      return .real(NSDecimalNumber(decimal: self).doubleValue)
    }

    private init?(digits text: String) {
      if text == "NaN" {
        self = .nan
        return
      }
      // Foundation takes the number that a text begins with.
      guard text.isDecimalNumber else { return nil }
      self.init(string: text, locale: Locale(identifier: "en_US_POSIX"))
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
    /// The identifier as text. As an argument and as a property, it is stored as ``DatabaseFormats/UUIDFormat`` says.
    public var databaseValue: DatabaseValue { .text(uuidString) }

    /// Makes an identifier from text or from its 16 bytes.
    public init?(databaseValue: DatabaseValue) {
      switch databaseValue {
      case .text(let text): self.init(uuidString: text)
      case .blob(let bytes) where bytes.count == 16:
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
      default: return nil
      }
    }

    var bytes: [UInt8] { withUnsafeBytes(of: uuid) { [UInt8]($0) } }
  }

  extension String {
    /// Whether this is a number with an optional sign, point and exponent, and nothing else.
    fileprivate var isDecimalNumber: Bool {
      var rest = utf8[...]
      func skipDigits() -> Int {
        let before = rest.count
        rest = rest.drop { (0x30...0x39).contains($0) }
        return before - rest.count
      }
      func skip(_ characters: UnicodeScalar...) -> Bool {
        guard let first = rest.first, characters.contains(where: { UInt8(ascii: $0) == first }) else { return false }
        rest.removeFirst()
        return true
      }
      _ = skip("+", "-")
      var digits = skipDigits()
      if skip(".") { digits += skipDigits() }
      guard digits > 0 else { return false }
      if skip("e", "E") {
        _ = skip("+", "-")
        guard skipDigits() > 0 else { return false }
      }
      return rest.isEmpty
    }
  }
#endif
