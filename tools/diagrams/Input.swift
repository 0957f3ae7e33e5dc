import Combine
import InterflowTesting

/// The error of sources that fail.
struct Offline: Error, Equatable, CustomDebugStringConvertible {
  var debugDescription: String { "Offline" }
}

/// A source of a figure, described before there is a timeline for it.
struct Input<Source> {
  /// Whether its rows are below the code.
  var isOutput = false
  let make: (TestTimeline) -> Source
  /// The rows that show what the source did.
  let rows: (Source) -> [Row]
}

// MARK: Publishers

/// A publisher of strings that sends with or without subscribers.
func letters(_ marbles: String) -> Input<MarblePublisher<String, Never>> {
  hot(marbles, values: [:], error: nil)
}

/// A publisher of integers that sends with or without subscribers.
func numbers(_ marbles: String) -> Input<MarblePublisher<Int, Never>> {
  hot(marbles, values: digits, error: nil)
}

/// A publisher of integers that sends with or without subscribers, and fails at `#`.
func failing(_ marbles: String) -> Input<MarblePublisher<Int, Offline>> {
  hot(marbles, values: digits, error: Offline())
}

/// A publisher of strings that begins again for each subscriber.
func cold(_ marbles: String) -> Input<MarblePublisher<String, Never>> {
  publisher(isHot: false) { try $0.cold(marbles) }
}

/// A publisher of integers that begins again for each subscriber.
func coldNumbers(_ marbles: String) -> Input<MarblePublisher<Int, Never>> {
  publisher(isHot: false) { try $0.cold(marbles, values: digits) }
}

/// A publisher of integers that begins again for each subscriber, and fails at `#`.
func coldFailing(_ marbles: String) -> Input<MarblePublisher<Int, Offline>> {
  publisher(isHot: false) { try $0.cold(marbles, values: digits, error: Offline()) }
}

/// A publisher of strings, and `nil` for `o`.
func optionals(_ marbles: String) -> Input<MarblePublisher<String?, Never>> {
  hot(marbles, values: ["a": "a", "b": "b", "c": "c", "o": nil], error: nil)
}

private let digits = Dictionary(uniqueKeysWithValues: (0...9).map { (Character("\($0)"), $0) })

private func hot<Output, Failure: Error>(
  _ marbles: String, values: [Character: Output], error: Failure?
) -> Input<MarblePublisher<Output, Failure>> {
  publisher(isHot: true) { try $0.hot(marbles, values: values, error: error) }
}

private func publisher<Output, Failure: Error>(
  isHot: Bool, _ make: @escaping (TestTimeline) throws -> MarblePublisher<Output, Failure>
) -> Input<MarblePublisher<Output, Failure>> {
  Input {
    do { return try make($0) } catch { preconditionFailure("\(error)") }
  } rows: { publisher in
    let marks = publisher.diagramRow(named: "").marks.compactMap(Row.Mark.init)
    let windows = publisher.subscriptions.map(Window.init)
    return isHot ? [Row(hot: marks, windows)] : Row.rows(cold: marks, windows)
  }
}

// MARK: Asynchronous sequences

/// A sequence of strings.
func elements(_ marbles: String) -> Input<TracedSequence<String, Never>> {
  sequence { try $0.sequence(marbles) }
}

/// A sequence of the bytes of its letters; `/` is the end of a line.
func bytes(_ marbles: String) -> Input<TracedSequence<UInt8, Never>> {
  let letters = marbles.filter(\.isLetter).map { ($0, $0.asciiValue ?? 0) }
  return sequence {
    try $0.sequence(marbles, values: Dictionary(letters + [("/", 10)], uniquingKeysWith: { first, _ in first }))
  }
}

/// A sequence of integers.
func integers(_ marbles: String) -> Input<TracedSequence<Int, Never>> {
  sequence { try $0.sequence(marbles, values: digits) }
}

/// A sequence of integers that fails at `#`.
func failingIntegers(_ marbles: String) -> Input<TracedSequence<Int, Offline>> {
  sequence { try $0.sequence(marbles, values: digits, error: Offline()) }
}

/// A sequence of strings, and `nil` for `o`.
func optionalElements(_ marbles: String) -> Input<TracedSequence<String?, Never>> {
  sequence { try $0.sequence(marbles, values: ["a": "a", "b": "b", "c": "c", "o": nil]) }
}

private func sequence<Element: Sendable, Failure: Error>(
  _ make: @escaping (TestTimeline) throws -> MarbleSequence<Element, Failure>
) -> Input<TracedSequence<Element, Failure>> {
  Input {
    do { return TracedSequence(base: try make($0), log: IterationLog($0)) } catch { preconditionFailure("\(error)") }
  } rows: { sequence in
    let marks = sequence.base.diagramRow(named: "").marks.compactMap(Row.Mark.init)
    if sequence.log.windows.isEmpty { return [Row(marks: [])] }
    // What was there and not taken is not shown.
    return Row.rows(
      zip(sequence.log.windows, sequence.log.counts).map { window, count in
        let hasEnded = window.end.map { !$0.isCancelled } ?? false
        return (marks.prefix(hasEnded ? marks.count : count).map { $0.delayed(by: window.start) }, window)
      })
  }
}
