/// Decodes UTF-8 byte by byte into Unicode scalars.
///
/// Invalid bytes are repaired as by `String(decoding:as:)`: an incomplete scalar, and each byte that cannot begin one,
/// is replaced by one U+FFFD.
@frozen
@usableFromInline
struct ScalarDecoder {
  /// The result of a byte.
  @frozen
  @usableFromInline
  enum Step {
    /// The scalar is not complete yet.
    case unfinished
    /// A scalar is complete.
    case scalar(Unicode.Scalar)
    /// The byte does not continue the scalar before, which is replaced by U+FFFD. The byte has to be decoded again.
    case invalid
  }

  @usableFromInline static var replacement: Unicode.Scalar { "\u{FFFD}" }

  /// How many bytes of the scalar are missing, and its bits so far.
  @usableFromInline var missing: UInt8 = 0
  @usableFromInline var bits: UInt32 = 0
  /// The range of the next byte: smaller than `80...BF` after lead bytes that could begin overlong forms or surrogates.
  @usableFromInline var lowest: UInt8 = 0x80
  @usableFromInline var highest: UInt8 = 0xBF

  @inlinable
  init() {}

  @inlinable
  mutating func received(_ byte: UInt8) -> Step {
    if missing == 0 {
      if byte < 0x80 { return .scalar(Unicode.Scalar(byte)) }
      return begin(byte)
    }
    return proceed(byte)
  }

  /// The bytes have ended.
  ///
  /// - Returns: The replacement of an incomplete scalar.
  @inlinable
  mutating func end() -> Unicode.Scalar? {
    guard missing > 0 else { return nil }
    missing = 0
    return Self.replacement
  }

  @usableFromInline
  mutating func begin(_ byte: UInt8) -> Step {
    (lowest, highest) = (0x80, 0xBF)
    switch byte {
    case 0xC2...0xDF:
      missing = 1
      bits = UInt32(byte & 0x1F)
    case 0xE0...0xEF:
      missing = 2
      bits = UInt32(byte & 0x0F)
      if byte == 0xE0 { lowest = 0xA0 }
      if byte == 0xED { highest = 0x9F }
    case 0xF0...0xF4:
      missing = 3
      bits = UInt32(byte & 0x07)
      if byte == 0xF0 { lowest = 0x90 }
      if byte == 0xF4 { highest = 0x8F }
    default:
      return .scalar(Self.replacement)
    }
    return .unfinished
  }

  @usableFromInline
  mutating func proceed(_ byte: UInt8) -> Step {
    guard lowest <= byte, byte <= highest else {
      missing = 0
      return .invalid
    }
    (lowest, highest) = (0x80, 0xBF)
    bits = bits << 6 | UInt32(byte & 0x3F)
    missing -= 1
    guard missing == 0 else { return .unfinished }
    // Never `nil`: the ranges above allow only valid scalars.
    return .scalar(Unicode.Scalar(bits) ?? Self.replacement)
  }
}
