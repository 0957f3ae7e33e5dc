/// What a full-text query looks for, made of any text, such as what a user has typed.
///
/// ```swift
/// if let pattern = FullTextPattern(typed, matching: .allPrefixes) {
///   found = try db.fetchAll(
///     String.self,
///     sql: """
///       SELECT picture.title FROM picture JOIN picture_text ON picture_text.rowid = picture.id
///         WHERE picture_text MATCH \(pattern) ORDER BY rank
///       """)
/// }
/// ```
///
/// Each word is quoted, so that nothing in it means anything to SQLite: no `AND`, `NEAR` or `*`, no quotes, and no names of
/// columns. Words are what is between white space; the tokenizer of the table takes them apart further.
public struct FullTextPattern: Sendable, Hashable {
  /// What a row must contain to be found.
  public enum Matching: Sendable, Hashable {
    /// All words, in any order.
    case allWords
    /// All words, in any order, of which each may be the beginning of a longer one.
    case allPrefixes
    /// One word at least.
    case anyWord
    /// All words, one after the other.
    case phrase
  }

  /// The pattern, as `MATCH` expects it.
  public let text: String

  /// Makes a pattern; `nil` if the text has no letter and no digit, so that there is nothing to look for.
  public init?(_ text: String, matching: Matching = .allWords) {
    // SQLite would read no further than a zero.
    let words = text.split { $0.isWhitespace || $0.unicodeScalars.contains("\0") }
      .filter { $0.unicodeScalars.contains(where: Self.isPartOfWord) }
      .map { $0.quoted("\"") }
    guard !words.isEmpty else { return nil }
    self.text =
      switch matching {
      case .allWords: words.joined(separator: " AND ")
      case .allPrefixes: words.map { $0 + " *" }.joined(separator: " AND ")
      case .anyWord: words.joined(separator: " OR ")
      case .phrase: words.joined(separator: " + ")
      }
  }

  /// What SQLite's tokenizers take for a part of a word: without any, a phrase is empty and finds nothing.
  private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .privateUse:
      true
    default: false
    }
  }
}

extension FullTextPattern: DatabaseConvertible {
  /// The pattern as text.
  public var databaseValue: DatabaseValue { .text(text) }

  /// Makes a pattern of text in the language of `MATCH`, as it is.
  public init?(databaseValue: DatabaseValue) {
    guard case .text(let text) = databaseValue else { return nil }
    self.text = text
  }
}
