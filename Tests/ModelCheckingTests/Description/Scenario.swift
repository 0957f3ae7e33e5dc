/// Something that a stream says.
enum Signal: Hashable {
  case value(Int)
  case finished
  case failed(Int)

  /// The completion with an error, or without one.
  init(end error: Int?) {
    self = error.map { .failed($0) } ?? .finished
  }

  var value: Int? {
    if case .value(let value) = self { value } else { nil }
  }

  /// The code of a failure.
  var code: Int? {
    if case .failed(let code) = self { code } else { nil }
  }
}

extension Signal: CustomStringConvertible {
  var description: String {
    switch self {
    case .value(let value): "\(value)"
    case .finished: ".finished"
    case .failed(let code): ".failure(Mishap(code: \(code)))"
    }
  }
}

/// A signal with its time.
struct TimedSignal: Hashable, CustomStringConvertible {
  var time: Int
  var signal: Signal

  var description: String { "\(time): \(signal)" }
}

/// What a subject is made to send, and when.
struct Input: Hashable {
  /// What a `CurrentValueSubject` starts with.
  var initial: Int
  var signals: [TimedSignal]
}

/// What a subscriber asks for.
struct Appetite: Hashable {
  /// What it asks for at the subscription; `nil` is without limit.
  var initially: Int?
  /// What it asks for with each value, by returning it from `receive(_:)`.
  var withEach: Int
  /// Whether it asks inside `receive(_:)`, by a request, and not by returning.
  var nested: Bool
  /// What it asks for at a time.
  var later: [Request]

  struct Request: Hashable {
    var time: Int
    /// `nil` is without limit.
    var count: Int?
  }

  static let unlimited = Appetite(initially: nil, withEach: 0, nested: false, later: [])

  var isUnlimited: Bool { initially == nil }
}

/// Where a subscriber cancels.
enum Cancellation: Hashable {
  case never
  /// While it receives its value of that number, counted from one; with zero, while it receives the subscription.
  case inside(Int)
  case at(time: Int)
}

/// A pipeline, what is put into it, and how its subscriber behaves.
struct Scenario: Hashable {
  var pipeline: Pipeline
  var inputs: [Input]
  var appetite: Appetite
  var cancellation: Cancellation
  /// Whether the subjects stand behind a publisher of somebody else's, which sees whether they are cancelled.
  var watchesSubjects: Bool
}

extension Scenario: CustomStringConvertible {
  var description: String {
    var lines: [String] = []
    for (index, input) in inputs.enumerated()
    where pipeline.contains(where: { $0 == .subject(index) || $0 == .currentValue(index) }) {
      let isCurrent = pipeline.contains { $0 == .currentValue(index) }
      lines.append(
        isCurrent
          ? "let currentValue\(index) = CurrentValueSubject<Int, Mishap>(\(input.initial))"
          : "let subject\(index) = PassthroughSubject<Int, Mishap>()")
      let sent = input.signals.map { "\($0)" }.joined(separator: ", ")
      lines.append("// which sends, each at its nanosecond: \(sent.isEmpty ? "nothing" : sent)")
    }
    if watchesSubjects { lines.append("// Subjects stand behind a publisher of somebody else's.") }
    lines.append(pipeline.source)
    lines.append("// The subscriber asks for \(appetite.initially.map(String.init) ?? "all") at first")
    if appetite.withEach > 0 {
      lines[lines.count - 1] += ", for \(appetite.withEach) with each value\(appetite.nested ? ", by a request" : "")"
    }
    for request in appetite.later {
      lines[lines.count - 1] += ", for \(request.count.map(String.init) ?? "all") at \(request.time)"
    }
    lines[lines.count - 1] += "."
    switch cancellation {
    case .never: break
    case .inside(let count): lines.append("// It cancels while it receives value \(count).")
    case .at(let time): lines.append("// It cancels at \(time).")
    }
    return lines.joined(separator: "\n")
  }
}
