/// The tokens of SQL, without white space and comments, as far as keywords and names are to be found in it.
struct SQLTokens: Sequence, IteratorProtocol {
  enum Token: Equatable {
    /// A keyword, or a name or number without quotes, in lower case as far as its letters are ASCII.
    case word(String)
    /// What is in quotes of any kind, without them.
    case quoted(String)
    /// A parameter with a name or a number.
    case parameter
    /// Any other character.
    case other(UInt8)
  }

  private let bytes: [UInt8]
  private var position = 0

  init(_ sql: String) { bytes = Array(sql.utf8) }

  mutating func next() -> Token? {
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      // SQLite takes a vertical tab after other white space, and a byte order mark where a token would begin.
      case 0x09...0x0D, 0x20: position += 1
      case 0xEF where bytes[position...].starts(with: [0xEF, 0xBB, 0xBF]): position += 3
      case 0x2D where starts(with: 0x2D, 0x2D): skip { $0 == 0x0A }
      case 0x2F where starts(with: 0x2F, 0x2A): skipComment()
      case 0x27, 0x22, 0x60: return .quoted(quoted(until: byte))
      case 0x5B: return .quoted(quoted(until: 0x5D))
      case 0x3A, 0x40, 0x23, 0x24, 0x3F:
        position += 1
        skip { !Self.isPartOfName($0) }
        return .parameter
      default:
        guard Self.isPartOfName(byte) else {
          position += 1
          return .other(byte)
        }
        let start = position
        skip { !Self.isPartOfName($0) }
        return .word(String(decoding: bytes[start..<position].map(Self.lowercased), as: UTF8.self))
      }
    }
    return nil
  }

  private func starts(with first: UInt8, _ second: UInt8) -> Bool {
    position + 1 < bytes.count && bytes[position] == first && bytes[position + 1] == second
  }

  private mutating func skip(until isEnd: (UInt8) -> Bool) {
    position = bytes[position...].firstIndex(where: isEnd) ?? bytes.count
  }

  private mutating func skipComment() {
    position += 2
    while position < bytes.count, !starts(with: 0x2A, 0x2F) { position += 1 }
    position = Swift.min(position + 2, bytes.count)
  }

  /// A quote that is in the text is there twice.
  private mutating func quoted(until quote: UInt8) -> String {
    var text: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == quote {
        guard quote != 0x5D, position < bytes.count, bytes[position] == quote else { break }
        position += 1
      }
      text.append(byte)
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x24, 0x80...0xFF: true
    default: false
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

extension String {
  /// Whether SQL has a keyword, whatever the case of its letters; not one that is a part of a name, of a text or of a
  /// comment.
  func hasKeyword(_ keyword: StaticString) -> Bool {
    // Hardly any text has it, which is found out without taking it apart.
    mentions(keyword) && SQLTokens(self).contains(.word("\(keyword)"))
  }

  /// Whether a statement or a constraint replaces rows: `OR REPLACE`, `ON CONFLICT REPLACE`.
  var replacesRows: Bool {
    guard mentions("replace") else { return false }
    var before: SQLTokens.Token?
    for token in SQLTokens(self) {
      if token == .word("replace"), before == .word("or") || before == .word("conflict") { return true }
      before = token
    }
    return false
  }

  /// Whether a word occurs in the text, whatever the case of its letters, also as a part of another word or of a
  /// comment.
  private func mentions(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    let pattern = UnsafeBufferPointer(start: word.utf8Start, count: count)
    var text = self
    return text.withUTF8 { bytes in
      var matched = 0
      var start = 0
      while start + count <= bytes.count {
        while matched < count, bytes[start + matched] | 0x20 == pattern[matched] { matched += 1 }
        if matched == count { return true }
        matched = 0
        start += 1
      }
      return false
    }
  }
}
