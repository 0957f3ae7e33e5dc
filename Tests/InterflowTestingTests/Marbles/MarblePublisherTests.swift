import InterflowTesting
import Testing

@Suite struct MarblePublisherTests {
  let timeline = TestTimeline()

  @Test func aHotPublisherSendsAtItsTimes() throws {
    let source = try timeline.hot("a-(bc)-|")
    let subscriber = RecordingSubscriber<String, Never>(on: timeline)
    source.subscribe(subscriber)
    timeline.run()
    #expect(
      subscriber.signals == [
        .subscription(at: 0), .value("a", at: 0), .value("b", at: 2), .value("c", at: 2), .finished(at: 4),
      ])
  }

  @Test func aHotPublisherDoesNotWait() throws {
    let source = try timeline.hot("a-b-c|")
    timeline.advance(by: 1)
    let subscriber = RecordingSubscriber<String, Never>(on: timeline, initialDemand: .max(1))
    source.subscribe(subscriber)
    timeline.run()
    #expect(subscriber.signals == [.subscription(at: 1), .value("b", at: 2), .finished(at: 5)])
    let late = RecordingSubscriber<String, Never>(on: timeline)
    source.subscribe(late)
    #expect(late.signals == [.subscription(at: 5), .finished(at: 5)])
  }

  @Test func aColdPublisherBeginsWithEachSubscriber() throws {
    let source = try timeline.cold("a-#", error: TestError())
    let subscribers = (0..<2).map { _ in RecordingSubscriber<String, TestError>(on: timeline) }
    source.subscribe(subscribers[0])
    timeline.advance(by: 1)
    source.subscribe(subscribers[1])
    timeline.run()
    #expect(
      subscribers[0].signals == [.subscription(at: 0), .value("a", at: 0), .failure(TestError(), at: 2)])
    #expect(
      subscribers[1].signals == [.subscription(at: 1), .value("a", at: 1), .failure(TestError(), at: 3)])
    #expect(source.subscriptions == ["^-#", "-^-#"])
  }

  @Test func aColdPublisherKeepsBackWhatIsNotAskedFor() throws {
    let source = try timeline.cold("(ab)c|")
    let subscriber = RecordingSubscriber<String, Never>(on: timeline, initialDemand: .none)
    source.subscribe(subscriber)
    timeline.run()
    #expect(subscriber.signals == [.subscription(at: 0)])
    subscriber.request(.max(2))
    #expect(subscriber.values == ["a", "b"])
    timeline.advance(by: 1)
    subscriber.request(.max(1))
    #expect(subscriber.values == ["a", "b", "c"])
    // As that of a buffer, the completion takes a request of its own.
    subscriber.request(.max(1))
    #expect(subscriber.signals.suffix(2) == [.value("c", at: 3), .finished(at: 3)])
  }

  @Test func cancellingForgetsWhatIsToCome() throws {
    let source = try timeline.cold("a-b-c-|")
    let subscriber = RecordingSubscriber<String, Never>(on: timeline, cancelsAfter: 2)
    source.subscribe(subscriber)
    timeline.run()
    #expect(subscriber.values == ["a", "b"])
    #expect(timeline.now == 2)
    try timeline.verifyFinished()
    #expect(source.subscriptions == ["^-!"])
  }

  @Test func framesAreAsLongAsSaid() throws {
    let timeline = TestTimeline(frame: .milliseconds(10))
    let source = try timeline.hot("--a|")
    let subscriber = RecordingSubscriber<String, Never>(on: timeline)
    source.subscribe(subscriber)
    timeline.run()
    #expect(subscriber.signals == [.subscription(at: 0), .value("a", at: 0.02), .finished(at: 0.03)])
  }

  @Test func subscriptionsAreSeen() throws {
    let source = try timeline.hot("abcdefg|")
    try timeline.expect(source.prefix(3), toEmit: "--(^c)d(e|)")
    #expect(source.subscriptions == ["--^-!"])
    let other = try timeline.cold("-|")
    timeline.advance(by: 1)
    try timeline.expect(other, toEmit: "-^|")
    #expect(other.subscriptions == ["--^|"])
    let third = try timeline.cold("a-")
    third.sink { _ in }.cancel()
    #expect(third.subscriptions == ["(^!)"])
  }

  @Test func valuesOfAnyType() throws {
    struct Person: Equatable { var name: String }
    let (ann, bob) = (Person(name: "Ann"), Person(name: "Bob"))
    let source = try timeline.hot("a-b|", values: ["a": ann, "b": bob])
    try timeline.expect(source.map(\.name), toEmit: "1-2|", values: ["1": "Ann", "2": "Bob"])
    let characters: MarblePublisher<Character, Never> = try timeline.hot("xy|", values: [:])
    try timeline.expect(characters, toEmit: "xy|")
  }

  @Test func cancellingWhileSubscribingForgetsWhatIsToCome() throws {
    let source = try timeline.cold("a-b|")
    let subscriber = RecordingSubscriber<String, Never>(on: timeline, cancelsAfter: 0)
    source.subscribe(subscriber)
    try timeline.verifyFinished()
    #expect(source.subscriptions == ["(^!)"])
  }

  @Test func otherThreadsMayCancel() throws {
    for _ in 0..<200 {
      let timeline = TestTimeline()
      let source = try timeline.cold("abcdefgh|")
      let subscriber = RecordingSubscriber<String, Never>(on: timeline)
      source.subscribe(subscriber)
      inParallel(2) { index in
        if index == 0 { timeline.run() } else { subscriber.cancel() }
      }
      try timeline.verifyFinished()
      #expect(subscriber.values == Array("abcdefgh".map(String.init).prefix(subscriber.values.count)))
    }
  }
}
