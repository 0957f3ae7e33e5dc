import InterflowTesting
import XCTest

/// What is thrown is enough for XCTest too.
final class XCTestTests: XCTestCase {
  func testExpectationsThatHold() throws {
    let timeline = TestTimeline()
    try timeline.expect(try timeline.cold("a-b|").map { $0.uppercased() }, toEmit: "A-B|")
  }

  func testExpectationsThatDoNotHold() throws {
    let timeline = TestTimeline()
    let source = try timeline.cold("a-b|")
    XCTAssertThrowsError(try timeline.expect(source, toEmit: "a-c|")) { error in
      XCTAssertEqual((error as? MarbleMismatch)?.actual, "a-b|")
    }
  }

  func testAsyncTests() async throws {
    let clock = TestClock()
    let task = Task(executorPreference: clock.timeline) { try await clock.sleep(for: .seconds(1)) }
    await clock.advance(by: .seconds(1))
    try await task.value
    XCTAssertNoThrow(try clock.verifyFinished())
  }
}
