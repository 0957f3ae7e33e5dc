/// Texts by names that a message has beside its value.
///
/// ```swift
/// var headers: NATSHeaders = ["Currency": "EUR"]
/// headers.add("Frankfurt", to: "Place")
/// headers.add("Madrid", to: "Place")
/// try prices.send(1.5, headers: headers)
/// ```
///
/// A name may have several values, whose order is kept; between names there is none. Upper and lower case make different
/// names.
///
/// What a message cannot contain is refused when it is sent, with ``NATSError/Kind/misuse``:
///
/// - A name is of visible ASCII characters without a colon.
/// - A value has at least one character, no control characters apart from tabs, and no blanks at its ends. So nobody who
///   chooses a value can add headers to a message.
/// - Names that begin with `Nats-`, and the names `Status` and `Description`, in upper or lower case, belong to servers and
///   to the protocol. What they do has parameters of its own, such as the `id` with which a value is stored once. They can be
///   read in messages that arrive.
///
/// The C library reads no headers, or not all, of a message in which another client has sent a header without a value.
///
/// Headers count as bytes of the message, see ``NATSConnection/maxPayload``.
public struct NATSHeaders: Sendable, Hashable {
  private var valuesByName: [String: [String]] = [:]

  /// Makes headers without a name.
  public init() {}

  /// The first value of a name; `nil` where there is none. Setting it replaces all values of the name, and `nil` removes
  /// them.
  public subscript(name: String) -> String? {
    get { valuesByName[name]?.first }
    set { valuesByName[name] = newValue.map { [$0] } }
  }

  /// Whether there is no name.
  public var isEmpty: Bool { valuesByName.isEmpty }

  /// The names, in alphabetical order, each once.
  public var names: [String] { valuesByName.keys.sorted() }

  /// The values of a name, in their order; none where there is no such name.
  public func values(of name: String) -> [String] { valuesByName[name] ?? [] }

  /// Adds a value behind those that the name has.
  public mutating func add(_ value: String, to name: String) {
    valuesByName[name, default: []].append(value)
  }
}

extension NATSHeaders: Sequence {
  /// Each value with its name: the names in alphabetical order, and the values of a name in theirs.
  public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
    names.lazy.flatMap { name in values(of: name).map { (name: name, value: $0) } }.makeIterator()
  }
}

extension NATSHeaders: ExpressibleByDictionaryLiteral {
  /// Makes headers. A name may be there several times.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(value, to: name) }
  }
}

extension NATSHeaders: CustomStringConvertible {
  /// Each name with its value.
  public var description: String { "[\(map { "\($0.name): \($0.value)" }.joined(separator: ", "))]" }
}

extension NATSHeaders {
  /// Throws where a program must not send these headers: other clients would read something else, or a server would do
  /// something.
  func check(while operation: String) throws(NATSError) {
    for (name, value) in self {
      if !Self.isName(name) {
        throw Self.misuse("names of headers of visible ASCII characters without a colon", operation)
      }
      if Self.isReserved(name) {
        throw Self.misuse("a header other than “\(name)”, which is reserved for servers,", operation)
      }
      if !Self.isValue(value) {
        throw Self.misuse(
          "a value of the header “\(name)” with at least one character, and without control characters and blanks at its ends",
          operation)
      }
    }
  }

  /// Without the value, which may be secret.
  private static func misuse(_ expected: String, _ operation: String) -> NATSError {
    NATSError(kind: .misuse, operation: operation, message: "\(expected) was expected")
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: ":") }
  }

  private static func isReserved(_ name: String) -> Bool {
    let lowercase = name.lowercased()
    return lowercase.hasPrefix("nats-") || lowercase == "status" || lowercase == "description"
  }

  /// Whether a value arrives as it is. The library leaves blanks at its ends out, and reads the next header as the value
  /// where that is empty.
  static func isValue(_ value: String) -> Bool {
    let (bytes, tab) = (value.utf8, UInt8(ascii: "\t"))
    func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == tab }
    guard let first = bytes.first, let last = bytes.last, !isBlank(first), !isBlank(last) else { return false }
    return bytes.allSatisfy { $0 == tab || $0 >= 0x20 && $0 != 0x7f }
  }

  /// How many bytes they have in a message.
  var byteCount: Int {
    if isEmpty { return 0 }
    // Each has a colon, a blank and the end of its line; and there are a version and an empty line.
    return reduce("NATS/1.0\r\n\r\n".utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
  }
}
