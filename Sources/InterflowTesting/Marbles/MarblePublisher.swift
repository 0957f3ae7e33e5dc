public import Combine
import InterflowPrimitives

/// A publisher that sends the signals of a marble diagram.
///
/// ``TestTimeline/hot(_:values:error:)`` and ``TestTimeline/cold(_:values:error:)`` make one.
///
/// - Demand: A hot publisher drops values without demand, as a `PassthroughSubject` does. A cold one buffers them until
///   they are requested. It completes as a `buffer` does: `finished` needs demand, and a failure is delivered after the
///   values that have been requested.
/// - Thread: Signals are sent on the thread that lets time pass.
/// - Cancellation: A cold publisher cancels the scheduled signals of the subscriber.
public final class MarblePublisher<Output, Failure: Error>: Publisher {
  // Guarded by `lock`: `windows`.

  /// The time from a subscriber's subscription to its end.
  struct Window {
    let start: VirtualTime
    var end: (time: VirtualTime, mark: Character)?
    /// The work that is scheduled for this subscriber only.
    var scheduled: [UInt64] = []
  }

  private let timeline: TestTimeline
  private let script: MarbleScript<Output, Failure>
  private let start: VirtualTime
  private let subject: PassthroughSubject<Output, Failure>?
  private let lock = Lock()
  private var windows: [Window] = []

  init(_ script: MarbleScript<Output, Failure>, on timeline: TestTimeline, isHot: Bool) {
    self.script = script
    self.timeline = timeline
    start = timeline.now
    subject = isHot ? PassthroughSubject() : nil
    if let subject { _ = schedule(on: subject) }  // No cancellation ends a hot publisher.
  }

  /// When each subscription began and ended: a diagram for each subscriber.
  ///
  /// `^` is the subscription, `!` the cancellation, `|` and `#` the completion. The first frame is the time when the
  /// publisher was made:
  ///
  /// ```swift
  /// let timeline = TestTimeline()
  /// let source = try timeline.hot("a-b-c-|")
  /// try timeline.expect(source.prefix(2), toEmit: "a-(b|)")
  /// #expect(source.subscriptions == ["^-!"])
  /// ```
  public var subscriptions: [String] {
    lock.lock()
    let windows = windows
    lock.unlock()
    return windows.map { window in
      let first = timeline.frames(from: start, to: window.start).whole
      var text = String(repeating: "-", count: first) + "^"
      if let end = window.end {
        let last = timeline.frames(from: start, to: end.time).whole
        text =
          last == first
          ? String(repeating: "-", count: first) + "(^\(end.mark))"
          : text + String(repeating: "-", count: last - first - 1) + String(end.mark)
      }
      return text
    }
  }

  /// Attaches a subscriber. A cold publisher starts the diagram for it now.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    lock.lock()
    let index = windows.count
    windows.append(Window(start: timeline.now))
    lock.unlock()

    if let subject {
      recordEnd(of: subject, index).receive(subscriber: subscriber)
    } else {
      let subject = PassthroughSubject<Output, Failure>()
      recordEnd(of: subject.buffer(size: .max, prefetch: .byRequest, whenFull: .dropNewest), index)
        .receive(subscriber: subscriber)
      let scheduled = schedule(on: subject)
      lock.lock()
      let isCancelled = windows[index].end != nil
      if !isCancelled { windows[index].scheduled = scheduled }
      lock.unlock()
      if isCancelled { unschedule(scheduled) }
    }
  }

  /// Records when a subscription ends.
  private func recordEnd<P: Publisher>(of publisher: P, _ index: Int) -> Publishers.HandleEvents<P> {
    publisher.handleEvents(
      receiveCompletion: { completion in
        if case .failure = completion { self.close(index, mark: "#") } else { self.close(index, mark: "|") }
      },
      receiveCancel: { self.close(index, mark: "!") })
  }

  /// Schedules the signals of the script, beginning now.
  ///
  /// - Returns: The identifiers of the scheduled work.
  private func schedule(on subject: PassthroughSubject<Output, Failure>) -> [UInt64] {
    let start = timeline.now
    return script.steps.map { step in
      timeline.add(due: start.advanced(by: timeline.frame.times(step.frame)), .once(name: "marble")) {
        switch step.kind {
        case .value(let value): subject.send(value)
        case .finished: subject.send(completion: .finished)
        case .failure(let error): subject.send(completion: .failure(error))
        case .subscription: break
        }
      }
    }
  }

  /// Removes scheduled work: the last first, so that a thread that lets time pass meanwhile skips none in the middle.
  private func unschedule(_ scheduled: [UInt64]) {
    for id in scheduled.reversed() { timeline.remove(id) }
  }

  private func close(_ index: Int, mark: Character) {
    let time = timeline.now
    lock.lock()
    if windows[index].end == nil { windows[index].end = (time, mark) }
    let scheduled = windows[index].scheduled
    windows[index].scheduled = []
    lock.unlock()
    unschedule(scheduled)
  }
}

// `lock` guards `windows`; the rest never changes, and a subject may be used from any thread.
extension MarblePublisher: @unchecked Sendable where Output: Sendable {}

extension MarblePublisher: DiagramSource {
  /// The signals of the publisher: since a hot one was made, or since the first subscription to a cold one.
  public func diagramRow(named name: String) -> StreamDiagram.Row {
    lock.lock()
    let first = windows.first?.start
    lock.unlock()
    let start = subject == nil ? first ?? start : start
    return StreamDiagram.Row(
      name,
      signals: script.steps.map { RecordedSignal($0.kind, at: start.advanced(by: timeline.frame.times($0.frame))) })
  }
}

extension TestTimeline {
  /// The number of whole frames between two times, and whether there is no remainder.
  func frames(from start: VirtualTime, to time: VirtualTime) -> (whole: Int, isExact: Bool) {
    let (whole, rest) = start.distance(to: time).nanoseconds.quotientAndRemainder(dividingBy: frame.nanoseconds)
    return (whole, rest == 0)
  }
}
