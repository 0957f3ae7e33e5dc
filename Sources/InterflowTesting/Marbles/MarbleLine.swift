/// The text of a marble diagram, frame by frame.
struct MarbleLine: Equatable {
  /// What happens in each frame.
  private(set) var frames: [[String]] = []

  /// Adds empty frames, up to at least `count` frames.
  mutating func extend(to count: Int) {
    while frames.count < count { frames.append([]) }
  }

  mutating func add(_ mark: String, in frame: Int) {
    extend(to: frame + 1)
    frames[frame].append(mark)
  }

  /// The text of a frame.
  func cell(_ frame: Int) -> String {
    switch frames[frame].count {
    case 0: "-"
    case 1: frames[frame][0]
    default: "(" + frames[frame].joined(separator: holdsLongMarks ? "," : "") + ")"
    }
  }

  /// Whether a mark takes more than one character.
  var holdsLongMarks: Bool { frames.contains { $0.contains { $0.count > 1 } } }

  /// The widths with which each frame of several lines begins in the same column.
  static func widths(_ lines: [MarbleLine]) -> [Int] {
    (0..<(lines.map(\.frames.count).max() ?? 0)).map { frame in
      lines.lazy.filter { frame < $0.frames.count }.map { $0.cell(frame).count }.max() ?? 1
    }
  }

  /// The line, with the given width of each frame.
  ///
  /// - Parameter filler: The character that fills up narrower frames; spaces are ignored in a diagram.
  func text(widths: [Int], filler: Character = " ") -> String {
    var text = ""
    for frame in frames.indices {
      let cell = cell(frame)
      text += cell
      if frame + 1 < frames.count { text += String(repeating: filler, count: widths[frame] - cell.count) }
    }
    return text
  }
}
