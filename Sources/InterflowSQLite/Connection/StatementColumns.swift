internal import CSQLite

/// The names of a statement's columns. Like SQLite's own, they are compared without the case of ASCII letters.
struct StatementColumns {
  let names: [String]
  /// The columns by their names as they are.
  private let indices: [String: Int]
  /// The columns by their names in lower case.
  private let foldedIndices: [String: Int]
  /// Whether the case of the letters tells two columns apart, so that a name as it is counts first.
  private let dependsOnCase: Bool

  init(_ statement: OpaquePointer) {
    self.init(
      names: (0..<sqlite3_column_count(statement)).map { index in
        sqlite3_column_name(statement, index).map { String(cString: $0) } ?? ""
      })
  }

  init(names: [String]) {
    self.names = names
    // Of two columns with one name, the first counts.
    indices = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    foldedIndices = Dictionary(names.enumerated().map { ($1.asciiLowercased, $0) }) { first, _ in first }
    dependsOnCase = foldedIndices.count < indices.count
  }

  /// The number of a column.
  ///
  /// - Parameter guess: The number that it probably has.
  func index(of name: String, guess: Int) -> Int? {
    if guess < names.count {
      if names[guess] == name { return guess }
      if !dependsOnCase, names[guess].equalsInASCIICase(name) { return guess }
    }
    return indices[name] ?? foldedIndices[name.asciiLowercased]
  }
}

extension String {
  /// The text with its ASCII letters in lower case.
  fileprivate var asciiLowercased: String {
    guard utf8.contains(where: \.isASCIIUppercase) else { return self }
    return String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self)
  }

  /// Whether a text differs in the case of ASCII letters alone.
  fileprivate func equalsInASCIICase(_ other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
  }
}

extension UInt8 {
  fileprivate var isASCIIUppercase: Bool { (0x41...0x5A).contains(self) }
  fileprivate var asciiLowercased: UInt8 { isASCIIUppercase ? self | 0x20 : self }
}
