/// Splits bytes into lines, one by one or in runs.
@usableFromInline
struct LineSplitter {
  /// The last bytes of `pending`, if they may begin a separator.
  private enum Prefix {
    case none
    /// `C2`
    case nextLine
    /// `E2`
    case generalPunctuation
    /// `E2 80`
    case lineSeparator
  }

  private static let keptCapacity = 64 * 1024

  private let keepsEmpty: Bool
  private var pending: [UInt8] = []
  private var prefix = Prefix.none
  /// Whether the last line has ended at a carriage return: a line feed that follows belongs to it.
  private var skipsLineFeed = false

  @usableFromInline
  init(keepsEmpty: Bool) {
    self.keepsEmpty = keepsEmpty
  }

  /// Adds one byte.
  ///
  /// - Returns: The line that it ends, unless empty lines are skipped and it is empty.
  @usableFromInline
  mutating func received(_ byte: UInt8) -> String? {
    if skipsLineFeed {
      skipsLineFeed = false
      if byte == 0x0A { return nil }
    }
    switch (byte, prefix) {
    case (0x0A...0x0C, _):
      return ended(by: 0)
    case (0x0D, _):
      skipsLineFeed = true
      return ended(by: 0)
    case (0x85, .nextLine):
      return ended(by: 1)
    case (0xA8, .lineSeparator), (0xA9, .lineSeparator):
      return ended(by: 2)
    case (LineScan.nextLine, _): prefix = .nextLine
    case (LineScan.generalPunctuation, _): prefix = .generalPunctuation
    case (0x80, .generalPunctuation): prefix = .lineSeparator
    default: prefix = .none
    }
    pending.append(byte)
    return nil
  }

  /// Takes bytes from a buffer until a line ends or the buffer is empty.
  @usableFromInline
  mutating func take(from buffer: ByteBuffer) -> String? {
    guard var cursor = buffer.position, let end = buffer.end else { return nil }
    var line: String?
    while line == nil, cursor != end {
      if skipsLineFeed || prefix != .none {
        line = received(cursor.pointee)
        cursor += 1
      } else {
        line = takeRun(&cursor, end)
      }
    }
    buffer.position = cursor
    return line
  }

  /// Takes the bytes up to the next end of a line. Called only if `pending` does not end with the beginning of a
  /// separator.
  private mutating func takeRun(_ cursor: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> String? {
    let start = cursor
    while true {
      cursor = LineScan.candidate(cursor, end)
      guard cursor != end else {
        pending.append(contentsOf: UnsafeBufferPointer(start: start, count: end - start))
        return nil
      }
      switch LineScan.separator(cursor, end) {
      case .none:
        cursor += 1
      case .incomplete:
        pending.append(contentsOf: UnsafeBufferPointer(start: start, count: cursor - start))
        while cursor != end {
          _ = received(cursor.pointee)
          cursor += 1
        }
        return nil
      case .bytes(let count):
        let text = UnsafeBufferPointer(start: start, count: cursor - start)
        skipsLineFeed = cursor.pointee == 0x0D
        cursor += count
        if pending.isEmpty {
          return text.isEmpty && !keepsEmpty ? nil : String(decoding: text, as: UTF8.self)
        }
        pending.append(contentsOf: text)
        return ended(by: 0)
      }
    }
  }

  /// The bytes have ended.
  ///
  /// - Returns: The last line, if nothing has ended it.
  @usableFromInline
  mutating func end() -> String? {
    pending.isEmpty ? nil : ended(by: 0)
  }

  /// Drops the beginning of a line, which will not be continued.
  @usableFromInline
  mutating func reset() {
    self = LineSplitter(keepsEmpty: keepsEmpty)
  }

  /// - Parameter count: How many of the pending bytes belong to the separator.
  private mutating func ended(by count: Int) -> String? {
    prefix = .none
    let length = pending.count - count
    var line: String?
    if length > 0 || keepsEmpty {
      line = pending.withUnsafeBufferPointer { text in
        String(decoding: UnsafeBufferPointer(rebasing: text[..<length]), as: UTF8.self)
      }
    }
    // Frees the memory that a very long line has needed.
    pending.removeAll(keepingCapacity: pending.capacity <= Self.keptCapacity)
    return line
  }
}
