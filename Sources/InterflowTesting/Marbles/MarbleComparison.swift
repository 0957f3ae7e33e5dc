/// The signals that a marble diagram expects of a stream, with their values.
struct MarbleExpectation<Value, Failure: Error> {
  struct Step {
    let frame: Int
    let mark: MarbleSyntax.Mark
    /// `nil` for any value, and for a failure with any error.
    let kind: RecordedSignal<Value, Failure>.Kind?
  }

  let syntax: MarbleSyntax
  let steps: [Step]
  let values: [Character: Value]

  init(_ diagram: String, values: [Character: Value], error: Failure?) throws(MarbleSyntaxError) {
    syntax = try MarbleSyntax(diagram)
    self.values = values
    var steps: [Step] = []
    for entry in syntax.signals {
      let kind: RecordedSignal<Value, Failure>.Kind?
      switch entry.mark {
      case .value(let character):
        kind = .value(try marbleValue(of: character, in: values, at: entry, of: syntax))
      case .anyValue:
        // A test may have a value of this name.
        kind = values["?"].map { .value($0) }
      case .failure:
        if Failure.self == Never.self { throw syntax.error(entry.column, "the stream cannot fail") }
        kind = error.map { .failure($0) }
      default:
        kind = .finished
      }
      steps.append(Step(frame: entry.frame, mark: entry.mark, kind: kind))
    }
    self.steps = steps
  }
}

extension MarbleExpectation where Value: Equatable {
  struct Difference {
    let frame: Int
    /// `nil` if none came.
    let signal: RecordedSignal<Value, Failure>?
    /// Makes the description from the title of the signal.
    let reason: (String) -> String
  }

  /// Compares the signals of a stream with the expected ones.
  ///
  /// - Returns: The first difference.
  func difference(
    from signals: [RecordedSignal<Value, Failure>], since start: VirtualTime, on timeline: TestTimeline
  ) -> Difference? {
    for index in 0..<max(steps.count, signals.count) {
      let step = index < steps.count ? steps[index] : nil
      let signal = index < signals.count ? signals[index] : nil
      let came = signal.map { timeline.frames(from: start, to: $0.time) }
      switch (step, signal, came) {
      case (let step?, let signal?, let came?):
        let isSame = matches(step, signal.kind)
        if step.frame == came.whole, came.isExact {
          if isSame { continue }
          return Difference(frame: step.frame, signal: signal) { "\(step.mark.title) was expected, and \($0) came" }
        }
        let when =
          came.isExact
          ? "in frame \(came.whole)" : "at \(signal.time), between frames \(came.whole) and \(came.whole + 1)"
        return Difference(frame: min(step.frame, came.whole), signal: signal) { title in
          isSame
            ? "\(title) was expected in frame \(step.frame), and came \(when)"
            : "\(step.mark.title) was expected in frame \(step.frame), and \(title) came \(when)"
        }
      case (let step?, _, _):
        return Difference(frame: step.frame, signal: nil) { _ in "\(step.mark.title) was expected, and nothing came" }
      case (_, let signal?, let came?):
        return Difference(frame: came.whole, signal: signal) { "nothing more was expected, and \($0) came" }
      default:
        break
      }
    }
    return nil
  }

  private func matches(_ step: Step, _ actual: RecordedSignal<Value, Failure>.Kind) -> Bool {
    switch (step.kind, actual) {
    case (.value(let expected)?, .value(let actual)): expected == actual
    case (.finished?, .finished): true
    case (.failure(let expected)?, .failure(let actual)): areEqual(expected, actual)
    case (nil, .value): step.mark == .anyValue
    case (nil, .failure): step.mark == .failure
    default: false
    }
  }

  /// Throws if the signals of a stream are not the expected ones.
  func check(
    _ signals: [RecordedSignal<Value, Failure>], since start: VirtualTime, on timeline: TestTimeline, fileID: String,
    line: Int
  ) throws(MarbleMismatch) {
    let signals = signals.filter { if case .subscription = $0.kind { false } else { true } }
    guard let difference = difference(from: signals, since: start, on: timeline) else { return }

    // A frame takes a column, and a signal in it at least one, so what comes far later is listed instead.
    let end = max(0, syntax.frames) + Self.drawnFramesAfterTheEnd
    let drawn = signals.prefix(steps.count + Self.drawnSignalsTooMany).prefix {
      timeline.frames(from: start, to: $0.time).whole < end
    }
    let others = signals[drawn.endIndex...]
    var names = MarbleNames(values: values)
    for signal in drawn + others.prefix(Self.listedSignals) + [difference.signal].compactMap(\.self) {
      if let value = signal.value { names.add(value) }
    }
    var (expected, actual) = (MarbleLine(), MarbleLine())
    for entry in syntax.entries { expected.add(entry.mark.text, in: entry.frame) }
    expected.extend(to: syntax.frames)
    for entry in syntax.entries where entry.mark == .subscription || entry.mark == .cancellation {
      actual.add(entry.mark.text, in: entry.frame)
    }
    for signal in drawn {
      actual.add(names.mark(of: signal.kind), in: timeline.frames(from: start, to: signal.time).whole)
    }
    if let first = others.first { actual.add("…", in: min(timeline.frames(from: start, to: first.time).whole, end)) }
    if signals.last?.completion == nil { actual.extend(to: syntax.frames) }
    let widths = MarbleLine.widths([expected, actual])
    let reason = difference.reason(difference.signal.map { names.title(of: $0.kind) } ?? "")
    throw MarbleMismatch(
      expected: expected.text(widths: widths), actual: actual.text(widths: widths), frame: difference.frame,
      reason: reason, legend: names.legend + titles(others, names) + errors(signals), fileID: fileID, line: line,
      caret: widths.prefix(min(difference.frame, end)).reduce(0, +))
  }

  private static var drawnFramesAfterTheEnd: Int { 200 }
  private static var drawnSignalsTooMany: Int { 1_000 }
  private static var listedSignals: Int { 10 }

  /// The first signals that are not drawn, with their times.
  private func titles(_ signals: ArraySlice<RecordedSignal<Value, Failure>>, _ names: MarbleNames<Value>) -> [String] {
    if signals.isEmpty { return [] }
    let titles = signals.prefix(Self.listedSignals).map { "\(names.title(of: $0.kind)) at \($0.time)" }
    let left = signals.count - titles.count
    return ["… = " + titles.joined(separator: ", ") + (left > 0 ? ", and \(left) more" : "")]
  }

  private func errors(_ signals: [RecordedSignal<Value, Failure>]) -> [String] {
    var lines: [String] = []
    for case .failure(let error)? in steps.map(\.kind) { lines.append("# = \(error), expected") }
    for signal in signals {
      if case .failure(let error) = signal.kind { lines.append("# = \(error), actual") }
    }
    return lines
  }
}

/// Whether two errors are the same: by `==` if they are `Equatable`, otherwise by their descriptions.
private func areEqual<Failure: Error>(_ left: Failure, _ right: Failure) -> Bool {
  func compare<T: Equatable>(_ left: T) -> Bool { (right as? T) == left }
  if let left = (left as Any) as? any Equatable { return compare(left) }
  return String(reflecting: left) == String(reflecting: right)
}
