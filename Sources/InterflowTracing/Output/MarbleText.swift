/// A recorded subscription as a marble diagram, which `InterflowTesting` takes as an expectation.
///
/// ```swift
/// let text = recording.marbles(of: "search", frame: .milliseconds(100))
/// print(text!)
/// // (sa|)
/// // a = "swift"
/// ```
///
/// Times are rounded down to whole frames. A value is one character: its own, if it has only one, or else a letter that
/// ``values`` explains. A value that was cut or not recorded is `?`, which stands for any value, and so is one that equals
/// no value, as `Double.nan`.
///
/// A cancellation is expected at the beginning of a frame. One that came in the frame of a value is written in the next
/// frame, since it would be expected before the value otherwise. What the publisher sends between the two does not meet
/// the expectation.
public struct MarbleText: Hashable, Sendable, CustomStringConvertible {
  /// The diagram.
  public let diagram: String
  /// The values that letters stand for, as Swift writes them: the argument `values:` of an expectation.
  public let values: [Value]

  /// The diagram, and a line for each letter.
  public var description: String {
    ([diagram] + values.map { "\($0.name) = \($0.literal)" }).joined(separator: "\n")
  }

  /// The expectation in Swift.
  ///
  /// - Parameter publisher: The expression of what is expected to emit it.
  public func expectation(of publisher: String) -> String {
    let list = values.map { "\"\($0.name)\": \($0.literal)" }.joined(separator: ", ")
    return "try timeline.expect(\(publisher), toEmit: \"\(diagram)\"" + (list.isEmpty ? ")" : ", values: [\(list)])")
  }

  /// A value that a letter stands for.
  public struct Value: Hashable, Sendable {
    /// The letter.
    public let name: Character
    /// The value as Swift writes it.
    public let literal: String
  }
}

extension TraceRecording {
  /// A subscription of a lane as a marble diagram.
  ///
  /// A subscription whose beginning is missing has none: one that was there before the recording, or whose oldest events
  /// were dropped. Values would be missing in front, and times would be those of other columns.
  ///
  /// - Parameters:
  ///   - lane: The name of the lane.
  ///   - subscription: Which of its subscriptions, the first being 0.
  ///   - frame: The time of one column. More than 0.
  /// - Returns: The diagram; nil if there is no such subscription, or not its beginning, or if it would have more than a
  ///   million columns.
  public func marbles(of lane: String, subscription: Int = 0, frame: Duration) -> MarbleText? {
    precondition(frame >= .nanoseconds(1), "a frame of \(frame): a column has to stand for a nanosecond or more")
    guard let lane = lanes.first(where: { $0.name == lane }), lane.subscriptions.indices.contains(subscription) else {
      return nil
    }
    let records = lane.subscriptions[subscription].records
    guard let begin = records.first, begin.kind == .subscription else { return nil }
    let first = begin.time
    let last = max(first, records.map(\.time).max() ?? 0)
    guard (last - first) / frame.wholeNanoseconds < 1_000_000 else { return nil }
    return MarbleText(records, frame: frame.wholeNanoseconds)
  }
}

extension MarbleText {
  fileprivate init(_ records: [EventRecord], frame: UInt64) {
    var names = ValueNames()
    var columns: [[Character]] = []
    let start = records.first?.time ?? 0
    var hasEnded = false
    for record in records where !hasEnded {
      let mark: Character
      switch record.kind {
      case .subscription, .joined, .request, .drop, .work, .release: continue
      case .value: mark = names.name(of: record.value)
      case .finished: mark = "|"
      case .failure: mark = "#"
      case .cancellation: mark = "!"
      }
      hasEnded = "|#!".contains(mark)
      var column = Int(clamping: (record.time > start ? record.time - start : 0) / frame)
      // Its own column would be before what has come in that.
      if mark == "!", columns.count > column { column = columns.count }
      while columns.count <= column { columns.append([]) }
      columns[column].append(mark)
    }
    diagram = columns.map { marks in
      switch marks.count {
      case 0: "-"
      case 1: String(marks)
      default: "(" + String(marks) + ")"
      }
    }.joined()
    values = names.values
  }
}

/// The characters that stand for values.
private struct ValueNames {
  private static let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
  /// None of them combines with its neighbour.
  private static let ideographs: Range<UInt32> = 0x4E00..<0xA000

  private(set) var values: [MarbleText.Value] = []
  private var names: [String: Character] = [:]
  /// Characters that stand for themselves.
  private var own: Set<Character> = []
  private var next = 0

  mutating func name(of value: RecordedValue) -> Character {
    guard let text = value.description, value.form != .cutText, !value.isNotANumber else { return "?" }
    let literal = literal(of: value, text)
    if let name = names[literal] { return name }
    // What means nothing else in a diagram, nor in the literal in which it stands.
    let isOwn = value.form == .text && text.utf8.count == 1 && (text.first!.isLetter || text.first!.isNumber)
    let name = isOwn && !values.contains { $0.name == text.first! } ? text.first! : letter()
    if name == "?" { return name }
    names[literal] = name
    own.insert(name)
    if literal != "\"\(name)\"" { values.append(MarbleText.Value(name: name, literal: literal)) }
    return name
  }

  private func literal(of value: RecordedValue, _ text: String) -> String {
    guard let number = value.floatingPoint else { return value.form == .text ? literalText(text) : text }
    return number.isFinite ? text : number < 0 ? "-.infinity" : ".infinity"
  }

  /// A letter that nothing else has; beyond those of English, one of the many of other languages. Once there is none, any
  /// value is meant.
  private mutating func letter() -> Character {
    while next < Self.letters.count + Self.ideographs.count {
      defer { next += 1 }
      let letter =
        next < Self.letters.count
        ? Self.letters[next]
        : Character(Unicode.Scalar(Self.ideographs.lowerBound + UInt32(next - Self.letters.count))!)
      if !own.contains(letter) { return letter }
    }
    return "?"
  }

  private func literalText(_ text: String) -> String {
    "\""
      + text.unicodeScalars.map {
        $0.value < 32 ? "\\u{\(String($0.value, radix: 16))}" : $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)"
      }.joined() + "\""
  }
}

extension RecordedValue {
  fileprivate var isNotANumber: Bool { floatingPoint?.isNaN == true }

  fileprivate var floatingPoint: Double? {
    switch form {
    case .number: Double(bitPattern: bytes.0)
    case .float: Double(Float(bitPattern: UInt32(truncatingIfNeeded: bytes.0)))
    default: nil
    }
  }
}
