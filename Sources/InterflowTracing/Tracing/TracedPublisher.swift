import InterflowPrimitives

/// A publisher whose signals are recorded while its recorder is on.
///
/// Made by `traced(_:recorder:)`. Its subscriber gets what it would get without it: the demand, the values and the end
/// pass through unchanged, on the same threads.
public struct TracedPublisher<Upstream: Publisher>: Publisher {
  /// The kind of values that the publisher delivers.
  public typealias Output = Upstream.Output
  /// The kind of error that may end the publisher.
  public typealias Failure = Upstream.Failure

  /// The publisher whose signals are recorded.
  public let upstream: Upstream
  /// The name of the lane.
  public let name: String

  @usableFromInline let recorder: TraceRecorder
  @usableFromInline let recorded: (Output) -> RecordedValue

  @usableFromInline
  init(upstream: Upstream, name: String, recorder: TraceRecorder, recorded: @escaping (Output) -> RecordedValue) {
    self.upstream = upstream
    self.name = name
    self.recorder = recorder
    self.recorded = recorded
  }

  /// Attaches a subscriber.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(TracedSubscriber(subscriber, TracedLane(name, recorder), recorded))
  }
}

extension Publisher {
  /// Records subscriptions, demand, values, the end and the cancellation under a name, while a recorder is on.
  ///
  /// Integers of up to 64 bits, `Double`, `Float`, `Bool`, and the first 24 bytes of a `String`, `Substring` or
  /// `Character` are recorded as they are; of values of other types, only that there was one. Use
  /// `traced(_:recorder:render:)` for those.
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .traced("numbers")
  ///   .sink { print($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the lane in recordings. All subscriptions with the same name share it. A recording tells
  ///     4,095 names apart.
  ///   - recorder: The recorder.
  /// - Demand: Passes through.
  public func traced(_ name: String, recorder: TraceRecorder = .shared) -> TracedPublisher<Self> {
    TracedPublisher(upstream: self, name: name, recorder: recorder, recorded: recordedForm(of: Output.self))
  }

  /// Records subscriptions, demand, values, the end and the cancellation under a name, with values as text.
  ///
  /// ```swift
  /// struct City { var name: String }
  /// let cancellable = Just(City(name: "Oslo"))
  ///   .traced("cities") { $0.name }
  ///   .sink { print($0.name) }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the lane in recordings.
  ///   - recorder: The recorder.
  ///   - render: Called with each value before it is delivered, while the recorder is on and records values. The first
  ///     24 bytes of the text are recorded.
  /// - Demand: Passes through.
  public func traced(
    _ name: String, recorder: TraceRecorder = .shared, render: @escaping (Output) -> String
  ) -> TracedPublisher<Self> {
    TracedPublisher(
      upstream: self, name: name, recorder: recorder,
      recorded: recorder.recordsValues ? { .text(render($0)) } : { _ in .none })
  }
}

/// Stands between a publisher and a subscriber.
///
/// It has no state of its own, so nothing has to be guarded: the publisher releases it with the end or the
/// cancellation, and the subscriber releases its subscription, as they would release each other.
@usableFromInline
final class TracedSubscriber<Downstream: Subscriber>: Subscriber, CustomStringConvertible {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let lane: TracedLane
  @usableFromInline let recorded: (Input) -> RecordedValue

  @inlinable
  init(_ downstream: Downstream, _ lane: TracedLane, _ recorded: @escaping (Input) -> RecordedValue) {
    self.downstream = downstream
    self.lane = lane
    self.recorded = recorded
  }

  deinit { lane.released() }

  @usableFromInline
  func receive(subscription: any Subscription) {
    lane.subscribed(to: subscription)
    downstream.receive(subscription: TracedSubscription(subscription, lane))
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    lane.isOn ? receiveRecorded(input) : downstream.receive(input)
  }

  @usableFromInline
  func receiveRecorded(_ input: Input) -> Subscribers.Demand {
    let more = lane.deliver(recorded(input)) { downstream.receive(input) }
    if more > .none { lane.request(more) }
    return more
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: lane.finished()
    case .failure(let error): lane.failed(error)
    }
    downstream.receive(completion: completion)
  }

  @usableFromInline var description: String { "Traced(\(lane.name))" }
}

/// The subscription that the subscriber gets.
@usableFromInline
final class TracedSubscription: Subscription, ReleasingSubscription, CustomStringConvertible {
  private let upstream: any Subscription
  private let lane: TracedLane

  @usableFromInline
  init(_ upstream: any Subscription, _ lane: TracedLane) {
    self.upstream = upstream
    self.lane = lane
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    lane.request(demand)
    upstream.request(demand)
  }

  @usableFromInline
  func cancel() {
    // Upstream may release the subscriber now. Until this has returned, a value may still come.
    let isFirst = lane.cancels()
    upstream.cancel()
    if isFirst { lane.wasCancelled() }
  }

  /// It does what the subscription does that upstream sent, at once.
  @usableFromInline var releasesSubscriberOnCancel: Bool {
    (upstream as? any ReleasingSubscription)?.releasesSubscriberOnCancel ?? false
  }

  @usableFromInline var description: String { "Traced(\(lane.name))" }
}
