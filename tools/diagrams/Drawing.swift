/// The elements of an image.
struct Drawing {
  let theme: Theme
  private var elements: [String] = []
  private var colours: Set<Int> = []
  /// Styles that not every image needs.
  var rules: [String] = []

  init(theme: Theme) { self.theme = theme }

  /// Adds an element that few images have.
  mutating func add(_ element: String) { elements.append(element) }

  /// Adds the style of a value, and returns its name.
  mutating func style(ofValue colour: Int) -> String {
    let index = colour % theme.values.count
    colours.insert(index)
    return "v\(index)"
  }

  mutating func guides(_ positions: [Int], to bottom: Int) {
    let lines = positions.map { "M\($0) 12V\(bottom)" }.joined()
    elements.append(#"<path class="guide" d="\#(lines)"/>"#)
  }

  mutating func name(_ name: String, x: Int, y: Int) {
    elements.append(#"<text class="name" x="\#(x)" y="\#(y + 5)">\#(name.escaped)</text>"#)
  }

  mutating func line(from left: Int, to right: Int, y: Int, isFaint: Bool) {
    let style = isFaint ? "idle" : "line"
    elements.append(#"<path class="\#(style)" d="M\#(left) \#(y)H\#(right)"/>"#)
    elements.append(#"<path class="line" d="M\#(right - 6) \#(y - 5)l6 5l-6 5"/>"#)
  }

  /// The part of a line during which there is a subscriber.
  mutating func activity(from start: Int, to end: Int, y: Int, isCancelled: Bool) {
    elements.append(#"<path class="line" d="M\#(start) \#(y)H\#(end)"/>"#)
    if isCancelled { elements.append(#"<path class="cut" d="M\#(end - 3) \#(y + 8)l6 -16"/>"#) }
  }

  mutating func subscription(x: Int, y: Int) {
    elements.append(#"<circle class="start" cx="\#(x)" cy="\#(y)" r="4"/>"#)
  }

  mutating func value(_ parts: [(text: String, colour: Int)], x: Int, y: Int, isMissed: Bool) {
    let radius = FigureLayout.radius
    let width = FigureLayout.width(of: Row.Mark(frame: 0, kind: .value(parts.map(\.text))))
    let group = isMissed ? #"<g class="missed">"# : "<g>"
    var content = ""
    var left = x - width / 2
    for (index, part) in parts.enumerated() {
      let own = parts.count == 1 ? width : FigureLayout.partWidth(part.text)
      let style = style(ofValue: part.colour)
      let before = index == 0 ? radius : 0
      let after = index == parts.count - 1 ? radius : 0
      let top = y - radius
      content +=
        #"<path class="\#(style)" d="M\#(left + before) \#(top)H\#(left + own - after)"#
        + (after > 0 ? "a\(radius) \(radius) 0 0 1 0 \(2 * radius)" : "v\(2 * radius)")
        + "H\(left + before)" + (before > 0 ? "a\(radius) \(radius) 0 0 1 0 \(-2 * radius)" : "") + #"z"/>"#
        + #"<text class="\#(style)t" x="\#(left + own / 2)" y="\#(y + 5)">\#(part.text.escaped)</text>"#
      left += own
    }
    elements.append(group + content + "</g>")
  }

  mutating func end(x: Int, y: Int, isMissed: Bool) {
    elements.append(#"<path class="end\#(isMissed ? " missed" : "")" d="M\#(x) \#(y - 13)v26"/>"#)
  }

  mutating func failure(x: Int, y: Int, isMissed: Bool) {
    elements.append(
      #"<path class="failure\#(isMissed ? " missed" : "")" d="M\#(x - 8) \#(y - 8)l16 16m0 -16l-16 16"/>"#)
  }

  mutating func box(_ layout: FigureLayout) {
    let code = layout.figure.code
    let left = FigureLayout.margin
    let width = layout.right - left
    elements.append(
      #"<rect class="box" x="\#(left)" y="\#(layout.boxTop)" width="\#(width)" height="\#(layout.boxHeight)" rx="10"/>"#
    )
    let start = left + (width - (code.map { FigureLayout.width(of: $0) }.max() ?? 0)) / 2
    for (index, line) in code.enumerated() {
      let y = layout.boxTop + 10 + index * FigureLayout.codeLine + 15
      elements.append(#"<text class="code" x="\#(start)" y="\#(y)" xml:space="preserve">\#(line.highlighted)</text>"#)
    }
  }

  mutating func axis(_ layout: FigureLayout) {
    elements.append(#"<text class="name time" x="\#(layout.left - 12)" y="\#(layout.axisTop + 18)">seconds</text>"#)
    for (frame, x) in layout.anchors.enumerated() {
      elements.append(#"<text class="time" x="\#(x)" y="\#(layout.axisTop + 18)">\#(frame)</text>"#)
    }
  }

  func document(width: Int, height: Int, title: String, description: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" role="img" width="\(width)" height="\(height)" \
    viewBox="0 0 \(width) \(height)">
    <title>\(title.escaped)</title>
    <desc>\(description.escaped)</desc>
    <style>
    \(style)
    </style>
    \(elements.joined(separator: "\n"))
    </svg>

    """
  }

  private var style: String {
    let values = colours.sorted().map { index in
      let value = theme.values[index]
      return ".v\(index) { fill: \(value.fill); stroke: \(value.stroke); stroke-width: 1.5 } "
        + ".v\(index)t { fill: \(value.text) }"
    }
    return """
      text { font: 13px ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; text-anchor: middle; \
      fill: \(theme.ink) }
      path { fill: none; stroke-linecap: round; stroke-linejoin: round }
      .name { text-anchor: end; fill: \(theme.faint) }
      .time { font-size: 11px; fill: \(theme.faint) }
      .guide { stroke: \(theme.outline); stroke-dasharray: 1 5 }
      .line { stroke: \(theme.line); stroke-width: 2 }
      .idle { stroke: \(theme.outline); stroke-width: 2; stroke-dasharray: 2 5 }
      .cut { stroke: \(theme.line); stroke-width: 2.5 }
      .start { fill: \(theme.line) }
      .end { stroke: \(theme.ink); stroke-width: 3 }
      .failure { stroke: \(theme.alarm); stroke-width: 3 }
      .missed { opacity: 0.35 }
      .box { fill: \(theme.box); stroke: \(theme.outline) }
      .code { text-anchor: start; white-space: pre }
      .call { fill: \(theme.call); font-weight: 600 }
      .literal { fill: \(theme.literal) }
      \((rules + values).joined(separator: "\n"))
      """
  }
}

extension String {
  var escaped: String {
    var text = ""
    for character in self {
      switch character {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      default: text.append(character)
      }
    }
    return text
  }

  /// A line of code as SVG, in which calls and literals have classes.
  var highlighted: String {
    var result = ""
    var rest = Substring(self)
    while let first = rest.first {
      var token = rest.prefix(1)
      var style: String?
      if first == "\"" {
        token = rest.prefix(
          (rest.dropFirst().firstIndex(of: "\"").map { rest.distance(from: rest.startIndex, to: $0) } ?? 0) + 1)
        style = "literal"
      } else if first == "." {
        token = rest.prefix(1) + rest.dropFirst().prefix { $0.isLetter || $0.isNumber }
        style = rest.dropFirst(token.count).first.map { "( {".contains($0) } == true ? "call" : nil
      } else if first.isLetter {
        token = rest.prefix { $0.isLetter || $0.isNumber }
      } else if first.isNumber {
        token = rest.prefix { $0.isNumber }
        style = "literal"
      }
      let text = String(token).escaped
      result += style.map { #"<tspan class="\#($0)">\#(text)</tspan>"# } ?? text
      rest = rest.dropFirst(token.count)
    }
    return result
  }
}
