/// Finds the ends of lines in memory, eight bytes at a time.
///
/// Lines end at LF, VT, FF, CR, U+0085 (`C2 85`), U+2028 (`E2 80 A8`) and U+2029 (`E2 80 A9`). `C2` and `E2` always
/// begin a scalar, so the bytes of a separator are a separator in invalid text, too.
enum LineScan {
  /// What begins at a byte that may end a line.
  enum Separator {
    /// No separator.
    case none
    /// A separator of this many bytes.
    case bytes(Int)
    /// The beginning of a possible separator; the bytes that follow decide.
    case incomplete
  }

  static let nextLine: UInt8 = 0xC2
  static let generalPunctuation: UInt8 = 0xE2

  /// The first byte that ends a line or may begin a separator; `end` if there is none.
  static func candidate(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
    var cursor = start
    while end - cursor >= 8 {
      let word = UInt64(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self))
      let hits = candidates(in: word)
      if hits != 0 { return cursor + hits.trailingZeroBitCount / 8 }
      cursor += 8
    }
    while cursor != end, !isCandidate(cursor.pointee) { cursor += 1 }
    return cursor
  }

  /// What begins at a candidate.
  static func separator(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Separator {
    switch start.pointee {
    case nextLine:
      guard end - start > 1 else { return .incomplete }
      return start[1] == 0x85 ? .bytes(2) : .none
    case generalPunctuation:
      guard end - start > 1 else { return .incomplete }
      guard start[1] == 0x80 else { return .none }
      guard end - start > 2 else { return .incomplete }
      return start[2] == 0xA8 || start[2] == 0xA9 ? .bytes(3) : .none
    default:
      return .bytes(1)
    }
  }

  private static func isCandidate(_ byte: UInt8) -> Bool {
    0x0A...0x0D ~= byte || byte & 0xDF == 0xC2
  }

  /// The highest bit of each byte that is a candidate. Only the lowest set bit is certain; higher ones may be wrong.
  private static func candidates(in word: UInt64) -> UInt64 {
    let low = word & 0x7F7F_7F7F_7F7F_7F7F
    // 0A to 0D: below 0E and above 09; no carry crosses from one byte to the next.
    let controls = (0x8D8D_8D8D_8D8D_8D8D &- low) & ~word & (low &+ 0x7676_7676_7676_7676)
    // C2 and E2 differ in one bit: masked, both give zero.
    let masked = (word & 0xDFDF_DFDF_DFDF_DFDF) ^ 0xC2C2_C2C2_C2C2_C2C2
    let leads = (masked &- 0x0101_0101_0101_0101) & ~masked
    return (controls | leads) & 0x8080_8080_8080_8080
  }
}
