/// The rules for the names that NATS gives subjects.
enum SubjectName {
  /// Throws where a text is no subject.
  ///
  /// - Parameter wildcards: Whether `*` and `>` may stand for parts.
  static func check(_ subject: String, wildcards: Bool, while operation: String) throws(NATSError) {
    let parts = subject.split(separator: ".", omittingEmptySubsequences: false)
    let valid = parts.enumerated().allSatisfy { index, part in
      if part.isEmpty || part.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) { return false }
      return switch part {
      case "*": wildcards
      case ">": wildcards && index == parts.count - 1
      default: true
      }
    }
    if !valid {
      let expected = wildcards ? "parts between dots, of which some may be * or the last >" : "parts between dots"
      throw NATSError(
        kind: .misuse, operation: operation,
        message: "a subject such as “orders.new” was expected, with \(expected), not “\(subject)”")
    }
  }

  /// Throws where a text cannot name a stream, a consumer or a bucket.
  static func checkPart(_ name: String, of kind: String, while operation: String) throws(NATSError) {
    if name.isEmpty || name.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f || ".*>/\\".utf8.contains($0) }) {
      throw NATSError(
        kind: .misuse, operation: operation,
        message: "a name of a \(kind) without spaces, dots, slashes, * and > was expected, not “\(name)”")
    }
  }
}
