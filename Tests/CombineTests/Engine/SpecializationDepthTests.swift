import InterflowTestSupport
import InterflowTesting
import Testing

@testable import Combine

/// A chain so long that parts of it are subscribed to through a receiver behaves as a short one does.
@Suite("Long typed chains") struct SpecializationDepthTests {
  private typealias Source = TestPublisher<Int, TestError>

  private func two<P: Publisher>(_ publisher: P) -> some Publisher<Int, P.Failure> where P.Output == Int {
    publisher.scan(0) { $0 + $1 }.filter { $0 != 0 }
  }

  private func eight<P: Publisher>(_ publisher: P) -> some Publisher<Int, P.Failure> where P.Output == Int {
    two(two(two(two(publisher))))
  }

  /// The fourth running sum of the running sums, and so on: binomial coefficients.
  @Test func valuesPassThroughEveryOperatorInOrder() {
    let source = Source(keepsSubscribers: true)
    let recorder = eight(eight(source)).recorded()
    for _ in 0..<4 { source.send(1) }
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "9", "45", "165", "finished"])
  }

  @Test func failurePasses() {
    let source = Source(keepsSubscribers: true)
    let recorder = eight(source).recorded()
    source.send(completion: .failure(TestError("failed")))
    #expect(recorder.log == ["failed"])
  }

  @Test func demandPassesBothWays() {
    let source = Source(keepsSubscribers: true)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2), demandForEach: { .max($0) })
    eight(source).subscribe(recorder)
    #expect(source.requests == [.max(2)])
    #expect(source.send(3) == .max(3))
  }

  @Test func cancellationReachesTheUpstreamOnceAndReleasesEverything() {
    let source = Source(keepsSubscribers: true)
    weak var token: Token?
    let cancellable = {
      let held = Token()
      token = held
      return eight(source.map { [held] in held.pass($0) }).map { [held] in held.pass($0) }
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    }()
    source.send(1)
    #expect(token != nil)
    cancellable.cancel()
    source.releaseSubscribers()
    #expect(source.cancellations.count == 1)
    #expect(token == nil)
  }

  @Test func upstreamSeesTheOperatorThatSubscribes() {
    let source = Source(keepsSubscribers: true)
    let recorder = source.scan(0, +).scan(0, +).scan(0, +).scan(0, +).recorded()
    #expect(source.subscription?.subscriber.map { "\($0)" } == "Scan")
    withExtendedLifetime(recorder) {}
  }

  @Test func typesStopGrowing() {
    let names = Shared<[Int]>([])
    func spied<P: Publisher<Int, Never>>(_ publisher: P) -> some Publisher<Int, Never> {
      two(Spy(upstream: publisher) { names.value.append($0.count) })
    }
    spied(spied(spied(spied(spied(spied(Just(1))))))).sink { _ in }.cancel()
    let lengths = names.value
    #expect(lengths.count == 6)
    #expect(lengths.suffix(2).allSatisfy { $0 < 2 * lengths[1] }, "\(lengths)")
  }

  @Test func typesStopGrowingBehindAnotherPublisher() {
    let names = Shared<[Int]>([])
    func report(_ name: String) { names.value.append(name.count) }
    func appended<P: Publisher<Int, Never>>(_ publisher: P) -> some Publisher<Int, Never> {
      Spy(upstream: publisher, report: report).append(0)
    }
    appended(appended(appended(appended(appended(appended(Just(1))))))).sink { _ in }.cancel()
    let appending = names.value
    #expect(appending.count == 6)
    #expect(appending.suffix(2).allSatisfy { $0 < 2 * appending[0] }, "\(appending)")

    names.value = []
    func prepended<P: Publisher<Int, Never>>(_ publisher: P) -> some Publisher<Int, Never> {
      Spy(upstream: publisher, report: report).prepend(0)
    }
    prepended(prepended(prepended(prepended(prepended(prepended(Just(1))))))).sink { _ in }.cancel()
    let prepending = names.value
    #expect(prepending.count == 6)
    #expect(prepending.suffix(2).allSatisfy { $0 < 2 * prepending[0] }, "\(prepending)")
  }

  @Test func typesStopGrowingBehindMergedPublishers() {
    let names = Shared<[Int]>([])
    func report(_ name: String) { names.value.append(name.count) }
    func merged<P: Publisher<Int, Never>>(_ publisher: P) -> some Publisher<Int, Never> {
      Spy(upstream: publisher, report: report).merge(with: Empty())
    }
    merged(merged(merged(merged(merged(merged(Just(1))))))).sink { _ in }.cancel()
    let lengths = names.value
    #expect(lengths.count == 6)
    #expect(lengths.suffix(2).allSatisfy { $0 < 2 * lengths[1] }, "\(lengths)")
  }

  @Test func plainSubscribersHaveTheDepthOfTheirBaseClass() {
    typealias End = RecordingSubscriber<Int, TestError>
    #expect(depth(of: End.self) == 0)
    #expect(depth(of: PlainStage<End>.self) == SpecializationDepth.stage)
    #expect(depth(of: PlainReduceStage<End>.self) == SpecializationDepth.stage)
    #expect(depth(of: PlainSerialSubscription<End>.self) == SpecializationDepth.stage)
    #expect(depth(of: PlainScheduledSubscription<End>.self) == SpecializationDepth.stage)
    #expect(depth(of: PlainStage<PlainStage<End>>.self) == 2 * SpecializationDepth.stage)
  }

  private func depth<S: Subscriber>(of _: S.Type) -> Int { S._specializationDepth }

  // Declared with `Subscriber` instead of `OperatorSubscriber`.

  private final class PlainStage<Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>, Subscriber {
    func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }
  }

  private final class PlainReduceStage<Downstream: Subscriber>: ReduceStage<Downstream.Failure, Downstream>, Subscriber
  {
    func receive(_ input: Downstream.Input) -> Subscribers.Demand { .none }
  }

  private final class PlainSerialSubscription<Downstream: Subscriber>: SerialSubscription<Void, Downstream>, Subscriber
  {
    func receive(subscription: any Subscription) {}
    func receive(_ input: Downstream.Input) -> Subscribers.Demand { .none }
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {}
  }

  private final class PlainScheduledSubscription<Downstream: Subscriber>: ScheduledSubscription<
    ImmediateScheduler, Downstream
  >, Subscriber
  {
    func receive(_ input: Downstream.Input) -> Subscribers.Demand { .none }
  }

  private final class Token: Sendable {
    func pass(_ value: Int) -> Int { value }
  }

  /// Reports the type of the subscriber that it receives.
  private struct Spy<Upstream: Publisher>: Publisher {
    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    let upstream: Upstream
    let report: (String) -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      report("\(S.self)")
      upstream.subscribe(subscriber)
    }
  }
}
