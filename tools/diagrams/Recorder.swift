import InterflowTesting

/// An output that a figure's code calls.
final class Recorder: @unchecked Sendable {  // Used on the thread that drives the timeline only.
  private let timeline: TestTimeline
  private(set) var marks: [Row.Mark] = []

  init(_ timeline: TestTimeline) { self.timeline = timeline }

  private var frame: Int { Row.frame(of: timeline.now) }

  func callAsFunction(_ value: some Any) {
    marks.append(Row.Mark(frame: frame, kind: .value(Row.Mark.parts(of: value))))
  }

  func finish() { marks.append(Row.Mark(frame: frame, kind: .finished)) }

  func fail() { marks.append(Row.Mark(frame: frame, kind: .failure)) }
}

/// A row that the figure's code writes, below the others.
func output() -> Input<Recorder> {
  Input(isOutput: true, make: { Recorder($0) }, rows: { [Row(marks: $0.marks)] })
}

/// The clock of the figure, for code that runs later.
func testClock() -> Input<TestClock> {
  Input(make: { $0.clock }, rows: { _ in [] })
}

/// The scheduler of the figure, for code that runs later.
func testScheduler() -> Input<TestScheduler> {
  Input(make: { $0.scheduler }, rows: { _ in [] })
}
