/// How values are stored whose types leave a choice: dates, UUIDs and decimal numbers.
///
/// ``DatabaseOptions/formats`` are those of a database. A type that is ``DatabaseFormatted`` chooses others for some of its
/// columns. Only what is written depends on them, and what a number means that is read as a date: texts, and the other
/// forms of UUIDs and decimal numbers, are read whatever the format is. Inside a value that is stored as JSON they do not
/// apply: there Foundation decides, which writes a date as the seconds since the beginning of 2001.
///
/// ```swift
/// var options = DatabaseOptions()
/// options.formats.date = .text
/// options.formats.uuid = .blob
/// ```
public struct DatabaseFormats: Sendable, Hashable {
  /// How a `Date` is stored.
  ///
  /// | | written as | exact | read by SQLite's functions |
  /// | --- | --- | --- | --- |
  /// | ``secondsSince1970`` | a number | to a microsecond | yes, with `'unixepoch'` |
  /// | ``text`` | `2026-11-25 19:30:41.123456789` | to half a nanosecond | yes |
  /// | ``secondsSinceReferenceDate`` | a number | yes | no |
  ///
  /// Choose ``text`` for a new column: people and other programs can read it, it sorts by time, and a date is read as it
  /// was written. The default is the smallest, but what is read can differ from the date that was written, so that the
  /// two must not be compared with `==`. In each format, a date that has been read from what was written in it is stored
  /// as the same value again; what other programs have written, with more digits, need not be.
  ///
  /// Text is read in every format: in the forms of ISO 8601 such as `2026-11-25T19:30:41Z`, with a space or `T` between
  /// the day and the time, with or without seconds, a fraction of them and an offset, and as a day alone. Without an
  /// offset it is in UTC, as what SQLite's `CURRENT_TIMESTAMP` writes.
  public enum DateFormat: Sendable, Hashable {
    /// The seconds since 1970, as a number. A whole number is read too.
    case secondsSince1970
    /// Text in UTC with nine digits after the point. A number that is read is seconds since 1970.
    ///
    /// It is exact for dates that are more than 98 days from the beginning of 2001, because `Date` has no finer ones there.
    /// A date outside of the years 0000 to 9999 has no text and is refused with an error of the kind
    /// ``DatabaseError/Kind-swift.enum/misuse``.
    case text
    /// The seconds since the beginning of 2001, as a number. This is what `Date` itself holds.
    case secondsSinceReferenceDate
  }

  /// How a `UUID` is stored.
  public enum UUIDFormat: Sendable, Hashable {
    /// Text with 36 characters, its letters in upper case.
    case text
    /// Its 16 bytes.
    case blob
  }

  /// How a `Decimal` is stored.
  public enum DecimalFormat: Sendable, Hashable {
    /// All its digits, as text, which SQL does not order by value. The column must have the type `TEXT` or `BLOB`, or
    /// none: in one with the type `DECIMAL` or `NUMERIC`, SQLite makes a floating-point number of it.
    case text
    /// The nearest floating-point number.
    case real
  }

  /// How a `Date` is stored.
  public var date: DateFormat
  /// How a `UUID` is stored.
  public var uuid: UUIDFormat
  /// How a `Decimal` is stored.
  public var decimal: DecimalFormat

  /// Makes formats.
  public init(
    date: DateFormat = .secondsSince1970, uuid: UUIDFormat = .text, decimal: DecimalFormat = .text
  ) {
    self.date = date
    self.uuid = uuid
    self.decimal = decimal
  }
}

/// A type of rows that chooses the formats of its columns.
///
/// ```swift
/// struct Visit: Codable, DatabaseFormatted {
///   var id: Int
///   var begin: Date
///   var end: Date?
///
///   static func formats(forColumn column: String) -> DatabaseFormats? {
///     column == "begin" || column == "end" ? DatabaseFormats(date: .text) : nil
///   }
/// }
/// ```
///
/// They apply where a value is encoded as arguments and where it is decoded from a row, and to the keys by which a
/// ``DatabaseRecord`` is fetched and deleted. In SQL, a value has them where they are interpolated with it, as in
/// `begin = \(date, formats: Visit.formats(forColumn: "begin"))`.
public protocol DatabaseFormatted {
  /// The formats of a column; `nil` for those of the database.
  ///
  /// - Parameter column: The name of the property's coding key; for a key by which a record is fetched or deleted, that of
  ///   the column in the schema.
  static func formats(forColumn column: String) -> DatabaseFormats?
}
