/// Makes Unicode scalars of UTF-8 that comes byte by byte.
///
/// Bytes that form no scalar are repaired as `String(decoding:as:)` does: each longest beginning of a scalar that is not
/// continued, and each byte that can begin none, becomes one U+FFFD.
@frozen
@usableFromInline
struct ScalarDecoder {
  /// What a byte has led to.
  @frozen
  @usableFromInline
  enum Step {
    /// The scalar goes on.
    case unfinished
    /// A scalar is complete.
    case scalar(Unicode.Scalar)
    /// The scalar before is broken off: U+FFFD stands for it, and the byte is still to be taken in.
    case brokenOff
  }

  @usableFromInline static var replacement: Unicode.Scalar { "\u{FFFD}" }

  /// How many bytes the scalar still needs, and its bits so far.
  @usableFromInline var missing: UInt8 = 0
  @usableFromInline var bits: UInt32 = 0
  /// What the next byte may be: less than `80...BF` after the lead bytes that allow overlong forms or surrogates.
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
  /// - Returns: What stands for a scalar that they have broken off.
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
      return .brokenOff
    }
    (lowest, highest) = (0x80, 0xBF)
    bits = bits << 6 | UInt32(byte & 0x3F)
    missing -= 1
    guard missing == 0 else { return .unfinished }
    // Never the replacement: the ranges above leave nothing that is no scalar.
    return .scalar(Unicode.Scalar(bits) ?? Self.replacement)
  }
}
