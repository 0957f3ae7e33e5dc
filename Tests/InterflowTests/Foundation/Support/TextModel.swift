import Foundation
import InterflowTestSupport

/// What text has for lines, said as plainly as possible, and random text to try it with.
enum TextModel {
  /// The lines of decoded text, including the empty ones.
  static func lines(_ bytes: [UInt8]) -> [String] {
    let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    var lines: [String] = []
    var line = String.UnicodeScalarView()
    var index = 0
    while index < scalars.count {
      let scalar = scalars[index]
      if "\n\u{B}\u{C}\r\u{85}\u{2028}\u{2029}".unicodeScalars.contains(scalar) {
        lines.append(String(line))
        line = String.UnicodeScalarView()
        if scalar == "\r", index + 1 < scalars.count, scalars[index + 1] == "\n" { index += 1 }
      } else {
        line.append(scalar)
      }
      index += 1
    }
    if !line.isEmpty { lines.append(String(line)) }
    return lines
  }

  /// Pieces of which text is made that is hard to take apart.
  private static let pieces: [[UInt8]] =
    [
      "a", "word ", "\n", "\r", "\r\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}", "\u{2027}", "\u{84}",
      "\u{A0}", "é", "e\u{301}", "\u{301}", "ß", "\u{200D}", "👨‍👩‍👧‍👦", "👍🏽", "🇩🇪", "🇫🇷🇯", "한", "\u{1112}\u{1161}", "क्षि",
      "\u{FEFF}", "\u{FFFD}", "\u{D7FF}", "\u{E000}", "\u{10FFFF}", "\t", "\0", "\u{9}", "\u{E}",
    ].map { Array($0.utf8) }
    + [
      [0x80], [0xBF], [0xC0], [0xC1], [0xC2], [0xE2], [0xE2, 0x80], [0x85], [0xA8], [0xA9], [0xE0, 0x80], [0xE0, 0xA0],
      [0xED, 0xA0], [0xED, 0xA0, 0x80], [0xF0, 0x80], [0xF0, 0x90], [0xF0, 0x9F, 0x91], [0xF4, 0x90], [0xF5], [0xFF],
      [0xE2, 0x80, 0x0A], [0xC2, 0x0A], [0xE2, 0x0D], [0xF1, 0x80, 0x80], [0xEF, 0xBF],
    ]

  /// Bytes made of pieces, or, for some, of nothing but chance.
  static func randomBytes(_ random: inout Random) -> [UInt8] {
    let count = Int.random(in: 0...60, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    default:
      return (0..<count).flatMap { _ in pieces.randomElement(using: &random) ?? [] }
    }
  }

  /// The same bytes, cut at random places.
  static func randomRuns(_ bytes: [UInt8], _ random: inout Random) -> [ArraySlice<UInt8>] {
    var rest = bytes[...]
    var runs: [ArraySlice<UInt8>] = []
    while !rest.isEmpty {
      let count = min(rest.count, Int.random(in: 1...12, using: &random))
      runs.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return runs
  }
}
