import Foundation

/// A revision of a key.
struct BucketEntry: Sendable, Equatable {
  var key: String
  var revision: UInt64
  /// `nil` where the key has been deleted.
  var bytes: Data?
}

/// What is known of a key: its last revision, zero if it has none, and the value of that revision, `nil` if it has been
/// deleted.
struct KnownValue<Value: Sendable>: Sendable {
  var revision: UInt64 = 0
  var value: Value?
}

/// The rules for the names of keys.
enum KeyName {
  /// How many bytes a key may have: its subject contains the bucket's name as well.
  static let maxLength = 3_200

  /// Throws where a text is no key.
  static func check(_ key: String, while operation: String) throws(NATSError) {
    let parts = key.split(separator: ".", omittingEmptySubsequences: false)
    if parts.contains(where: { $0.isEmpty || !$0.utf8.allSatisfy(isPermitted) }) {
      throw NATSError(
        kind: .misuse, operation: operation,
        message: "a key such as “prices.apple” of letters, digits, dots and -/_= was expected, not “\(key)”")
    }
    try SubjectName.checkLength(key.utf8.count, of: "a key", maxLength, while: operation)
  }

  /// Throws where a text is no name of a bucket.
  static func checkBucket(_ name: String, while operation: String) throws(NATSError) {
    if name.isEmpty || !name.utf8.allSatisfy({ isPermitted($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") })
    {
      throw NATSError(
        kind: .misuse, operation: operation,
        message: "a name of a bucket of letters, digits, - and _ was expected, not “\(name)”")
    }
    let maxLength = SubjectName.maxPartLength - "KV_".utf8.count
    try SubjectName.checkLength(name.utf8.count, of: "a name of a bucket", maxLength, while: operation)
  }

  private static func isPermitted(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-/_=".utf8.contains(byte)
    }
  }
}
