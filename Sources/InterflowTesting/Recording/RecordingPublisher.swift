public import Combine
import InterflowPrimitives

/// A publisher that passes another's signals on, and records what passes in both directions.
///
/// ```swift
/// let upstream = (1...10).publisher.recording()
/// upstream.first { $0 > 2 }.subscribe(RecordingSubscriber())
/// #expect(upstream.signals.compactMap(\.value) == [1, 2, 3])
/// #expect(upstream.cancellations.count == 1)
/// ```
///
/// The records are those of all its subscribers together, in the order in which things happened.
///
/// - Demand: That of the subscribers; recorded, also what they ask for in return for a value.
/// - Thread: Signals pass on the thread on which they come. Records may be read from any thread.
/// - Cancellation: Passed on, and recorded.
public final class RecordingPublisher<Upstream: Publisher>: Publisher {
  // Guarded by `lock`: the variables.

  /// The values of the publisher whose signals are recorded.
  public typealias Output = Upstream.Output
  /// The failure of the publisher whose signals are recorded.
  public typealias Failure = Upstream.Failure

  private let upstream: Upstream
  private let timeline: TestTimeline?
  private let lock = Lock()
  private var recorded: [RecordedSignal<Output, Failure>] = []
  private var recordedRequests: [RecordedRequest] = []
  private var recordedCancellations: [VirtualTime] = []

  /// Makes a publisher that records another's signals.
  ///
  /// - Parameters:
  ///   - upstream: The publisher whose signals to record.
  ///   - timeline: Gives the records their time; without, all are recorded as of the beginning.
  public init(_ upstream: Upstream, on timeline: TestTimeline? = nil) {
    self.upstream = upstream
    self.timeline = timeline
  }

  /// What upstream sent.
  public var signals: [RecordedSignal<Output, Failure>] {
    lock.lock()
    defer { lock.unlock() }
    return recorded
  }

  /// What downstream requested.
  public var requests: [RecordedRequest] {
    lock.lock()
    defer { lock.unlock() }
    return recordedRequests
  }

  /// When downstream cancelled.
  public var cancellations: [VirtualTime] {
    lock.lock()
    defer { lock.unlock() }
    return recordedCancellations
  }

  /// Subscribes to the upstream publisher, and records what passes.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream
      .handleEvents(
        receiveSubscription: { _ in self.record { $0.recorded.append(.subscription(at: $1)) } },
        receiveOutput: { value in self.record { $0.recorded.append(.value(value, at: $1)) } },
        receiveCompletion: { completion in self.record { $0.recorded.append(RecordedSignal(.init(completion), at: $1)) }
        },
        receiveCancel: { self.record { $0.recordedCancellations.append($1) } },
        receiveRequest: { demand in self.record { $0.recordedRequests.append(RecordedRequest(demand, at: $1)) } }
      )
      .receive(subscriber: subscriber)
  }

  private func record(_ change: (RecordingPublisher, VirtualTime) -> Void) {
    let time = timeline?.now ?? .zero
    lock.lock()
    change(self, time)
    lock.unlock()
  }
}

// `lock` guards the variables; the rest never changes.
extension RecordingPublisher: @unchecked Sendable where Upstream: Sendable, Output: Sendable {}

extension Publisher {
  /// Records what passes between this publisher and its subscribers; see ``RecordingPublisher``.
  public func recording(on timeline: TestTimeline? = nil) -> RecordingPublisher<Self> {
    RecordingPublisher(self, on: timeline)
  }
}
