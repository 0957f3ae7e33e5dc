/// The checksum of POSIX's `cksum`, so that the standard tool can check any row of the report.
///
/// A CRC of 32 bits over the bytes and then over their number, as IEEE 1003.1 specifies for `cksum`.
package struct Checksum: Sendable {
  private var remainder: UInt32 = 0
  private var count: UInt64 = 0

  package init() {}

  /// Adds the next bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count += UInt64(bytes.count)
    remainder = Table.shared.advance(remainder, over: bytes)
  }

  /// The checksum of all bytes so far.
  package var value: UInt32 {
    var rest = count
    var bytes: [UInt8] = []
    while rest > 0 {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
    return ~bytes.withUnsafeBytes { Table.shared.advance(remainder, over: $0) }
  }
}

/// Remainders for eight bytes at a time.
private struct Table: Sendable {
  static let shared = Table()

  /// Eight tables of 256: table `n` holds what a byte contributes when `n` more bytes follow it.
  private let entries: [UInt32]

  private init() {
    var entries = (0..<256).map { byte in
      (0..<8).reduce(UInt32(byte) << 24) { remainder, _ in
        remainder << 1 ^ (remainder >> 31 == 1 ? 0x04C1_1DB7 : 0)
      }
    }
    for index in 256..<2048 {
      let shorter = entries[index - 256]
      entries.append(shorter << 8 ^ entries[Int(shorter >> 24)])
    }
    self.entries = entries
  }

  func advance(_ start: UInt32, over bytes: UnsafeRawBufferPointer) -> UInt32 {
    entries.withUnsafeBufferPointer { table in
      var remainder = start
      var offset = 0
      while bytes.count - offset >= 8 {
        let high = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) ^ remainder
        let low = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
        // Two halves: the compiler takes seconds for eight terms in one expression.
        let first =
          table[1792 + Int(high >> 24)] ^ table[1536 + Int(high >> 16 & 255)]
          ^ table[1280 + Int(high >> 8 & 255)] ^ table[1024 + Int(high & 255)]
        let second =
          table[768 + Int(low >> 24)] ^ table[512 + Int(low >> 16 & 255)]
          ^ table[256 + Int(low >> 8 & 255)] ^ table[Int(low & 255)]
        remainder = first ^ second
        offset += 8
      }
      while offset < bytes.count {
        remainder = remainder << 8 ^ table[Int(remainder >> 24) ^ Int(bytes[offset])]
        offset += 1
      }
      return remainder
    }
  }
}
