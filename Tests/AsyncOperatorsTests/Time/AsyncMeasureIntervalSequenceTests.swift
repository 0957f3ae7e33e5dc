import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncMeasureIntervalSequenceTests {
  private let timeline = TestTimeline()

  @Test func theTimeBetweenElementsIsMeasured() throws {
    let source = try timeline.sequence("-a--(bc)-|")
    let intervals = source.measureInterval(using: timeline.clock).map { $0.components.seconds }
    try timeline.expect(intervals, toEmit: "-1--(30)-|", values: ["1": 1, "3": 3, "0": 0])
  }

  @Test func aFailureIsThatOfTheBase() throws {
    let source = try timeline.sequence("a-#", error: TestError("a"))
    let intervals = source.measureInterval(using: timeline.clock).map { $0.components.seconds }
    try timeline.expect(intervals, toEmit: "0-#", values: ["0": 0], error: TestError("a"))
  }

  @Test func cancellingEndsIt() throws {
    let source = try timeline.sequence("a-")
    let intervals = source.measureInterval(using: timeline.clock).map { $0.components.seconds }
    try timeline.expect(intervals, toEmit: "0-!", values: ["0": 0])
    try timeline.verifyFinished()
  }

  @Test func nothingIsTakenAhead() async {
    let source = naturals()
    var iterator = source.measureInterval(using: .continuous).makeAsyncIterator()
    for taken in 1...10 {
      _ = await iterator.next()
      #expect(source.taken.value == taken)
    }
  }

  @Test func failuresAreTyped() {
    #expect(fails(ready([1]).measureInterval(using: .continuous), with: Never.self))
    #expect(fails(ready([1], failure: TestError("a")).measureInterval(using: .continuous), with: TestError.self))
  }
}
