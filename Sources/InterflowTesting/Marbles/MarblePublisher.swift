public import Combine
import InterflowPrimitives

/// A publisher that does what a marble diagram says.
///
/// ``TestTimeline/hot(_:values:error:)`` and ``TestTimeline/cold(_:values:error:)`` make one.
///
/// - Demand: A hot publisher drops values without demand, as a `PassthroughSubject` does. A cold one buffers them until
///   they are requested; it ends as a `buffer` does, with a completion that takes a request, and a failure that waits
///   only for what has been requested.
/// - Thread: Signals are sent on the thread that lets time pass.
/// - Cancellation: A cold publisher forgets what it would have sent.
public final class MarblePublisher<Output, Failure: Error>: Publisher {
  // Guarded by `lock`: `windows`.

  /// A subscriber's time with the publisher.
  struct Window {
    let start: VirtualTime
    var end: (time: VirtualTime, mark: Character)?
    /// What is scheduled for the subscriber alone.
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
    if let subject { _ = play(on: subject) }  // Nobody's cancellation ends what is hot.
  }

  /// Who subscribed when, and until when: a diagram for each subscriber.
  ///
  /// `^` is the subscription and `!` the cancellation; `|` and `#` end the subscription of a subscriber who stayed. All
  /// begin when the publisher was made:
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

  /// Serves a subscriber from now on.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    lock.lock()
    let index = windows.count
    windows.append(Window(start: timeline.now))
    lock.unlock()

    if let subject {
      watch(subject, index).receive(subscriber: subscriber)
    } else {
      let subject = PassthroughSubject<Output, Failure>()
      watch(subject.buffer(size: .max, prefetch: .byRequest, whenFull: .dropNewest), index)
        .receive(subscriber: subscriber)
      let scheduled = play(on: subject)
      lock.lock()
      let isCancelled = windows[index].end != nil
      if !isCancelled { windows[index].scheduled = scheduled }
      lock.unlock()
      if isCancelled { forget(scheduled) }
    }
  }

  /// Keeps track of one subscriber's time.
  private func watch<P: Publisher>(_ publisher: P, _ index: Int) -> Publishers.HandleEvents<P> {
    publisher.handleEvents(
      receiveCompletion: { completion in
        if case .failure = completion { self.close(index, mark: "#") } else { self.close(index, mark: "|") }
      },
      receiveCancel: { self.close(index, mark: "!") })
  }

  /// Schedules what the script says, from now on.
  ///
  /// - Returns: What identifies the work.
  private func play(on subject: PassthroughSubject<Output, Failure>) -> [UInt64] {
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

  /// The last first, so that a thread that lets time pass meanwhile leaves no gap.
  private func forget(_ scheduled: [UInt64]) {
    for id in scheduled.reversed() { timeline.remove(id) }
  }

  private func close(_ index: Int, mark: Character) {
    let time = timeline.now
    lock.lock()
    if windows[index].end == nil { windows[index].end = (time, mark) }
    let scheduled = windows[index].scheduled
    windows[index].scheduled = []
    lock.unlock()
    forget(scheduled)
  }
}

// `lock` guards `windows`; the rest never changes, and a subject may be used from any thread.
extension MarblePublisher: @unchecked Sendable where Output: Sendable {}

extension MarblePublisher: DiagramSource {
  /// What the publisher does: a hot one since it was made, a cold one since its first subscriber came.
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
  /// How many frames lie between two times, and whether they are whole ones.
  func frames(from start: VirtualTime, to time: VirtualTime) -> (whole: Int, isExact: Bool) {
    let (whole, rest) = start.distance(to: time).nanoseconds.quotientAndRemainder(dividingBy: frame.nanoseconds)
    return (whole, rest == 0)
  }
}
