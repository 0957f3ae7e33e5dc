/// The elements of a drawn diagram, as SVG.
struct SVGDrawing {
  static let colours = 6

  /// The distance from a line's middle to the baseline of its text. Not every viewer supports `dominant-baseline`.
  private static let drop = 5

  let palette: [String: Int]
  private var elements: [String] = []

  init(palette: [String: Int]) { self.palette = palette }

  mutating func name(_ name: String, x: Int, y: Int) {
    elements.append(#"<text class="name" x="\#(x)" y="\#(y + Self.drop)">\#(name.escapedForXML)</text>"#)
  }

  mutating func arrow(from left: Int, to right: Int, y: Int) {
    elements.append(#"<path class="line" d="M\#(left) \#(y)H\#(right - 2)m-7 -5l7 5l-7 5"/>"#)
  }

  mutating func mark(_ mark: StreamDiagram.Mark, x: Int, y: Int) {
    switch mark.kind {
    case .subscription: subscription(x: x, y: y)
    case .value(let text): value(text, x: x, y: y)
    case .finished: end(x: x, y: y)
    case .failure(let error): failure(error, x: x, y: y)
    }
  }

  private mutating func value(_ text: String, x: Int, y: Int) {
    let radius = DiagramLayout.radius
    let width = DiagramLayout.pillWidth(text)
    elements.append(
      #"<g class="value c\#(palette[text] ?? 0)"><rect x="\#(x - width / 2)" y="\#(y - radius)" width="\#(width)" "#
        + #"height="\#(2 * radius)" rx="\#(radius)"/><text x="\#(x)" y="\#(y + Self.drop)">\#(text.escapedForXML)</text></g>"#
    )
  }

  private mutating func end(x: Int, y: Int) {
    elements.append(#"<path class="end" d="M\#(x) \#(y - 14)v28"/>"#)
  }

  private mutating func failure(_ error: String, x: Int, y: Int) {
    elements.append(
      #"<path class="failure" d="M\#(x - 9) \#(y - 9)l18 18m0 -18l-18 18"><title>\#(error.escapedForXML)</title></path>"#
    )
  }

  private mutating func subscription(x: Int, y: Int) {
    elements.append(#"<path class="end" d="M\#(x - 7) \#(y + 14)l7 -9l7 9"/>"#)
  }

  mutating func box(x: Int, y: Int, width: Int, height: Int, title: String) {
    elements.append(
      #"<g class="operator"><rect x="\#(x)" y="\#(y)" width="\#(width)" height="\#(height)" rx="8"/>"#
        + #"<text x="\#(x + width / 2)" y="\#(y + height / 2 + Self.drop)">\#(title.escapedForXML)</text></g>"#)
  }

  mutating func tick(x: Int, y: Int, text: String) {
    elements.append(
      #"<path class="tick" d="M\#(x) \#(y)v5"/><text class="time" x="\#(x)" y="\#(y + 19)">\#(text.escapedForXML)</text>"#
    )
  }

  func document(width: Int, height: Int, title: String, description: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" class="stream-diagram" role="img" width="\(width)" height="\(height)" \
    viewBox="0 0 \(width) \(height)">
    <title>\(title.escapedForXML)</title>
    <desc>\(description.escapedForXML)</desc>
    <style>
    \(Self.style)
    </style>
    \(elements.joined(separator: "\n"))
    </svg>

    """
  }

  /// The colours of values, on light pages and on dark ones: for the area, the outline and the text.
  private static let light = [
    ("#ddf4ff", "#54aeff", "#0a3069"), ("#dafbe1", "#4ac26b", "#044f1e"), ("#fff8c5", "#d4a72c", "#4d2d00"),
    ("#fbefff", "#c297ff", "#3e1f79"), ("#ffeff7", "#ff80c8", "#611347"), ("#fff1e5", "#fb8f44", "#5c2200"),
  ]
  private static let dark = [
    ("#0c2d6b", "#388bfd", "#cae8ff"), ("#033a16", "#2ea043", "#aff5b4"), ("#4b2900", "#bb8009", "#f8e3a1"),
    ("#3c1e70", "#a371f7", "#eddeff"), ("#5e103e", "#db61a2", "#ffdaec"), ("#5a1e02", "#db6d28", "#ffdfb6"),
  ]

  private static let style = """
    .stream-diagram text { font: 14px ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; \
    text-anchor: middle }
    .stream-diagram .name { text-anchor: end }
    .stream-diagram .time { font-size: 11px }
    .stream-diagram path { fill: none; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
    .stream-diagram .end, .stream-diagram .failure { stroke-width: 3 }
    .stream-diagram .tick { stroke-width: 1 }
    .stream-diagram rect { stroke-width: 1.5 }
    \(theme(ink: "#1f2328", line: "#818b98", faint: "#59636e", box: "#f6f8fa", alarm: "#d1242f", light))
    @media (prefers-color-scheme: dark) {
    \(theme(ink: "#f0f6fc", line: "#9198a1", faint: "#9198a1", box: "#151b23", alarm: "#f85149", dark))
    }
    """

  private static func theme(
    ink: String, line: String, faint: String, box: String, alarm: String, _ values: [(String, String, String)]
  ) -> String {
    let rules =
      [
        ".stream-diagram text { fill: \(ink) }",
        ".stream-diagram .time { fill: \(faint) }",
        ".stream-diagram .line, .stream-diagram .tick { stroke: \(line) }",
        ".stream-diagram .end { stroke: \(ink) }",
        ".stream-diagram .failure { stroke: \(alarm) }",
        ".stream-diagram .operator rect { fill: \(box); stroke: \(line) }",
      ]
      + values.enumerated().map { index, colours in
        ".stream-diagram .c\(index) rect { fill: \(colours.0); stroke: \(colours.1) } "
          + ".stream-diagram .c\(index) text { fill: \(colours.2) }"
      }
    return rules.joined(separator: "\n")
  }
}

extension String {
  /// The text as content of an XML element or attribute. Characters that XML does not allow become the replacement
  /// character.
  var escapedForXML: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "\t", "\n", "\r", " "...: text.unicodeScalars.append(scalar.value & 0xFFFE == 0xFFFE ? "\u{FFFD}" : scalar)
      default: text += "\u{FFFD}"
      }
    }
    return text
  }
}
