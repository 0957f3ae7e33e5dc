/// Where the parts of a drawn diagram lie, in pixels.
struct DiagramLayout {
  static let margin = 16
  static let rowHeight = 52
  static let boxHeight = 44
  static let radius = 16
  static let gap = 12
  static let axisHeight = 26
  static let characterWidth = 8.5

  let diagram: StreamDiagram
  /// How wide a place for one mark is.
  let pitch: Int
  /// How many marks each column has room for side by side.
  let places: [Int]
  let left: Int

  init(_ diagram: StreamDiagram) {
    self.diagram = diagram
    var places = Array(repeating: 1, count: diagram.columns)
    var longest = 1
    for row in diagram.rows {
      var counts: [Int: Int] = [:]
      for mark in diagram.visibleMarks(of: row) {
        counts[diagram.column(of: mark.time), default: 0] += 1
        if case .value(let text) = mark.kind { longest = max(longest, text.count) }
      }
      for (column, count) in counts { places[column] = max(places[column], count) }
    }
    self.places = places
    pitch = max(2 * Self.radius, Self.pillWidth(longest)) + 8
    left = Self.margin + Self.textWidth(diagram.rows.map(\.name.count).max() ?? 0) + 20
  }

  /// The middle of a place in a column.
  func x(column: Int, place: Int = 0) -> Int {
    left + pitch / 2 + (places.prefix(column).reduce(0, +) + place) * pitch
  }

  /// The end of the arrows.
  var right: Int { max(x(column: places.count) + 4, left + Self.textWidth(diagram.title.count) + 40) }

  var width: Int { right + Self.margin }

  /// The height at which a row's arrow lies.
  func y(row: Int) -> Int {
    let above = Self.margin / 2 + row * Self.rowHeight + Self.rowHeight / 2
    return row < diagram.inputs.count ? above : above + Self.boxHeight + Self.gap
  }

  var boxTop: Int { Self.margin / 2 + diagram.inputs.count * Self.rowHeight + Self.gap / 2 }

  var axisTop: Int { y(row: diagram.inputs.count) + Self.rowHeight / 2 }

  var height: Int { axisTop + Self.axisHeight + Self.margin / 2 }

  /// Every which column has room for its time below it.
  var labelStep: Int {
    let widest = Self.textWidth("\(VirtualTime.zero.advanced(by: diagram.frame.times(places.count)))".count)
    return max(1, (widest + 12 + pitch - 1) / pitch)
  }

  static func textWidth(_ characters: Int) -> Int { Int((Double(characters) * characterWidth).rounded(.up)) }

  /// How wide a value is; a short one is a circle.
  static func pillWidth(_ characters: Int) -> Int { max(2 * radius, textWidth(characters) + 18) }
}
