extension StreamDiagram {
  /// The diagram as an SVG image, legible on light and on dark pages.
  ///
  /// Equal values have the same colour. The image takes the reader's colour scheme, and stands alone: it may be a file,
  /// or part of a page.
  public var svg: String {
    let layout = DiagramLayout(self)
    var image = SVGDrawing(palette: palette)
    for (index, row) in rows.enumerated() { draw(row, at: layout.y(row: index), layout, in: &image) }
    image.box(
      x: layout.left, y: layout.boxTop, width: layout.right - layout.left, height: DiagramLayout.boxHeight, title: title
    )
    for column in stride(from: 0, to: columns, by: layout.labelStep) {
      image.tick(
        x: layout.x(column: column), y: layout.axisTop,
        text: "\(VirtualTime.zero.advanced(by: frame.times(column)))")
    }
    return image.document(width: layout.width, height: layout.height, title: title, description: text)
  }

  private func draw(_ row: Row, at y: Int, _ layout: DiagramLayout, in image: inout SVGDrawing) {
    image.name(row.name, x: layout.left - 16, y: y)
    image.arrow(from: layout.left, to: layout.right, y: y)
    var places: [Int: Int] = [:]
    for mark in visibleMarks(of: row) {
      let column = column(of: mark.time)
      let x = layout.x(column: column, place: places[column, default: 0])
      places[column, default: 0] += 1
      switch mark.kind {
      case .subscription: image.subscription(x: x, y: y)
      case .value(let text): image.value(text, x: x, y: y)
      case .finished: image.end(x: x, y: y)
      case .failure(let error): image.failure(error, x: x, y: y)
      }
    }
  }

  /// The colour of each value, by the order in which the values appear.
  private var palette: [String: Int] {
    var palette: [String: Int] = [:]
    for row in rows {
      for case .value(let text) in row.marks.map(\.kind) where palette[text] == nil {
        palette[text] = palette.count % SVGDrawing.colours
      }
    }
    return palette
  }
}
