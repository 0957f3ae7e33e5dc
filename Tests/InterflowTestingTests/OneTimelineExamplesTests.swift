import InterflowTesting
import Testing

/// The examples of *Time in tests* in which pipelines and tasks have one time, word for word.
// swift-format-ignore
@Suite struct OneTimelineExamplesTests {
  @Test func aSearchOnOneTimeline() throws {
    let timeline = TestTimeline()
    let typed = PassthroughSubject<String, Never>()
    let subscriber = RecordingSubscriber<String, Never>(on: timeline)
    typed
      .debounce(for: .milliseconds(300), scheduler: timeline.scheduler)
      .task(maxPublishers: .max(1)) { text -> String in
        try? await timeline.clock.sleep(for: .seconds(1))
        return "found \(text)"
      }
      .timeout(5, scheduler: timeline.scheduler)
      .subscribe(subscriber)

    typed.send("c")
    timeline.advance(by: .milliseconds(200))
    typed.send("ca")
    timeline.run()
    #expect(subscriber.signals == [.subscription(at: 0), .value("found ca", at: 1.5), .finished(at: 6.5)])
  }

  @Test func aRetryThatWaits() throws {
    struct Refused: Error, Equatable {}

    let timeline = TestTimeline()
    var attempts: [VirtualTime] = []
    let request = Deferred { () -> Result<String, Refused>.Publisher in
      attempts.append(timeline.now)
      return attempts.count < 3 ? Result.failure(Refused()).publisher : Result.success("answer").publisher
    }
    let subscriber = RecordingSubscriber<String, Refused>(on: timeline)
    request
      .catch { error in Fail(error: error).delay(for: 10, scheduler: timeline.scheduler) }
      .retry(2)
      .subscribe(subscriber)

    timeline.run()
    #expect(attempts == [0, 10, 20])
    #expect(subscriber.signals == [.subscription(at: 0), .value("answer", at: 20), .finished(at: 20)])
  }

  @Test func aLoopWithAClock() throws {
    let timeline = TestTimeline()
    let ticks = try timeline.run {
      var ticks: [VirtualTime] = []
      for await _ in AsyncTimerSequence(interval: .seconds(2), clock: timeline.clock).prefix(3) {
        ticks.append(timeline.now)
      }
      return ticks
    }
    #expect(ticks == [2, 4, 6])
  }
}
