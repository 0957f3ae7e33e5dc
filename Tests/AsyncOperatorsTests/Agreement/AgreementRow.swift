import AsyncOperators
import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

/// The diagrams of a publisher's inputs, and the timeline they are on.
struct PublisherInputs {
  let timeline: TestTimeline
  let all: [MarblePublisher<Int, TestError>]

  var a: MarblePublisher<Int, TestError> { all[0] }
  var b: MarblePublisher<Int, TestError> { all[1] }
  var c: MarblePublisher<Int, TestError> { all[2] }
  var d: MarblePublisher<Int, TestError> { all[3] }

  var scheduler: TestScheduler { timeline.scheduler }
}

/// The same diagrams as asynchronous sequences.
struct SequenceInputs {
  let timeline: TestTimeline
  let all: [MarbleSequence<Int, TestError>]

  var a: MarbleSequence<Int, TestError> { all[0] }
  var b: MarbleSequence<Int, TestError> { all[1] }
  var c: MarbleSequence<Int, TestError> { all[2] }
  var d: MarbleSequence<Int, TestError> { all[3] }

  var clock: TestClock { timeline.clock }
}

/// Two to four diagrams that have no frame in common, so that nothing depends on who comes first in a frame.
struct RandomDiagrams {
  let all: [String]

  var a: String { all[0] }
  var b: String { all[1] }
  var firstFails: Bool { a.hasSuffix("#") }
  var oneFails: Bool { all.contains { $0.hasSuffix("#") } }
  /// Whether one ends before its first element.
  var oneIsEmpty: Bool {
    all.contains { diagram in diagram.hasSuffix("|") && diagram.allSatisfy { $0 == "-" || $0 == "|" } }
  }

  private static let digits = Array("0123456789AB")
  private static let values = Dictionary(uniqueKeysWithValues: digits.enumerated().map { ($1, $0) })

  /// The elements of the first, with their frames.
  var firstElements: [(frame: Int, value: Int)] {
    a.enumerated().compactMap { frame, character in Self.values[character].map { (frame, $0) } }
  }

  /// - Parameters:
  ///   - seed: What the diagrams follow from.
  ///   - count: How many there are.
  init(seed: UInt64, count: Int) {
    var random = Random(seed)
    all = (0..<count).map { Self.diagram(index: $0, of: count, &random) }
  }

  private static func diagram(index: Int, of count: Int, _ random: inout Random) -> String {
    var frames: [Character] = []
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let values = digits[(3 * index)..<(3 * index + 3)]
      frames.append(Int.random(in: 0..<3, using: &random) == 0 ? "-" : values.randomElement(using: &random) ?? "-")
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: frames.append("#")
    case 1: break
    default: frames.append("|")
    }
    let others = String(repeating: "-", count: count - 1)
    return others.prefix(index) + frames.map(String.init).joined(separator: others)
  }

  func publishers(on timeline: TestTimeline) throws -> PublisherInputs {
    PublisherInputs(
      timeline: timeline,
      all: try all.enumerated().map {
        try timeline.cold($1, values: Self.values, error: TestError("failure of input \($0)"))
      })
  }

  func sequences(on timeline: TestTimeline) throws -> SequenceInputs {
    SequenceInputs(
      timeline: timeline,
      all: try all.enumerated().map {
        try timeline.sequence($1, values: Self.values, error: TestError("failure of input \($0)"))
      })
  }
}

/// An operator in both worlds.
struct AgreementRow: Sendable, CustomTestStringConvertible {
  let name: String
  /// How many diagrams it takes.
  let inputCount: Int
  /// Where the two may differ; `nil` if they do not.
  let difference: Difference?
  /// Whether the order within a frame is the same as well.
  let isOrdered: Bool
  private let publish: @Sendable (RandomDiagrams) throws -> [RecordedText]
  private let iterate: @Sendable (RandomDiagrams) throws -> [RecordedText]

  /// A difference, and the diagrams for which there may be one.
  struct Difference: Sendable {
    let reason: String
    let isPossible: @Sendable (RandomDiagrams) -> Bool
  }

  /// A signal of either world.
  struct RecordedText: Equatable, CustomStringConvertible {
    let time: VirtualTime
    let text: String
    var description: String { "\(text) at \(time)" }
  }

  /// - Parameters:
  ///   - name: The operator, as it is called.
  ///   - inputCount: How many diagrams it takes.
  ///   - reason: Why the two differ.
  ///   - isPossible: For which diagrams they may.
  ///   - isOrdered: Whether the order within a frame is the same as well.
  ///   - publisher: The operator of publishers.
  ///   - sequence: The operator of sequences.
  init<P: Publisher, S: AsyncSequence>(
    _ name: String, of inputCount: Int = 2, differs reason: String? = nil,
    when isPossible: @escaping @Sendable (RandomDiagrams) -> Bool = { _ in false },
    isOrdered: Bool = true,
    _ publisher: @escaping @Sendable (PublisherInputs) -> P, _ sequence: @escaping @Sendable (SequenceInputs) -> S
  ) where P: SendableMetatype, S: SendableMetatype {
    self.name = name
    self.inputCount = inputCount
    difference = reason.map { Difference(reason: $0, isPossible: isPossible) }
    self.isOrdered = isOrdered
    publish = { diagrams in
      let timeline = TestTimeline()
      let subscriber = RecordingSubscriber<P.Output, P.Failure>(on: timeline)
      publisher(try diagrams.publishers(on: timeline)).subscribe(subscriber)
      timeline.advance(to: Self.horizon)
      subscriber.cancel()
      return subscriber.signals.compactMap { signal in
        if case .subscription = signal.kind { nil } else { RecordedText(time: signal.time, text: "\(signal.kind)") }
      }
    }
    iterate = { diagrams in
      let timeline = TestTimeline()
      let iteration = RecordingIteration(of: sequence(try diagrams.sequences(on: timeline)), on: timeline)
      iteration.start()
      timeline.advance(to: Self.horizon)
      iteration.cancel()
      return iteration.signals.map { RecordedText(time: $0.time, text: "\($0.kind)") }
    }
  }

  /// Long after the last signal.
  private static var horizon: VirtualTime { VirtualTime.zero.advanced(by: 100) }

  var testDescription: String { name }

  /// What both worlds make of the diagrams.
  func outcomes(_ diagrams: RandomDiagrams) throws -> (published: [RecordedText], iterated: [RecordedText]) {
    (sorted(try publish(diagrams)), sorted(try iterate(diagrams)))
  }

  private func sorted(_ signals: [RecordedText]) -> [RecordedText] {
    if isOrdered { return signals }
    return signals.sorted { ($0.time, $0.text) < ($1.time, $1.text) }
  }
}

/// An asynchronous sequence of what an `async` function returns.
struct OneResult<Element: Sendable>: AsyncSequence, Sendable {
  let result: @Sendable () async throws -> Element?

  struct Iterator: AsyncIteratorProtocol {
    var result: (@Sendable () async throws -> Element?)?

    mutating func next() async throws -> Element? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      try await result.take()?()
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(result: result) }
}
