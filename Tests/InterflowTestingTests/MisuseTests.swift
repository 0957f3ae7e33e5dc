import Foundation
import InterflowTesting
import Testing

@Suite struct MisuseTests {
  @Test func timeDoesNotPassBackwards() async {
    await #expect(processExitsWith: .failure) { TestTimeline().advance(by: -1) }
    await #expect(processExitsWith: .failure) {
      let timeline = TestTimeline()
      timeline.advance(by: 2)
      timeline.advance(to: 1)
    }
    await #expect(processExitsWith: .failure) { await TestClock().advance(by: .seconds(-1)) }
  }

  @Test func aRepetitionNeedsAnInterval() async {
    await #expect(processExitsWith: .failure) {
      let scheduler = TestScheduler()
      scheduler.schedule(after: 1, interval: 0) {}.cancel()
    }
  }

  @Test func workWithoutEndIsAMistakeOfRun() async {
    await #expect(processExitsWith: .failure) {
      let scheduler = TestScheduler(timeline: TestTimeline(stepLimit: 100))
      func again() { scheduler.schedule { again() } }
      again()
      scheduler.run()
    }
  }

  @Test func workWithoutEndAtOneTimeIsAMistakeOfAdvance() async {
    await #expect(processExitsWith: .failure) {
      alarm(600)
      signal(SIGALRM) { _ in exit(0) }
      let scheduler = TestScheduler(timeline: TestTimeline(stepLimit: 100))
      func again() { scheduler.schedule { again() } }
      again()
      scheduler.advance(by: 1)
    }
  }

  @Test func aFrameTakesTime() async {
    await #expect(processExitsWith: .failure) { _ = TestTimeline(frame: 0) }
  }

  @Test func demandNeedsASubscription() async {
    await #expect(processExitsWith: .failure) { RecordingSubscriber<Int, Never>().request(.max(1)) }
  }
}
