import InterflowTesting

/// What one stream did.
struct Row {
  struct Mark {
    enum Kind {
      /// A value; a tuple or an array has several parts.
      case value([String])
      case finished
      case failure
    }

    let frame: Int
    let kind: Kind
    /// Whether nobody received it.
    var isMissed = false

    var isValue: Bool { if case .value = kind { true } else { false } }

    /// The mark and its time in words.
    var spoken: String {
      switch kind {
      case .value(let parts): "\(parts.map(\.spoken).joined(separator: " and ")) at \(frame)"
      case .finished: "finished at \(frame)"
      case .failure: "failure at \(frame)"
      }
    }

    func delayed(by frames: Int) -> Mark { Mark(frame: frame + frames, kind: kind, isMissed: isMissed) }
  }

  var name = ""
  var marks: [Mark]
  /// When the stream had a subscriber.
  var windows: [Window] = []

  init(marks: [Mark], windows: [Window] = []) {
    self.marks = marks
    self.windows = windows
  }

  func named(_ name: String) -> Row {
    var row = self
    row.name = name
    return row
  }

  /// A publisher that sends with or without subscribers.
  init(hot marks: [Mark], _ windows: [Window]) {
    self.init(
      marks: marks.map { mark in
        var mark = mark
        mark.isMissed = !windows.contains { $0.contains(mark.frame) }
        return mark
      }, windows: windows)
  }

  /// A publisher that begins again for each subscriber: a row for all of them, or several where they overlap.
  static func rows(cold marks: [Mark], _ windows: [Window]) -> [Row] {
    rows(
      windows.map { window in
        (marks.map { $0.delayed(by: window.start - windows[0].start) }.filter { window.contains($0.frame) }, window)
      })
  }

  /// A row for all subscribers, or several where they overlap.
  static func rows(_ parts: [(marks: [Mark], window: Window)]) -> [Row] {
    var rows: [Row] = []
    for (marks, window) in parts {
      let free = rows.firstIndex { row in row.windows.allSatisfy { ($0.end?.frame ?? .max) <= window.start } }
      if let free {
        rows[free].marks += marks
        rows[free].windows.append(window)
      } else {
        rows.append(Row(marks: marks, windows: [window]))
      }
    }
    return rows
  }

  /// The marks and times as a sentence, for those who cannot see the figure.
  var sentence: String {
    var rest = marks.filter { !$0.isMissed }[...]
    var events: [String] = []
    func addMarks(while isIncluded: (Mark) -> Bool) {
      while let mark = rest.first, isIncluded(mark) {
        events.append(mark.spoken)
        rest.removeFirst()
      }
    }
    for (index, window) in windows.enumerated() {
      let next = index + 1 < windows.count ? windows[index + 1].start : .max
      if window.start > 0 { events.append("subscribed at \(window.start)") }
      addMarks { $0.frame < next || ($0.frame == next && !$0.isValue) }
      if let end = window.end, end.isCancelled { events.append("cancelled at \(end.frame)") }
    }
    addMarks { _ in true }
    return "\(name): \(events.isEmpty ? "nothing" : events.joined(separator: ", "))."
  }
}

/// The time from a subscription to its end.
struct Window {
  let start: Int
  var end: (frame: Int, isCancelled: Bool)?

  init(start: Int, end: (frame: Int, isCancelled: Bool)? = nil) {
    self.start = start
    self.end = end
  }

  /// Reads a diagram of a subscription such as `--^---!`.
  init(_ marbles: String) {
    let marks = Array(marbles)
    if let group = marks.firstIndex(of: "(") {
      self.init(start: group, end: (group, marks[group + 2] == "!"))
    } else {
      let isOpen = marks.last == "^" || marks.last == "-"
      self.init(start: marks.firstIndex(of: "^")!, end: isOpen ? nil : (marks.count - 1, marks.last == "!"))
    }
  }

  func contains(_ frame: Int) -> Bool { frame >= start && frame <= end?.frame ?? .max }
}

extension Row.Mark {
  /// A mark of a source's own diagram.
  init?(_ mark: StreamDiagram.Mark) {
    let frame = Row.frame(of: mark.time)
    switch mark.kind {
    case .subscription: return nil
    case .value(let text): self.init(frame: frame, kind: .value([text.withoutOptional]))
    case .finished: self.init(frame: frame, kind: .finished)
    case .failure: self.init(frame: frame, kind: .failure)
    }
  }

  /// A mark of what was received.
  init?<Value, Failure: Error>(_ signal: RecordedSignal<Value, Failure>) {
    let frame = Row.frame(of: signal.time)
    switch signal.kind {
    case .subscription: return nil
    case .value(let value): self.init(frame: frame, kind: .value(Self.parts(of: value)))
    case .finished: self.init(frame: frame, kind: .finished)
    case .failure: self.init(frame: frame, kind: .failure)
    }
  }

  /// The parts of a tuple or an array.
  static func parts(of value: Any) -> [String] {
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .tuple: return mirror.children.flatMap { isArray($0.value) ? [text(of: $0.value)] : parts(of: $0.value) }
    case .collection: return mirror.children.isEmpty ? ["[ ]"] : mirror.children.map { text(of: $0.value) }
    default: return [text(of: value)]
    }
  }

  private static func isArray(_ value: Any) -> Bool { Mirror(reflecting: value).displayStyle == .collection }

  private static func text(of value: Any) -> String {
    isArray(value) ? "[\(parts(of: value).joined(separator: ", "))]" : "\(value)".withoutOptional
  }
}

extension Row {
  static func frame(of time: VirtualTime) -> Int { VirtualTime.zero.distance(to: time).magnitude / 1_000_000_000 }
}

extension String {
  /// The text without what Markdown would take for a link.
  fileprivate var spoken: String {
    if isEmpty { return "an empty string" }
    return self == "[ ]" ? "an empty array" : filter { !"[]`*_".contains($0) }
  }

  fileprivate var withoutOptional: String {
    guard hasPrefix("Optional("), hasSuffix(")") else { return self }
    return dropFirst("Optional(".count).dropLast().filter { $0 != "\"" }
  }
}
