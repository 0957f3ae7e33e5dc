@testable import Combine
import Testing

@Suite("SubjectSubscriber")
struct SubjectSubscriberTests {
  @Test func aSecondSubscriptionIsCancelled() {
    let subject = CurrentValueSubject<Int, Never>(0)
    let upstream = ManualPublisher<Int, Never>()
    let cancellable = upstream.subscribe(subject)
    upstream.sendSubscription()
    #expect(upstream.cancellations == 1)
    #expect(upstream.requests == [.unlimited])
    withExtendedLifetime(cancellable) {}
  }

  @Test func subjectLetsGoOfUpstreamsThatHaveEnded() {
    let subject = PassthroughSubject<Int, Never>()
    var cancellables: [AnyCancellable] = []
    for _ in 0..<1_000 {
      // Never completes the subject: each upstream is cancelled instead.
      let cancellable = ManualPublisher<Int, Never>().subscribe(subject)
      cancellable.cancel()
      cancellables.append(cancellable)
    }
    #expect(subject.core.upstreams.count <= 8)
  }

  @Test func valuesWithoutASubscriptionAreDropped() {
    let subject = CurrentValueSubject<Int, Never>(0)
    let upstream = ManualPublisher<Int, Never>(subscribes: false)
    let cancellable = upstream.subscribe(subject)
    upstream.send(1)
    #expect(subject.value == 0)
    withExtendedLifetime(cancellable) {}
  }

  @Test func nothingFollowsTheCompletion() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = Recorder<Int, Never>()
    subject.subscribe(recorder)
    let upstream = ManualPublisher<Int, Never>()
    let cancellable = upstream.subscribe(subject)
    upstream.send(1)
    upstream.send(completion: .finished)
    upstream.send(2)
    #expect(recorder.log == ["1", "finished"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func aCompletedConnectionKeepsNothingOfTheUpstreamAlive() {
    let lifetime = LifetimeCounter()
    let subject = PassthroughSubject<Int, Never>()
    subject.subscribe(Recorder<Int, Never>())
    let source = PassthroughSubject<Int, Never>()
    let cancellable = {
      let token = lifetime.make()
      return source.map { value in
        token.touch()
        return value
      }.subscribe(subject)
    }()
    #expect(lifetime.count == 1)
    source.send(completion: .finished)
    #expect(lifetime.count == 0)
    withExtendedLifetime(cancellable) {}
  }

  @Test func aChainOfSubjectsPassesEverythingOn() {
    let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
    let cancellables = zip(subjects, subjects.dropFirst()).map { $0.subscribe($1) }
    let recorder = Recorder<Int, Never>()
    subjects[3].subscribe(recorder)
    subjects[0].send(1)
    subjects[0].send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
    withExtendedLifetime(cancellables) {}
  }
}
