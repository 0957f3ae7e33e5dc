import Testing

@testable import InterflowSQLite

@Suite struct SQLTokensTests {
  @Test(arguments: [
    ("a JOIN b USING (c)", true), ("uSiNg", true), ("usin", false), ("", false), ("us ing", false), ("housing", false),
    ("using_it", false), ("'using'", false), ("\"using\"", false), ("[using]", false), ("`using`", false),
    ("-- using", false), ("-- x\nusing", true), ("/* using */", false), ("/* x */using", true), (":using", false),
    ("@using $using", false), ("'it''s using'", false), ("'' using", true), ("'using", false), ("/* using", false),
    ("(using)", true), ("usingé", false), ("1using", false), ("x'ab'using", true), ("\"a\"\"using\"", false),
    ("[a]]using", true), ("-using", true), ("a/using", true), ("\u{FEFF}using", true),
    ("x\u{FEFF}using", false), ("\u{FEFE}using", false), (" \u{0B}using", true),
  ])
  func aKeywordIsAWordWithoutQuotes(sql: String, isThere: Bool) {
    #expect(sql.hasKeyword("using") == isThere)
  }

  @Test(arguments: [
    ("UPDATE OR REPLACE a SET x = 1", true), ("UPDATE or/**/replace a SET x = 1", true),
    ("CREATE TABLE a (x UNIQUE ON CONFLICT REPLACE)", true), ("UPDATE replaced SET x = replace(x, 'a', 'b')", false),
    ("UPDATE OR \u{FEFF}REPLACE a SET x = 1", true), ("UPDATE OR \u{0B}REPLACE a SET x = 1", true),
    ("UPDATE a SET x = 1 WHERE x = 1 OR \"replace\"", false), ("UPDATE a SET x = 'or replace'", false),
  ])
  func rowsAreReplacedWhereAConflictSaysSo(sql: String, replaces: Bool) {
    #expect(sql.replacesRows == replaces)
  }
}
