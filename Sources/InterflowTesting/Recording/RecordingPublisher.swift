public import Combine
import InterflowPrimitives

/// A publisher that passes on another's signals, and records them, the requests and the cancellations.
///
/// ```swift
/// let upstream = (1...10).publisher.recording()
/// upstream.first { $0 > 2 }.subscribe(RecordingSubscriber())
/// #expect(upstream.signals.compactMap(\.value) == [1, 2, 3])
/// #expect(upstream.cancellations.count == 1)
/// ```
///
/// The records of all subscribers are in one list, in order.
///
/// - Demand: Passes through, and is recorded, also the demand that a subscriber returns for a value.
/// - Thread: Signals are passed on on the thread on which they are received. Records may be read from any thread.
/// - Cancellation: Passes through, and is recorded.
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
  ///   - timeline: The timeline whose time is recorded; without one, all times are zero.
  public init(_ upstream: Upstream, on timeline: TestTimeline? = nil) {
    self.upstream = upstream
    self.timeline = timeline
  }

  /// The signals that upstream has sent.
  public var signals: [RecordedSignal<Output, Failure>] {
    lock.lock()
    defer { lock.unlock() }
    return recorded
  }

  /// The requests of the subscribers.
  public var requests: [RecordedRequest] {
    lock.lock()
    defer { lock.unlock() }
    return recordedRequests
  }

  /// The times of the cancellations.
  public var cancellations: [VirtualTime] {
    lock.lock()
    defer { lock.unlock() }
    return recordedCancellations
  }

  /// Subscribes to upstream, and records the signals, requests and cancellations.
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

// `lock` guards the variables; everything else is constant.
extension RecordingPublisher: @unchecked Sendable where Upstream: Sendable, Output: Sendable {}

extension Publisher {
  /// Records the signals, requests and cancellations between this publisher and its subscribers; see
  /// ``RecordingPublisher``.
  public func recording(on timeline: TestTimeline? = nil) -> RecordingPublisher<Self> {
    RecordingPublisher(self, on: timeline)
  }
}
