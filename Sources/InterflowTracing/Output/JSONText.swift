/// Text in JSON, written piece by piece.
struct JSONText {
  private(set) var text = ""

  mutating func write(_ raw: String) { text += raw }

  /// Writes elements with commas between them.
  mutating func list<Elements: Sequence>(
    _ elements: Elements, _ open: String = "[", _ close: String = "]",
    _ element: (inout JSONText, Elements.Element) -> Void
  ) {
    text += open
    var isFirst = true
    for value in elements {
      if !isFirst { text += "," }
      isFirst = false
      element(&self, value)
    }
    text += close
  }

  /// Writes a string, so that it can stand in a page's script too.
  mutating func string(_ value: String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      // A `<` could end the script, and these two end a line of JavaScript.
      case "<", ">", "&", "\u{2028}", "\u{2029}", "\u{0}"..<" ", "\u{7F}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  /// Writes a member of an object.
  mutating func member(_ name: String, _ value: String) {
    text += "\"\(name)\":"
    string(value)
  }
}
