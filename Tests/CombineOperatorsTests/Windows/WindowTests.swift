import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

/// Records windows, and what each delivers.
private final class Windows {
  let recorder = RecordingSubscriber<AnyPublisher<Int, TestError>, TestError>()
  private(set) var all: [RecordingSubscriber<Int, TestError>] = []
  private(set) var log: [String] = []

  /// - Parameter onFirstEnd: Called inside the completion of the first window.
  init(onFirstEnd: @escaping () -> Void) {
    recorder.onValue = { [unowned self] in
      let window = RecordingSubscriber<Int, TestError>()
      all.append(window)
      let number = all.count
      log.append("\(number) begins")
      window.onCompletion = { [unowned self] _ in
        log.append("\(number) ends")
        if number == 1 { onFirstEnd() }
      }
      $0.subscribe(window)
    }
  }
}

@Suite struct WindowTests {
  private let source = TestPublisher<Int, TestError>(keepsSubscribers: true)

  @Test func windowHasANumberOfValues() {
    let recorder = source.window(count: 2).flatMap { $0.collect() }.recorded()
    for value in 1...5 { source.send(value) }
    #expect(recorder.values == [[1, 2], [3, 4]])
    source.send(completion: .finished)
    #expect(recorder.log == ["[1, 2]", "[3, 4]", "[5]", "finished"])
  }

  @Test func noWindowFollowsTheLastValue() {
    let windows = source.window(count: 2).recorded()
    for value in 1...2 { source.send(value) }
    source.send(completion: .finished)
    #expect(windows.values.count == 1)
    #expect(windows.values[0].recorded().log == ["1", "2", "finished"])
  }

  @Test func windowLivesOnWhenItsPublisherIsCancelled() {
    let recorder = source.window(count: 2).prefix(1).flatMap { $0 }.recorded()
    source.send(1)
    #expect(source.cancellations.isEmpty)
    for value in 2...4 { source.send(value) }
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(source.cancellations.count == 1)
  }

  @Test func windowHasASpanOfTime() {
    let timeline = TestTimeline()
    let recorder = source.window(time: .seconds(2), scheduler: timeline.scheduler).flatMap { $0.collect() }.recorded()
    source.send(1)
    timeline.advance(by: .seconds(1))
    source.send(2)
    timeline.advance(by: .seconds(1))
    source.send(3)
    timeline.advance(by: .seconds(4))
    source.send(completion: .finished)
    timeline.advance(by: .seconds(9))
    #expect(recorder.log == ["[1, 2]", "[3]", "[]", "[]", "finished"])
  }

  @Test(arguments: [1, 2, 3])
  func valueInsideTheDeliveryOfAWindowIsCounted(count: Int) {
    let recorder = RecordingSubscriber<AnyPublisher<Int, TestError>, TestError>()
    var windows: [RecordingSubscriber<Int, TestError>] = []
    recorder.onValue = { [source] in
      windows.append($0.recorded())
      if windows.count == 1 { source.send(9) }
    }
    source.window(count: count).subscribe(recorder)
    for value in 1...5 { source.send(value) }
    source.send(completion: .finished)
    let sizes = windows.map(\.values.count)
    #expect(sizes.dropLast().allSatisfy { $0 == count })
    #expect(sizes.reduce(0, +) == 6)
    #expect(windows.allSatisfy { $0.isFinished })
  }

  @Test func valueInsideTheEndOfAWindowBelongsToTheNext() {
    let timeline = TestTimeline()
    let windows = Windows { [source] in source.send(7) }
    source.window(time: .seconds(1), scheduler: timeline.scheduler).subscribe(windows.recorder)
    source.send(1)
    timeline.advance(by: .seconds(1))
    source.send(2)
    timeline.advance(by: .seconds(1))
    #expect(windows.all.prefix(2).map(\.log) == [["1", "finished"], ["7", "2", "finished"]])
  }

  @Test func windowFinishesBeforeTheNextIsDelivered() {
    let timeline = TestTimeline()
    let recorder = source.window(time: .seconds(1), scheduler: timeline.scheduler).map { $0.collect() }
      .switchToLatest().recorded()
    source.send(1)
    timeline.advance(by: .seconds(1))
    #expect(recorder.values == [[1]])
  }

  @Test func cancellationEndsTheTimer() {
    let (timeline, counter) = (TestTimeline(), LifetimeCounter())
    let subscription = source.window(time: .seconds(2), scheduler: timeline.scheduler)
      .subscription(holding: counter.make())
    timeline.advance(by: .seconds(2))
    #expect(timeline.pending.count == 1)
    subscription?.cancel()
    #expect(timeline.pending.isEmpty)
    #expect(source.cancellations.count == 1)
    source.releaseSubscribers()
    #expect(counter.count == 0)
  }

  @Test func followsTheRulesOfOperators() {
    expectOperatorRules("Window", isGuarded: false) { upstream, token in
      upstream.map { value -> Int in
        token.touch()
        return value
      }
      .window(count: 2).map { _ in 1 }
    }
  }

  @Test func windowOfTimeFollowsTheRulesOfOperators() {
    let timeline = TestTimeline()
    expectOperatorRules("Window", isGuarded: false) { upstream, token in
      upstream.map { value -> Int in
        token.touch()
        return value
      }
      .window(time: .seconds(1), scheduler: timeline.scheduler).map { _ in 1 }
    }
  }

  /// A window of time that has begun, and what sends values to it.
  private static func window() -> (subject: PassthroughSubject<Int, TestError>, window: AnyPublisher<Int, TestError>) {
    let (subject, timeline) = (PassthroughSubject<Int, TestError>(), TestTimeline())
    let windows = subject.window(time: .seconds(1), scheduler: timeline.scheduler).recorded()
    return (subject, windows.values[0])
  }

  @Test func valuesOfAWindowFollowTheRulesOfPublishers() async throws {
    try await PublisherVerification.verify(
      options: .patient,
      make: { count in
        let (subject, window) = Self.window()
        return PublisherUnderTest(window) {
          for number in 0..<count { subject.send(number) }
          subject.send(completion: .finished)
        } send: {
          subject.send(count)
        }
      },
      failing: {
        let (subject, window) = Self.window()
        return PublisherUnderTest(window) { subject.send(completion: .failure(TestError())) }
      })
  }

  @Test func windowsEndWhileAPublisherDeliversInsideItsSubscription() {
    let timeline = TestTimeline()
    let numbers = Publishers.Unfold(0) { number -> Int? in
      timeline.advance(by: .seconds(1))
      number += 1
      return number < 4 ? number : nil
    }
    let recorder = numbers.window(time: .seconds(1), scheduler: timeline.scheduler).flatMap { $0.collect() }.recorded()
    #expect(recorder.values.flatMap(\.self) == [1, 2, 3])
    #expect(recorder.values.allSatisfy { $0.count <= 1 })
    #expect(timeline.pending.isEmpty)
  }

  @Test func timeThatPassesInsideTheEndOfAWindowKeepsTheOrder() {
    let timeline = TestTimeline()
    let windows = Windows { timeline.advance(by: .seconds(1)) }
    source.window(time: .seconds(1), scheduler: timeline.scheduler).subscribe(windows.recorder)
    timeline.advance(by: .seconds(1))
    source.send(5)
    #expect(windows.log == ["1 begins", "1 ends", "2 begins", "2 ends", "3 begins"])
    #expect(windows.all.map(\.values) == [[], [], [5]])
  }

  @Test func valueAndCompletionInsideTheEndOfAWindowAreDelivered() {
    let timeline = TestTimeline()
    let windows = Windows { [source] in
      source.send(5)
      source.send(completion: .finished)
    }
    source.window(time: .seconds(1), scheduler: timeline.scheduler).subscribe(windows.recorder)
    timeline.advance(by: .seconds(1))
    #expect(windows.all.map(\.log) == [["finished"], ["5", "finished"]])
    #expect(windows.recorder.isFinished)
  }
}
