extension StreamDiagram {
  /// The diagram as an SVG image, legible on light and on dark pages.
  ///
  /// Equal values have the same colour. The image follows the reader's colour scheme, and needs no other file: it may
  /// be a file, or part of a page.
  public var svg: String {
    let layout = DiagramLayout(self)
    var image = SVGDrawing(palette: palette)
    for (index, row) in rows.enumerated() {
      let y = layout.y(row: index)
      image.name(row.name, x: layout.left - 16, y: y)
      image.arrow(from: layout.left, to: layout.right, y: y)
      for place in layout.rows[index] { image.mark(place.mark, x: layout.x(place: place.number), y: y) }
    }
    image.box(
      x: layout.left, y: layout.boxTop, width: layout.right - layout.left, height: DiagramLayout.boxHeight, title: title
    )
    for column in layout.labelledColumns {
      image.tick(x: layout.x(column: column), y: layout.axisTop, text: layout.label(column))
    }
    return image.document(width: layout.width, height: layout.height, title: title, description: text)
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
