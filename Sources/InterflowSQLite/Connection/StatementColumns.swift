internal import CSQLite

/// The names of a statement's columns. Like SQLite's own, they are compared without the case of ASCII letters.
///
/// A column of a query whose name ends with a period is a heading, unless it is one of a table, with a type: it begins the
/// names of the columns after it.
struct StatementColumns {
  let names: [String]
  /// The names by which columns are found: with their headings, or without the prefix that all of them have.
  private let keys: [String]
  private let headings: Set<Int>
  /// The columns that have values, of one prefix if there is one.
  let indicesOfValues: [Int]
  /// The columns by their names as they are, and in lower case; of few columns, none, which is faster.
  private let indices: [String: Int]
  private let foldedIndices: [String: Int]
  /// Whether the case of the letters tells two columns apart, so that a name as it is counts first.
  private let dependsOnCase: Bool

  init(_ statement: OpaquePointer) {
    let names = (0..<sqlite3_column_count(statement)).map { index in
      sqlite3_column_name(statement, index).map { String(cString: $0) } ?? ""
    }
    let headings = names.indices.filter {
      names[$0].isHeading && sqlite3_column_decltype(statement, Int32($0)) == nil
    }
    self.init(names: names, headings: Set(headings))
  }

  init(names: [String], headings: Set<Int> = []) {
    self.init(
      names: names, keys: Self.withHeadings(names, headings), headings: headings, indices: Array(names.indices))
  }

  /// - Parameter indices: The columns that count.
  private init(names: [String], keys: [String], headings: Set<Int>, indices columns: [Int]) {
    self.names = names
    self.keys = keys
    self.headings = headings
    indicesOfValues = columns.filter { !headings.contains($0) }
    guard columns.count > 8 else {
      indices = [:]
      foldedIndices = [:]
      dependsOnCase = keys.indices.contains { index in
        keys[..<index].contains { $0 != keys[index] && $0.equalsInASCIICase(keys[index]) }
      }
      return
    }
    // Of two columns with one name, the first counts.
    indices = Dictionary(columns.map { (keys[$0], $0) }) { first, _ in first }
    foldedIndices = Dictionary(columns.map { (keys[$0].asciiLowercased, $0) }) { first, _ in first }
    dependsOnCase = foldedIndices.count < indices.count
  }

  /// The names of the properties that the columns are for.
  var properties: [String] { indicesOfValues.map { keys[$0] } }

  private static func withHeadings(_ names: [String], _ headings: Set<Int>) -> [String] {
    guard !headings.isEmpty else { return names }
    var heading = ""
    return names.enumerated().map { index, name in
      guard headings.contains(index) else { return heading + name }
      heading = name
      return name
    }
  }

  /// The columns whose names begin with a name and a period, without these.
  ///
  /// - Returns: `nil` if there are none.
  func nested(_ name: String) -> StatementColumns? {
    let prefix = name + "."
    let columns = keys.indices.filter { column in
      keys[column].utf8.count > prefix.utf8.count
        && zip(prefix.utf8, keys[column].utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
    guard !columns.isEmpty else { return nil }
    // No property has the name of a column that does not count.
    var nested = [String](repeating: "\0", count: keys.count)
    for column in columns {
      nested[column] = String(decoding: keys[column].utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }
    return StatementColumns(names: names, keys: nested, headings: headings, indices: columns)
  }

  /// The number of a column.
  ///
  /// - Parameter guess: The number that it probably has.
  func index(of name: String, guess: Int) -> Int? {
    if guess < keys.count {
      if keys[guess] == name { return guess }
      if !dependsOnCase, keys[guess].equalsInASCIICase(name) { return guess }
    }
    guard foldedIndices.isEmpty else { return indices[name] ?? foldedIndices[name.asciiLowercased] }
    return keys.firstIndex(of: name) ?? keys.firstIndex { $0.equalsInASCIICase(name) }
  }
}

extension String {
  /// Whether a column of this name can be a heading.
  fileprivate var isHeading: Bool { utf8.last == 0x2E && utf8.count > 1 }

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
