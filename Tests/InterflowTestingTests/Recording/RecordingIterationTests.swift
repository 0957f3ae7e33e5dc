import InterflowTesting
import Testing

@Suite struct RecordingIterationTests {
  @Test func elementsAndTheEndHaveTheirTimes() throws {
    let timeline = TestTimeline()
    let iteration = RecordingIteration(of: try timeline.sequence("a-b|"), on: timeline)
    timeline.run()
    #expect(iteration.signals.isEmpty)
    iteration.start()
    iteration.start()
    timeline.run()
    #expect(iteration.signals == [.value("a", at: 0), .value("b", at: 2), .finished(at: 3)])
    #expect(iteration.values == ["a", "b"])
  }

  @Test func aFailureIsRecorded() throws {
    let timeline = TestTimeline()
    let iteration = RecordingIteration(of: try timeline.sequence("-#", error: CancellationError()), on: timeline)
    iteration.start()
    timeline.run()
    #expect(iteration.signals.map(\.description) == ["failure: CancellationError() at 1 s"])
  }

  @Test func nothingIsRecordedAfterCancelling() throws {
    let timeline = TestTimeline()
    let iteration = RecordingIteration(of: try timeline.sequence("a--b|"), on: timeline)
    iteration.start()
    timeline.advance(by: 1)
    iteration.cancel()
    timeline.run()
    #expect(iteration.signals == [.value("a", at: 0)])
    #expect(timeline.pending.isEmpty)
  }

  @Test func anIterationThatIsCancelledFirstReceivesNothing() throws {
    let timeline = TestTimeline()
    let iteration = RecordingIteration(of: try timeline.sequence("ab|"), on: timeline)
    iteration.cancel()
    iteration.start()
    timeline.run()
    #expect(iteration.signals.isEmpty)
  }

  @Test func severalIterationsAreComparedWithDiagrams() throws {
    let timeline = TestTimeline()
    let first = RecordingIteration(of: try timeline.sequence("ab|"), on: timeline)
    let second = RecordingIteration(of: try timeline.sequence("-c-|"), on: timeline)
    first.start()
    second.start()
    timeline.run()
    try timeline.expect(first, toHaveReceived: "ab|")
    try timeline.expect(second, toHaveReceived: "-c-|")
    #expect(throws: MarbleMismatch.self) { try timeline.expect(second, toHaveReceived: "c--|") }
  }

  @Test func aDiagramShowsItsElements() throws {
    let timeline = TestTimeline()
    let base = try timeline.sequence("a-b|")
    let diagram = timeline.diagram("uppercased", inputs: ["base": base], output: base.map { $0.uppercased() })
    let other = TestTimeline()
    let iteration = RecordingIteration(of: try other.sequence("A-B|"), on: other)
    iteration.start()
    other.run()
    #expect(diagram.output == iteration.diagramRow(named: "output"))
    #expect(diagram.inputs == [base.diagramRow(named: "base")])
  }
}
