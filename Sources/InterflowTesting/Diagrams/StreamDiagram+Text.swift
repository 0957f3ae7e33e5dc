extension StreamDiagram: CustomStringConvertible {
  /// The diagram as lines of text, each column of which is one frame.
  ///
  /// A value with more than one character makes its column wider in all rows. The errors that `#` stands for are listed
  /// below.
  public var text: String {
    let lines = rows.map(line)
    var widths = MarbleLine.widths(lines)
    // Otherwise there would be no space between long values.
    if lines.contains(where: \.holdsLongMarks) { widths = widths.map { $0 + 1 } }
    let texts = lines.map { $0.text(widths: widths, filler: "-") }
    let margin = rows.map(\.name.count).max() ?? 0

    let inner = max(texts.map(\.count).max() ?? 0, title.count + 4) - 2
    let before = (inner - title.count) / 2
    let bar = String(repeating: "─", count: inner)
    let middle = String(repeating: " ", count: before) + title
    let indent = String(repeating: " ", count: margin + 2)
    let box = [
      indent + "╭" + bar + "╮",
      indent + "│" + middle.padded(to: inner) + "│",
      indent + "╰" + bar + "╯",
    ]

    let named = zip(rows, texts).map { row, text in row.name.padded(to: margin) + "  " + text }
    return (named.dropLast() + box + named.suffix(1) + failures).joined(separator: "\n")
  }

  /// The diagram as lines of text.
  public var description: String { text }

  private func line(of row: Row) -> MarbleLine {
    var line = MarbleLine()
    for mark in visibleMarks(of: row) { line.add(mark.character, in: column(of: mark.time)) }
    if !row.hasEnded { line.extend(to: columns) }
    return line
  }

  /// The errors, each once.
  private var failures: [String] {
    var seen: [String] = []
    for row in rows {
      for case .failure(let error) in row.marks.map(\.kind) where !seen.contains(error) { seen.append(error) }
    }
    return seen.map { "# = \($0)" }
  }
}

extension StreamDiagram.Mark {
  fileprivate var character: String {
    switch kind {
    case .subscription: "^"
    case .value(let text): text
    case .finished: "|"
    case .failure: "#"
    }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
