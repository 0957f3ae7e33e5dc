import InterflowTesting
import InterflowTestSupport
import Testing

@testable import InterflowTracing

@Suite struct TraceRecorderTests {
  @Test func whileItIsOffNothingIsRecorded() {
    let recorder = TraceRecorder()
    _ = [1, 2].publisher.traced("numbers", recorder: recorder).sink { _ in }
    #expect(recorder.recording().lanes.isEmpty)
    #expect(!recorder.isOn)
  }

  @Test func everythingIsRecordedInOrder() {
    let recorder = TraceRecorder()
    recorder.start()
    _ = [1, 2].publisher.traced("numbers", recorder: recorder).sink { _ in }
    #expect(
      recorder.kinds("numbers") == [
        .subscribed, .requested(nil), .value("1", number: 1), .value("2", number: 2), .finished,
      ])
  }

  @Test func whatComesAfterStopIsNotRecorded() {
    let recorder = TraceRecorder()
    let subject = PassthroughSubject<Int, Never>()
    recorder.start()
    let cancellable = subject.traced("numbers", recorder: recorder).sink { _ in }
    subject.send(1)
    recorder.stop()
    subject.send(2)
    cancellable.cancel()
    #expect(recorder.kinds("numbers") == [.subscribed, .requested(nil), .value("1", number: 1)])
    #expect(recorder.recording().findings.map(\.kind) == [.isLive], "it had not ended when the recording had")
  }

  @Test func aStreamThatWasThereBeforeJoins() {
    let recorder = TraceRecorder()
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.traced("numbers", recorder: recorder).sink { _ in }
    recorder.start()
    subject.send(7)
    cancellable.cancel()
    #expect(recorder.kinds("numbers") == [.joined, .value("7", number: 1), .cancelled])
    #expect(recorder.recording().findings.isEmpty, "it has requested values, before the recording")
  }

  @Test func aNewRecordingForgetsTheOneBefore() {
    let recorder = TraceRecorder()
    let subject = PassthroughSubject<Int, Never>()
    recorder.start()
    let cancellable = subject.traced("numbers", recorder: recorder).sink { _ in }
    subject.send(1)
    recorder.start()
    #expect(recorder.kinds("numbers").count == 3, "start does nothing while it is on")
    recorder.stop()
    recorder.start()
    subject.send(2)
    cancellable.cancel()
    #expect(recorder.kinds("numbers") == [.joined, .value("2", number: 1), .cancelled])
    let subscription = recorder.recording().lanes[0].subscriptions[0]
    #expect(subscription.number == 1)
    #expect(!subscription.isLive)
  }

  @Test(arguments: [1, 7, 64, 100, 1_000, 5_000])
  func theOldestAreDroppedAndCounted(capacity: Int) {
    let recorder = TraceRecorder(capacity: capacity)
    recorder.start()
    _ = (1...10_000).publisher.traced("numbers", recorder: recorder).sink { _ in }
    let recording = recorder.recording()
    let events = recording.lanes[0].subscriptions[0].events
    // The subscription, the request and the end are events too.
    #expect(events.count + recording.droppedCount == 10_003)
    #expect(events.count <= capacity)
    #expect(events.count > capacity / 4)
    let numbers = events.compactMap { if case .value(_, let number) = $0.kind { number } else { nil } }
    let last = numbers.last ?? 10_001
    #expect(numbers == Array((last - numbers.count + 1)..<(last + 1)), "no hole")
    #expect(events.last?.kind == .finished)
  }

  @Test func anIdleThreadsOldEventsAreNotKeptAfterYoungerOnes() async {
    let recorder = TraceRecorder(capacity: 1_000)
    recorder.start()
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.traced("numbers", recorder: recorder).sink { _ in }
    await onThread { subject.send(0) }
    await onThread { for number in 1...10_000 { subject.send(number) } }
    let recording = recorder.recording()
    let values = recording.lanes[0].subscriptions[0].events.compactMap {
      if case .value(_, let number) = $0.kind { number } else { nil }
    }
    #expect(values.first != 1)
    #expect(values == Array((10_001 - values.count + 1)...10_001))
    cancellable.cancel()
  }

  @Test func whatComesAtOneVirtualTimeKeepsItsOrder() async {
    let timeline = TestTimeline()
    let recorder = TraceRecorder(clock: timeline.clock)
    recorder.start()
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.traced("numbers", recorder: recorder).sink { _ in }
    for number in 1...17 { await onThread { subject.send(number) } }
    cancellable.cancel()
    let values = (1...17).map { TraceRecording.Event.Kind.value(TraceRecording.Text("\($0)"), number: $0) }
    #expect(recorder.kinds("numbers") == [.subscribed, .requested(nil)] + values + [.cancelled])
    #expect(recorder.recording().marbles(of: "numbers", frame: .seconds(1)) != nil)
  }

  @Test func valuesAreNotKeptAlive() {
    final class Value {}
    let recorder = TraceRecorder()
    recorder.start()
    weak var value: Value?
    do {
      let strong = Value()
      value = strong
      _ = Just(strong).traced("values", recorder: recorder) { _ in "a value" }.sink { _ in }
    }
    #expect(value == nil)
    #expect(recorder.kinds("values").contains(.value("a value", number: 1)))
  }

  @Test func withoutValuesNoneIsRecordedNorRendered() {
    struct Failure: Error, CustomStringConvertible {
      var description: String { "the password" }
    }
    let recorder = TraceRecorder(recordsValues: false)
    recorder.start()
    _ = Just("secret").traced("plain", recorder: recorder).sink { _ in }
    _ = Just("secret").traced("rendered", recorder: recorder) { _ in
      Issue.record("called")
      return ""
    }.sink { _ in }
    _ = Fail<Int, Failure>(error: Failure()).traced("failed", recorder: recorder).sink { _ in
    } receiveValue: { _ in
    }
    recorder.hook("work")(
      TraceEvent(kind: .init(rawValue: "w"), source: "s", message: "m", start: .now, error: Failure()))
    let recording = recorder.recording()
    #expect(recorder.kinds("plain").contains(.value(nil, number: 1)))
    #expect(recorder.kinds("failed").contains(.failed(nil)))
    for text in [recording.html(), recording.chromeTraceEvents()] {
      #expect(!text.contains("secret") && !text.contains("password"))
    }
  }

  @Test func aValueOfTheRecordingBeforeIsNoCause() {
    let recorder = TraceRecorder()
    recorder.start()
    let inner = PassthroughSubject<Int, Never>()
    let cancellable = inner.traced("inner", recorder: recorder).sink { _ in }
    _ = Just(1).traced("outer", recorder: recorder).sink { _ in
      recorder.stop()
      recorder.start()
      inner.send(2)
    }
    #expect(recorder.kinds("inner") == [.joined, .value("2", number: 1)])
    #expect(recorder.recording().lanes.flatMap(\.subscriptions).flatMap(\.events).allSatisfy { $0.cause == nil })
    cancellable.cancel()
  }

  @Test func aRecorderIsReleasedAlsoWhereAStreamLives() {
    let subject = PassthroughSubject<Int, Never>()
    weak var released: TraceRecorder?
    do {
      let recorder = TraceRecorder()
      released = recorder
      recorder.start()
      let cancellable = subject.traced("lives", recorder: recorder).sink { _ in }
      recorder.stop()
      #expect(recorder.recording().findings.map(\.kind) == [.isLive])
      withExtendedLifetime(cancellable) {}
    }
    #expect(released == nil)
  }

  @Test func longNamesAreCutAndStayTheSame() {
    let recorder = TraceRecorder()
    recorder.start()
    let name = String(repeating: "x", count: 100_000)
    for _ in 0..<3 { _ = Just(1).traced(name, recorder: recorder).sink { _ in } }
    let lanes = recorder.recording().lanes
    #expect(lanes.map(\.subscriptions.count) == [3])
    #expect(lanes[0].name.count == 501)
  }

  @Test func aTextThatFitsIsNotCut() {
    let recorder = TraceRecorder()
    recorder.start()
    let names = [500, 501].map { String(repeating: "я", count: $0) }
    for name in names { _ = Just(1).traced(name, recorder: recorder).sink { _ in } }
    #expect(recorder.recording().lanes.map(\.name) == [names[0], names[0] + "…"])
  }

  @Test func aLongNameIsTheSameOfStreamsThatLive() {
    let recorder = TraceRecorder(capacity: 100)
    recorder.start()
    let name = String(repeating: "x", count: 100_000)
    let subject = PassthroughSubject<Int, Never>()
    let live = (0..<3).map { _ in subject.traced(name, recorder: recorder).sink { _ in } }
    _ = (0..<1_000).publisher.traced("busy", recorder: recorder).sink { _ in }
    // Of one of them there is an event, of the others none any more.
    live[0].cancel()
    let lanes = recorder.recording().lanes
    #expect(lanes.map(\.name.count) == [4, 501])
    #expect(lanes.map(\.subscriptions.count) == [1, 3])
    #expect(recorder.recording(limit: 2).lanes.allSatisfy { $0.name.count <= 501 })
    for cancellable in live { cancellable.cancel() }
  }

  @Test func streamsThatLiveAreFoundByTheirEventsAndTheirAge() {
    let recorder = TraceRecorder()
    recorder.start()
    let subjects = (0..<5_000).map { _ in PassthroughSubject<Int, Never>() }
    let live = subjects.map { $0.traced("numbers", recorder: recorder).sink { _ in } }
    // The newest, the oldest and many between end; the second sends.
    for index in 0..<5_000 where index == 0 || index == 4_999 || index % 3 == 2 { live[index].cancel() }
    subjects[1].send(7)
    let lives = (1...5_000).filter { $0 != 1 && $0 != 5_000 && $0 % 3 != 0 }
    let all = recorder.recording().lanes[0].subscriptions
    #expect(all.filter(\.isLive).map(\.number) == lives)
    #expect(all.count == 5_000)
    let some = recorder.recording(limit: 10).lanes[0].subscriptions.filter(\.isLive)
    #expect(some.map(\.number).sorted() == [2] + lives.suffix(10))
    // Most have ended then.
    for index in 0..<5_000 where index % 50 != 1 { live[index].cancel() }
    let few = lives.filter { $0 % 50 == 2 }
    #expect(recorder.recording().lanes[0].subscriptions.filter(\.isLive).map(\.number) == few)
    recorder.stop()
    #expect(recorder.recording().lanes[0].subscriptions.filter(\.isLive).map(\.number) == few)
    for cancellable in live { cancellable.cancel() }
  }

  @Test func inventedNamesAreBounded() {
    let recorder = TraceRecorder()
    recorder.start()
    for number in 0..<10_000 { _ = Just(1).traced("request \(number)", recorder: recorder).sink { _ in } }
    let lanes = recorder.recording().lanes
    #expect(lanes.count == 4_096)
    #expect(lanes.last?.name == "(others)")
    #expect(lanes.reduce(0) { $0 + $1.valueCount } == 10_000)
  }

  @Test func aLongStatementIsNotTheOldestEvent() {
    let recorder = TraceRecorder(capacity: 100)
    recorder.start()
    _ = (0..<1_000).publisher.traced("busy", recorder: recorder).sink { _ in }
    let start = ContinuousClock.now - .seconds(30)
    recorder.hook("database")(
      TraceEvent(
        kind: .init(rawValue: "statement"), source: "s", message: "SELECT", start: start, duration: .seconds(1)))
    let work = recorder.recording().work
    #expect(work.map(\.duration) == [.seconds(1)])
    // It began before the recording.
    #expect(work.map(\.start) == [.zero])
  }

  @Test func eventsOfARecordingThatIsOverAreReleased() throws {
    let recorder = TraceRecorder()
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.traced("numbers", recorder: recorder).sink { _ in }
    recorder.start()
    for number in 0..<1_000 { subject.send(number) }
    let recording = try #require(recorder.active)
    #expect(recording.snapshot().lanes[0].valueCount == 1_000)
    recorder.stop()
    #expect(recording.snapshot().lanes[0].valueCount == 1_000)
    recorder.start()
    // The stream is quiet, so it still refers to the recording.
    #expect(recording.snapshot().lanes.allSatisfy { $0.valueCount == 0 })
    recording.record(.value, subscription: 1, name: 0)
    #expect(recording.snapshot().lanes.allSatisfy { $0.valueCount == 0 }, "nothing is kept for a reader who is late")
    cancellable.cancel()
  }

  @Test func workIsPlacedByTheClock() {
    let timeline = TestTimeline()
    let recorder = TraceRecorder(clock: timeline.clock)
    recorder.start()
    timeline.advance(by: 5)
    let start = ContinuousClock.now - .seconds(30)
    recorder.hook("database")(
      TraceEvent(kind: .init(rawValue: "s"), source: "s", message: "m", start: start, duration: .milliseconds(3)))
    #expect(recorder.recording().work.map(\.start) == [.seconds(5)])
  }

  @Test func timesAreThoseOfTheClock() {
    let timeline = TestTimeline()
    let recorder = TraceRecorder(clock: timeline.clock)
    recorder.start()
    let cancellable = Just(1).delay(for: 3, scheduler: timeline.scheduler).traced("late", recorder: recorder)
      .sink { _ in }
    timeline.advance(by: 10)
    recorder.stop()
    let recording = recorder.recording()
    #expect(recording.duration == .seconds(10))
    #expect(recording.lanes[0].subscriptions[0].events.map(\.time) == [.zero, .zero, .seconds(3), .seconds(3)])
    cancellable.cancel()
  }

  /// Does something while it is asked for the time.
  private struct CuriousClock: Clock {
    let whileAsked: @Sendable () -> Void

    var now: ContinuousClock.Instant {
      whileAsked()
      return .now
    }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
  }

  @Test func aClockMayUseTheRecorder() {
    let shared = Shared<TraceRecorder?>(nil)
    let recorder = TraceRecorder(
      clock: CuriousClock {
        // Once: a recording reads the clock too.
        guard let asked = shared.update({ $0.take() }) else { return }
        _ = asked.recording()
        shared.value = asked
      })
    shared.value = recorder
    recorder.start()
    _ = Just(1).traced("numbers", recorder: recorder).sink { _ in }
    recorder.stop()
    #expect(recorder.recording().lanes.map(\.valueCount) == [1])
    shared.value = nil
  }

  @Test func aRecordingBeginsWhileAnotherIsEnding() {
    let shared = Shared<TraceRecorder?>(nil)
    let recorder = TraceRecorder(clock: CuriousClock { shared.update { $0.take() }?.start() })
    recorder.start()
    shared.value = recorder
    recorder.stop()
    #expect(recorder.isOn)
    _ = Just(1).traced("numbers", recorder: recorder).sink { _ in }
    recorder.stop()
    #expect(recorder.recording().lanes.map(\.valueCount) == [1])
  }

  @Test func manyThreadsLoseNothing() async {
    let recorder = TraceRecorder(capacity: 100_000)
    recorder.start()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          await onThread {
            for _ in 0..<100 {
              _ = (0..<10).publisher.traced("thread \(thread)", recorder: recorder).sink { _ in }
            }
          }
        }
      }
      // Recordings may be read meanwhile.
      group.addTask {
        for _ in 0..<20 { _ = recorder.recording().findings }
      }
    }
    let recording = recorder.recording()
    #expect(recording.droppedCount == 0)
    #expect(recording.lanes.map(\.valueCount) == Array(repeating: 1_000, count: 8))
    #expect(recording.findings.isEmpty)
    for subscription in recording.lanes.flatMap(\.subscriptions) {
      #expect(subscription.events.map(\.kind).first == .subscribed)
      #expect(subscription.events.map(\.kind).last == .finished)
    }
  }

  @Test func startsAndStopsMayMeetSignals() async {
    let recorder = TraceRecorder(capacity: 1_000)
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.traced("numbers", recorder: recorder).sink { _ in }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await onThread { for number in 0..<2_000 { subject.send(number) } } }
      group.addTask {
        await onThread {
          for _ in 0..<200 {
            recorder.start()
            recorder.stop()
            _ = recorder.recording()
          }
        }
      }
    }
    cancellable.cancel()
    recorder.start()
    #expect(recorder.recording().lanes.isEmpty)
  }
}

extension TraceRecorder {
  /// What happened on the only subscription of a lane.
  func kinds(_ name: String) -> [TraceRecording.Event.Kind] {
    recording().lanes.first { $0.name == name }?.subscriptions.first?.events.map(\.kind) ?? []
  }
}

extension TraceRecording.Text: ExpressibleByStringLiteral {
  /// A text that is not cut.
  public init(stringLiteral value: String) { self.init(value) }
}
