extension SQL: ExpressibleByStringInterpolation {
  /// Makes SQL of a literal without interpolated values.
  public init(stringLiteral text: String) {
    self.init(verbatim: text)
  }

  /// Makes SQL of a literal with interpolated values.
  public init(stringInterpolation interpolation: Interpolation) {
    let values = interpolation.values
    var problem = interpolation.problem
    if problem == nil, !values.isEmpty, interpolation.scanner.hasParameter {
      problem = "values are interpolated beside parameters such as ? or :name: interpolate all of them"
    }
    self.init(text: interpolation.text, values: values, problem: problem)
  }

  /// Collects the parts of a literal.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    fileprivate var values: [DatabaseArgument] = []
    fileprivate var problem: String?
    fileprivate var scanner = SQLScanner()

    /// Makes an empty one.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount)
    }

    /// Adds text.
    public mutating func appendLiteral(_ literal: String) {
      scanner.scan(literal)
      text += literal
    }

    /// Binds a value, or `NULL`.
    public mutating func appendInterpolation(_ value: (some DatabaseConvertible)?) {
      requireCode()
      text += "?"
      bind(value)
    }

    /// Binds several values, separated by commas.
    @_disfavoredOverload
    public mutating func appendInterpolation<Values: Sequence>(_ values: Values)
    where Values.Element: DatabaseConvertible {
      requireCode()
      var isFirst = true
      for value in values {
        text += isFirst ? "?" : ", ?"
        isFirst = false
        bind(value)
      }
    }

    /// Binds a value, or `NULL`, in formats of its own.
    ///
    /// ```swift
    /// let formats = DatabaseFormats(uuid: .blob)
    /// let title = try db.fetchOne(String.self, sql: "SELECT title FROM document WHERE id = \(id, formats: formats)")
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - formats: How it is stored; `nil` for the formats of the database.
    public mutating func appendInterpolation(_ value: (some DatabaseConvertible)?, formats: DatabaseFormats?) {
      requireCode()
      text += "?"
      bind(value)
      guard let formats, let argument = values.last else { return }
      do throws(DatabaseError) {
        values[values.count - 1] = .value(try argument.value(formats))
      } catch {
        problem = error.message
      }
    }

    /// Binds bytes, as one value.
    public mutating func appendInterpolation(_ bytes: ArraySlice<UInt8>) {
      appendInterpolation([UInt8](bytes))
    }

    /// Adds a name in quotes.
    public mutating func appendInterpolation(_ identifier: SQLIdentifier) {
      requireCode()
      text += identifier.name.quotedAsIdentifier
    }

    /// Adds a part of a statement, with its values.
    public mutating func appendInterpolation(_ sql: SQL) {
      requireCode()
      text += sql.text
      values += sql.values
      if let problem = sql.problem { self.problem = problem }
      // Otherwise its parameters are those of its values.
      scanner.scan(part: sql.text, hasValues: !sql.values.isEmpty)
      if problem == nil, !scanner.isCode {
        problem = "a part that is interpolated ends inside quotes or a comment: what follows would be in there too"
      }
    }

    private mutating func bind(_ value: (any DatabaseConvertible)?) {
      values.append(DatabaseArgument(value))
    }

    private mutating func requireCode() {
      defer { scanner.interpolate() }
      guard !scanner.isCode else { return }
      problem = "something is interpolated inside quotes or a comment: leave the quotes out, and concatenate with ||"
    }
  }
}

/// Finds out whether text of SQL is in quotes or a comment at its end, and whether it has parameters.
struct SQLScanner {
  private enum State: Equatable {
    case code
    /// Until this character, of which two are one.
    case quoted(UInt8)
    case lineComment
    case blockComment
  }

  private var state = State.code
  private var last: UInt8 = 0
  fileprivate(set) var hasParameter = false

  /// Whether what follows is neither in quotes nor in a comment.
  var isCode: Bool { state == .code }

  /// Something that is no part of a comment's mark comes between.
  mutating func interpolate() { last = 0 }

  mutating func scan(_ text: String) {
    for byte in text.utf8 {
      switch state {
      case .code:
        scanCode(byte)
        // So that `/*/` is no whole comment.
        if state == .blockComment {
          last = 0
          continue
        }
      case .quoted(let end):
        if byte == end { state = .code }
      case .lineComment:
        if byte == UInt8(ascii: "\n") { state = .code }
      case .blockComment:
        if last == UInt8(ascii: "*"), byte == UInt8(ascii: "/") {
          state = .code
          last = 0
          continue
        }
      }
      last = byte
    }
  }

  private mutating func scanCode(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): state = .quoted(byte)
    case UInt8(ascii: "["): state = .quoted(UInt8(ascii: "]"))
    case UInt8(ascii: "-") where last == byte: state = .lineComment
    case UInt8(ascii: "*") where last == UInt8(ascii: "/"): state = .blockComment
    case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"): hasParameter = true
    // Elsewhere it is a part of a name.
    case UInt8(ascii: "$") where !Self.isName(last): hasParameter = true
    default: break
    }
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x80...0xFF, UInt8(ascii: "$"): true
    default: false
    }
  }
}

extension SQLScanner {
  /// - Parameter hasValues: Whether its parameters are those of values that are bound to it.
  fileprivate mutating func scan(part: String, hasValues: Bool) {
    let hadParameter = hasParameter
    scan(part)
    if hasValues { hasParameter = hadParameter }
  }
}
