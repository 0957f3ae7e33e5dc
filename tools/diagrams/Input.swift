import Combine
import InterflowTesting

/// The error of sources that fail.
struct Offline: Error, Equatable {}

/// A source of a figure, described before there is a timeline for it.
struct Input<Source> {
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

/// A publisher of strings that begins anew for each subscriber.
func cold(_ marbles: String) -> Input<MarblePublisher<String, Never>> {
  publisher(isHot: false) { try $0.cold(marbles) }
}

/// A publisher of integers that begins anew for each subscriber, and fails at `#`.
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
func elements(_ marbles: String) -> Input<MarbleSequence<String, Never>> {
  sequence { try $0.sequence(marbles) }
}

/// A sequence of integers.
func integers(_ marbles: String) -> Input<MarbleSequence<Int, Never>> {
  sequence { try $0.sequence(marbles, values: digits) }
}

/// A sequence of integers that fails at `#`.
func failingIntegers(_ marbles: String) -> Input<MarbleSequence<Int, Offline>> {
  sequence { try $0.sequence(marbles, values: digits, error: Offline()) }
}

private func sequence<Element, Failure: Error>(
  _ make: @escaping (TestTimeline) throws -> MarbleSequence<Element, Failure>
) -> Input<MarbleSequence<Element, Failure>> {
  Input {
    do { return try make($0) } catch { preconditionFailure("\(error)") }
  } rows: {
    [Row(marks: $0.diagramRow(named: "").marks.compactMap(Row.Mark.init))]
  }
}
