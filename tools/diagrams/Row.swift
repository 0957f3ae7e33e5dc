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
  }

  var name = ""
  var marks: [Mark]
  /// When the stream had a subscriber.
  var windows: [Window] = []

  init(marks: [Mark], windows: [Window] = []) {
    self.marks = marks
    self.windows = windows
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

  /// A publisher that begins anew for each subscriber: a row for all of them, or several where they overlap.
  static func rows(cold marks: [Mark], _ windows: [Window]) -> [Row] {
    var rows: [Row] = []
    for window in windows {
      let shift = window.start - windows[0].start
      let own = marks.map { Mark(frame: $0.frame + shift, kind: $0.kind) }.filter { window.contains($0.frame) }
      let free = rows.firstIndex { row in row.windows.allSatisfy { ($0.end?.frame ?? .max) <= window.start } }
      if let free {
        rows[free].marks += own
        rows[free].windows.append(window)
      } else {
        rows.append(Row(marks: own, windows: [window]))
      }
    }
    return rows
  }

  /// The marks and times as a sentence, for those who cannot see the figure.
  var sentence: String {
    let events = marks.filter { !$0.isMissed }.map { mark in
      switch mark.kind {
      case .value(let parts): "\(parts.joined(separator: " and ")) at \(mark.frame)"
      case .finished: "finished at \(mark.frame)"
      case .failure: "failure at \(mark.frame)"
      }
    }
    return "\(name): \(events.isEmpty ? "nothing" : events.joined(separator: ", "))."
  }
}

/// The time from a subscription to its end.
struct Window {
  let start: Int
  let end: (frame: Int, isCancelled: Bool)?

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

  private static func parts(of value: Any) -> [String] {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .tuple || mirror.displayStyle == .collection else {
      return ["\(value)".withoutOptional]
    }
    return mirror.children.isEmpty ? ["[ ]"] : mirror.children.flatMap { parts(of: $0.value) }
  }
}

extension Row {
  static func frame(of time: VirtualTime) -> Int { VirtualTime.zero.distance(to: time).magnitude / 1_000_000_000 }
}

extension String {
  fileprivate var withoutOptional: String {
    guard hasPrefix("Optional("), hasSuffix(")") else { return self }
    return dropFirst("Optional(".count).dropLast().filter { $0 != "\"" }
  }
}
