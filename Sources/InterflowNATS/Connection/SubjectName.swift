/// The rules for the names that NATS gives subjects.
///
/// They are checked by bytes, as servers do: a character of Swift's may contain a dot, or a wildcard.
enum SubjectName {
  /// How many bytes a subject may have, with the group of its subscribers.
  ///
  /// A server reads a command with its subjects as one line, of at most 4,096 bytes by default, and closes the connection
  /// for good where it is longer. The rest is for the command, the sizes, and the subject of an answer.
  static let maxLength = 3_500

  /// How many bytes of the subject of an answer the program may choose.
  static let maxPrefixLength = 256

  /// How many bytes the name of a stream, of a consumer or of a bucket's stream may have. Servers make files of them.
  static let maxPartLength = 255

  /// Throws where a text is no subject.
  ///
  /// - Parameters:
  ///   - wildcards: Whether `*` and `>` may stand for parts.
  ///   - maxLength: How many bytes it may have.
  static func check(
    _ subject: String, wildcards: Bool, maxLength: Int = maxLength, while operation: String
  ) throws(NATSError) {
    let parts = subject.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let valid = parts.enumerated().allSatisfy { index, part in
      if part.isEmpty || part.contains(where: isBlankOrControl) { return false }
      if part.count > 1 { return true }
      return switch part.first {
      case UInt8(ascii: "*"): wildcards
      case UInt8(ascii: ">"): wildcards && index == parts.count - 1
      default: true
      }
    }
    if !valid {
      let expected = wildcards ? "parts between dots, of which some may be * or the last >" : "parts between dots"
      throw NATSError(
        kind: .misuse, operation: operation,
        message: "a subject such as “orders.new” was expected, with \(expected), not “\(subject)”")
    }
    try checkLength(subject.utf8.count, of: "a subject", maxLength, while: operation)
  }

  /// Throws where a text cannot name a stream, a consumer or a bucket.
  ///
  /// - Parameter maxLength: How many bytes it may have.
  static func checkPart(
    _ name: String, of kind: String, maxLength: Int = maxPartLength, while operation: String
  ) throws(NATSError) {
    if name.isEmpty || name.utf8.contains(where: { isBlankOrControl($0) || ".*>/\\".utf8.contains($0) }) {
      throw NATSError(
        kind: .misuse, operation: operation,
        message: "a name of a \(kind) without spaces, dots, slashes, * and > was expected, not “\(name)”")
    }
    try checkLength(name.utf8.count, of: "a name of a \(kind)", maxLength, while: operation)
  }

  static func checkLength(_ length: Int, of text: String, _ maxLength: Int, while operation: String) throws(NATSError) {
    if length > maxLength {
      throw NATSError(
        kind: .misuse, operation: operation,
        message: "\(text) of at most \(maxLength) bytes was expected, not one of \(length)")
    }
  }

  static func isBlankOrControl(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7f }
}

/// The rules for the identifiers of values.
enum ValueIdentifier {
  /// Throws where a server, or the library, would take a text for another one, so that the value that came later would
  /// count as a duplicate: what follows a zero byte is not sent, and outer blanks are left out.
  static func check(_ id: String, while operation: String) throws(NATSError) {
    let (bytes, blank) = (id.utf8, UInt8(ascii: " "))
    if bytes.isEmpty || bytes.first == blank || bytes.last == blank
      || bytes.contains(where: { $0 < blank || $0 == 0x7f })
    {
      // Without the text, which may be a part of the value.
      throw NATSError(
        kind: .misuse, operation: operation,
        message: "an identifier without control characters and without blanks at its ends was expected")
    }
  }
}
