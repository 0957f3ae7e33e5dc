extension Figure {
  /// The figure as an image.
  func svg(_ theme: Theme) -> String {
    let layout = FigureLayout(self)
    let palette = palette
    var image = Drawing(theme: theme)
    image.guides(layout.anchors, to: layout.axisTop)
    for (index, row) in rows.enumerated() {
      let y = layout.y(row: index)
      image.name(row.name, x: layout.left - 12, y: y)
      image.line(from: layout.left, to: layout.right, y: y, isFaint: !row.windows.isEmpty)
      for window in row.windows {
        let start = window.start == 0 ? layout.left : layout.anchors[min(window.start, layout.anchors.count - 1)]
        let end = layout.end(of: window, row: index)
        image.activity(from: start, to: end, y: y, isCancelled: window.end?.isCancelled == true)
        if window.start > 0 { image.subscription(x: start, y: y) }
      }
      for place in layout.places[index] {
        switch place.mark.kind {
        case .value(let parts):
          image.value(parts.map { ($0, palette[Self.key($0)] ?? 0) }, x: place.x, y: y, isMissed: place.mark.isMissed)
        case .finished: image.end(x: place.x, y: y, isMissed: place.mark.isMissed)
        case .failure: image.failure(x: place.x, y: y, isMissed: place.mark.isMissed)
        }
      }
    }
    image.box(layout)
    image.axis(layout)
    return image.document(width: layout.width, height: layout.height, title: name, description: description)
  }

  /// The colour of each value, by the order in which values appear. What is made of a value often begins as it does.
  private var palette: [String: Int] {
    var palette: [String: Int] = [:]
    for case .value(let parts) in rows.flatMap(\.marks).map(\.kind) {
      for part in parts where palette[Self.key(part)] == nil { palette[Self.key(part)] = palette.count }
    }
    return palette
  }

  private static func key(_ text: String) -> String { text.prefix(1).lowercased() }
}
