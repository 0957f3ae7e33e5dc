/// The positions of the parts of a figure, in pixels.
struct FigureLayout {
  static let margin = 12
  static let rowHeight = 46
  static let radius = 15
  static let axisHeight = 30
  static let codeLine = 20
  private static let character = 8.0

  struct Place {
    let mark: Row.Mark
    let x: Int
  }

  let figure: Figure
  /// The left end of the arrows.
  let left: Int
  /// The right end of the arrows.
  let right: Int
  /// The middle of the first mark of each frame.
  let anchors: [Int]
  /// The marks of each row.
  let places: [[Place]]

  init(_ figure: Figure) {
    self.figure = figure
    let frames = 1 + (figure.rows.flatMap(\.marks).map(\.frame).max() ?? 0)
    let names = (figure.rows.map(\.name) + ["seconds"]).map { Self.width(of: $0) }.max()!
    left = Self.margin + names + 12
    var anchors: [Int] = []
    var edge = left + 6
    for frame in 0..<frames {
      let groups = figure.rows.map { row in row.marks.filter { $0.frame == frame }.map(Self.width) }
      let before = groups.compactMap(\.first).map { $0 / 2 }.reduce(18, max)
      let after = groups.map { widths in
        widths.reduce(0) { $0 + $1 + 4 } - (widths.first ?? 0) / 2
      }.reduce(22, max)
      anchors.append(edge + before)
      edge += before + after
    }
    self.anchors = anchors
    let code = figure.code.map { Self.width(of: $0) }.max() ?? 0
    right = max(edge + 14, left + code + 40)
    places = figure.rows.map { row in
      var next: [Int: Int] = [:]
      return row.marks.map { mark in
        let width = Self.width(of: mark)
        let x = next[mark.frame].map { $0 + width / 2 } ?? anchors[mark.frame]
        next[mark.frame] = x + width / 2 + 4
        return Place(mark: mark, x: x)
      }
    }
  }

  var width: Int { right + Self.margin }
  var boxTop: Int { 8 + figure.inputs.count * Self.rowHeight + 4 }
  var boxHeight: Int { figure.code.count * Self.codeLine + 20 }
  var axisTop: Int { boxTop + boxHeight + 4 + figure.outputs.count * Self.rowHeight }
  var height: Int { axisTop + Self.axisHeight }

  /// The middle of a row.
  func y(row: Int) -> Int {
    let middle = 8 + row * Self.rowHeight + Self.rowHeight / 2
    return row < figure.inputs.count ? middle : middle + boxHeight + 8
  }

  /// Where a row's subscription ends, behind what it sent in that frame.
  func end(of window: Window, row: Int) -> Int {
    guard let end = window.end, anchors.indices.contains(end.frame) else { return right }
    let last = places[row].last { $0.mark.frame == end.frame && !$0.mark.isMissed }
    return last.map { end.isCancelled ? $0.x + Self.width(of: $0.mark) / 2 + 7 : $0.x } ?? anchors[end.frame]
  }

  static func width(of text: String) -> Int { Int((Double(text.count) * character).rounded(.up)) }

  static func width(of mark: Row.Mark) -> Int {
    switch mark.kind {
    case .value(let parts) where parts.count > 1: parts.reduce(0) { $0 + partWidth($1) }
    case .value(let parts): max(2 * radius, width(of: parts[0]) + 18)
    case .finished: 8
    case .failure: 20
    }
  }

  /// The width of a part of several.
  static func partWidth(_ text: String) -> Int { width(of: text) + 16 }
}
