import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AmbTests {
  private let first = TestPublisher<Int, TestError>(keepsSubscribers: true)
  private let second = TestPublisher<Int, TestError>(keepsSubscribers: true)

  @Test func firstToDeliverWinsAndTheOtherIsCancelled() {
    let recorder = first.amb(second).recorded()
    second.send(1)
    #expect(first.cancellations.count == 1)
    first.send(2)
    second.send(3)
    second.send(completion: .finished)
    #expect(recorder.values == [1, 3])
    #expect(recorder.isFinished)
  }

  @Test func completionDecidesToo() {
    let recorder = first.amb(second).recorded()
    first.send(completion: .failure(TestError("first")))
    #expect(recorder.log == ["first"])
    #expect(second.cancellations.count == 1)
  }

  @Test func bothAreRequestedUntilOneDelivers() {
    let recorder = first.amb(second).recorded(demand: .max(2))
    #expect(first.requests == [.max(2)])
    #expect(second.requests == [.max(2)])
    first.send(1)
    recorder.request(.max(1))
    #expect(first.requests == [.max(2), .max(1)])
    #expect(second.requests == [.max(2)])
  }

  @Test func synchronousPublisherWinsOverLaterOnes() {
    #expect(Just(1).amb(Just(2)).recorded().values == [1])
    #expect(race(Just(1), Just(2)).recorded().values == [1])
    #expect(race([Just(3), Just(2)]).recorded().values == [3])
  }

  /// Delivers a value with its subscription, without demand.
  private struct Eager: Publisher {
    typealias Output = Int
    typealias Failure = TestError

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      subscriber.receive(subscription: Subscriptions.empty)
      _ = subscriber.receive(1)
    }
  }

  @Test func publisherAfterTheWinnerIsNotSubscribedTo() {
    let two = Eager().amb(first).recorded()
    let many = Eager().amb(with: second).recorded()
    #expect(two.values == [1])
    #expect(many.values == [1])
    #expect(first.subscriptions.isEmpty)
    #expect(second.subscriptions.isEmpty)
  }

  @Test func collectionOfPublishersCompetes() {
    let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
    let all = subjects.amb().recorded()
    let others = subjects[0].amb(with: Array(subjects[1...])).recorded()
    let listed = subjects[0].amb(with: subjects[1], subjects[2], subjects[3]).recorded()
    for (number, subject) in subjects.enumerated().reversed() { subject.send(number) }
    for recorder in [all, others, listed] { #expect(recorder.values == [3]) }
  }

  @Test func emptyCollectionFinishes() {
    #expect([Just<Int>]().amb().recorded().isFinished)
  }

  @Test func followsTheRulesOfOperators() {
    expectOperatorRules("Amb.Subscription<Int, TestError>") { upstream, token in
      upstream.map { value in
        token.touch()
        return value
      }
      .amb(Empty(completeImmediately: false))
    }
  }

  @Test func signalThatACancellationCausesFollowsTheFirst() {
    let winner = PassthroughSubject<Int, TestError>()
    let recorder = winner.amb(second.handleEvents(receiveCancel: { winner.send(2) })).recorded()
    winner.send(1)
    #expect(recorder.values == [1, 2])
    let ending = PassthroughSubject<Int, TestError>()
    let ended = ending.amb(first.handleEvents(receiveCancel: { ending.send(completion: .finished) })).recorded()
    ending.send(1)
    #expect(ended.log == ["1", "finished"])
  }

  @Test func cancellationInsideTheFirstValueCancelsTheLoserAtOnce() {
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onValue = { [second, unowned recorder] _ in
      recorder.cancel()
      #expect(second.cancellations.count == 1)
    }
    first.amb(second).subscribe(recorder)
    first.send(1)
    #expect(recorder.values == [1])
  }

  @Test func loserIsCancelledBeforeACompletionIsDelivered() {
    let recorder = RecordingSubscriber<Int, TestError>()
    recorder.onCompletion = { [second] _ in #expect(second.cancellations.count == 1) }
    first.amb(second).subscribe(recorder)
    first.send(completion: .finished)
    #expect(recorder.isFinished)
  }
}
