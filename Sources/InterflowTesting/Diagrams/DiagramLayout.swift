/// The positions of the parts of a drawn diagram, in pixels.
struct DiagramLayout {
  static let margin = 16
  static let rowHeight = 52
  static let boxHeight = 44
  static let radius = 16
  static let gap = 12
  static let axisHeight = 26

  struct Place {
    let mark: StreamDiagram.Mark
    /// Places are numbered from left to right. A column has as many places as the row with the most marks in it needs.
    let number: Int
    let width: Int
  }

  let diagram: StreamDiagram
  /// The marks of each row, from left to right.
  let rows: [[Place]]
  /// The number of the first place of each column, and of the one after the last.
  private let firstPlaces: [Int]
  /// The distance between the middles of places.
  private let pitch: Int
  /// The middle of the first place.
  private let origin: Int
  /// The left end of the arrows.
  let left: Int

  init(_ diagram: StreamDiagram) {
    self.diagram = diagram
    firstPlaces = Self.firstPlaces(diagram)
    rows = diagram.rows.map { [firstPlaces] row in
      var taken: [Int: Int] = [:]
      return diagram.visibleMarks(of: row).map { mark in
        let column = diagram.column(of: mark.time)
        defer { taken[column, default: 0] += 1 }
        return Place(mark: mark, number: firstPlaces[column] + taken[column, default: 0], width: Self.width(of: mark))
      }
    }
    pitch = Self.pitch(rows)
    left = Self.margin + (diagram.rows.map { Self.textWidth($0.name) }.max() ?? 0) + 20
    origin = rows.joined().reduce(left + pitch / 2) { [left, pitch] in
      max($0, left + 6 + $1.width / 2 - $1.number * pitch)
    }
  }

  /// The middle of a place.
  func x(place: Int) -> Int { origin + place * pitch }

  /// The middle of a column's first place.
  func x(column: Int) -> Int { x(place: firstPlaces[column]) }

  /// The right end of the arrows.
  var right: Int {
    rows.joined().reduce(max(x(place: firstPlaces.last!) + 4, left + Self.textWidth(diagram.title) + 40)) {
      max($0, x(place: $1.number) + $1.width / 2 + 16)
    }
  }

  var width: Int { right + Self.margin }

  /// The vertical position of a row's arrow.
  func y(row: Int) -> Int {
    let above = Self.margin / 2 + row * Self.rowHeight + Self.rowHeight / 2
    return row < diagram.inputs.count ? above : above + Self.boxHeight + Self.gap
  }

  var boxTop: Int { Self.margin / 2 + diagram.inputs.count * Self.rowHeight + Self.gap / 2 }

  var axisTop: Int { y(row: diagram.inputs.count) + Self.rowHeight / 2 }

  var height: Int { axisTop + Self.axisHeight + Self.margin / 2 }

  /// The columns below which their time is written.
  var labelledColumns: [Int] {
    var columns: [Int] = []
    var end = Int.min
    for column in 0..<firstPlaces.count - 1 {
      let half = Self.textWidth(label(column)) / 2
      if x(column: column) - half < end { continue }
      columns.append(column)
      end = x(column: column) + half + 12
    }
    // Labels at a constant step are easier to read than as many labels as fit.
    let step = zip(columns.dropFirst(), columns).map { $0 - $1 }.max() ?? 1
    return Array(stride(from: 0, to: firstPlaces.count - 1, by: step))
  }

  func label(_ column: Int) -> String { "\(VirtualTime.zero.advanced(by: diagram.frame.times(column)))" }

  // MARK: Measures

  private static func firstPlaces(_ diagram: StreamDiagram) -> [Int] {
    var sizes = Array(repeating: 1, count: diagram.columns)
    for row in diagram.rows {
      let counts = Dictionary(grouping: diagram.visibleMarks(of: row)) { diagram.column(of: $0.time) }
      for (column, marks) in counts { sizes[column] = max(sizes[column], marks.count) }
    }
    return sizes.reduce(into: [0]) { $0.append($0.last! + $1) }
  }

  /// The least distance at which no row's values touch.
  private static func pitch(_ rows: [[Place]]) -> Int {
    rows.reduce(2 * radius + 8) { pitch, row in
      zip(row, row.dropFirst()).reduce(pitch) { pitch, pair in
        let (left, right) = pair
        let distance = right.number - left.number
        return max(pitch, ((left.width + right.width) / 2 + 8 + distance - 1) / distance)
      }
    }
  }

  private static func width(of mark: StreamDiagram.Mark) -> Int {
    if case .value(let text) = mark.kind { pillWidth(text) } else { 2 * radius }
  }

  /// The width of a value; a short one is a circle.
  static func pillWidth(_ text: String) -> Int { max(2 * radius, textWidth(text) + 18) }

  /// The width of a text in a monospaced font, in which East Asian characters and emoji have double width.
  static func textWidth(_ text: String) -> Int {
    let units = text.reduce(0) { $0 + (($1.unicodeScalars.first?.value ?? 0) >= 0x1100 ? 2 : 1) }
    return Int((Double(units) * 8.5).rounded(.up))
  }
}
