public import Combine
import InterflowPrimitives

extension TestTimeline {
  /// Subscribes to a publisher, lets time pass, and throws if the publisher does not do what a marble diagram says.
  ///
  /// The diagram's first column is the present. Each character stands for its value in the dictionary; where there is
  /// none, and values are strings, for itself. `#` stands for `error`; without one, for any failure.
  ///
  /// ```swift
  /// let timeline = TestTimeline()
  /// let source = try timeline.hot("ab---c---|")
  /// try timeline.expect(source.debounce(for: 2, scheduler: timeline.scheduler), toEmit: "---b---c-|")
  /// ```
  ///
  /// Time passes to the end of the diagram, and further until the publisher completes or nothing is scheduled but
  /// repetitions that have begun: what comes too late is a difference too. `^` in the diagram is when to subscribe, and
  /// `!` when to cancel, both at the beginning of their frame.
  ///
  /// - Throws: ``MarbleMismatch``, whose description has both diagrams; ``MarbleSyntaxError``.
  /// - Demand: Unlimited.
  public func expect<P: Publisher>(
    _ publisher: P, toEmit diagram: String, values: [Character: P.Output] = [:], error: P.Failure? = nil,
    fileID: StaticString = #fileID, line: Int = #line
  ) throws where P.Output: Equatable {
    let expectation = try MarbleExpectation(diagram, values: values, error: error)
    let start = now
    let subscriber = RecordingSubscriber<P.Output, P.Failure>(on: self)
    observe(
      expectation.syntax, subscribe: { publisher.subscribe(subscriber) }, cancel: { subscriber.cancel() },
      isOver: { subscriber.completion != nil })
    try expectation.check(subscriber.signals, since: start, on: self, fileID: "\(fileID)", line: line)
  }

  /// Iterates an asynchronous sequence, lets time pass, and throws if it does not do what a marble diagram says.
  ///
  /// The diagram is read as for publishers: `^` is when iteration begins, and `!` when its task is cancelled; how the
  /// sequence ends after that does not matter.
  ///
  /// ```swift
  /// let timeline = TestTimeline()
  /// let source = try timeline.sequence("a-b-#", error: URLError(.timedOut))
  /// try timeline.expect(source.map { $0.uppercased() }, toEmit: "A-B-#")
  /// ```
  ///
  /// The iteration runs on the timeline. Work that the sequence does elsewhere, in tasks of its own, is not waited for.
  ///
  /// - Throws: ``MarbleMismatch``, whose description has both diagrams; ``MarbleSyntaxError``.
  public func expect<S: AsyncSequence>(
    _ sequence: sending S, toEmit diagram: String, values: [Character: S.Element] = [:], error: S.Failure? = nil,
    fileID: StaticString = #fileID, line: Int = #line
  ) throws where S.Element: Equatable {
    let expectation = try MarbleExpectation(diagram, values: values, error: error)
    let start = now
    let iteration = Iteration(sequence, on: self)
    observe(
      expectation.syntax, subscribe: iteration.start, cancel: iteration.cancel,
      isOver: { iteration.signals.last?.completion != nil })
    try expectation.check(iteration.signals, since: start, on: self, fileID: "\(fileID)", line: line)
  }

  /// Throws if a subscriber has received something else than a marble diagram says.
  ///
  /// For streams that a test observes side by side: subscribe one ``RecordingSubscriber`` for each, let time pass, and
  /// look at each of them. The diagram's first column is the beginning of the timeline, or the time given; what came
  /// before that does not matter.
  ///
  /// - Throws: ``MarbleMismatch``, whose description has both diagrams; ``MarbleSyntaxError``.
  public func expect<Input: Equatable, Failure: Error>(
    _ subscriber: RecordingSubscriber<Input, Failure>, toHaveReceived diagram: String,
    values: [Character: Input] = [:], error: Failure? = nil, since start: VirtualTime = .zero,
    fileID: StaticString = #fileID, line: Int = #line
  ) throws {
    let expectation = try MarbleExpectation(diagram, values: values, error: error)
    let signals = subscriber.signals.filter { $0.time >= start }
    try expectation.check(signals, since: start, on: self, fileID: "\(fileID)", line: line)
  }

  /// Lets time pass as a diagram says.
  private func observe(
    _ syntax: MarbleSyntax, subscribe: () -> Void, cancel: () -> Void, isOver: () -> Bool
  ) {
    drive {
      let start = now
      func time(of frame: Int) -> VirtualTime { start.advanced(by: self.frame.times(frame)) }
      if let first = syntax.subscription { moveBefore(time(of: first)) }
      subscribe()
      defer { cancel() }
      if let last = syntax.cancellation {
        moveBefore(time(of: last))
        cancel()
      }
      // A group of repetitions would go on for ever, and so may work that schedules itself anew.
      advance(to: max(now, time(of: max(0, syntax.frames - 1))))
      for _ in 0..<10_000 {
        guard !isOver(), syntax.cancellation == nil, holdsNewWork, runNext(until: .distantFuture) else { return }
      }
    }
  }

  /// Lets time pass until just before anything runs that is due then.
  private func moveBefore(_ time: VirtualTime) {
    while runNext(until: time.advanced(by: .nanoseconds(-1))) {}
    move(to: time)
  }
}

/// A task on a timeline that iterates a sequence and records what comes.
private final class Iteration<S: AsyncSequence> {  // Used where the timeline is driven, and so on one thread at a time.
  private let sequence: S
  private let timeline: TestTimeline
  private var task: Task<Void, Never>?
  private(set) var signals: [RecordedSignal<S.Element, S.Failure>] = []
  private var isCancelled = false

  init(_ sequence: S, on timeline: TestTimeline) {
    self.sequence = sequence
    self.timeline = timeline
  }

  func start() {
    task = startTask {  // On the timeline, since that is driven here.
      var iterator = self.sequence.makeAsyncIterator()
      do throws(S.Failure) {
        while let element = try await iterator.next(isolation: nil) { self.record(.value(element)) }
        self.record(.finished)
      } catch {
        self.record(.failure(error))
      }
    }
  }

  func cancel() {
    isCancelled = true
    task?.cancel()
  }

  private func record(_ kind: RecordedSignal<S.Element, S.Failure>.Kind) {
    let signal = RecordedSignal(kind, at: timeline.now)
    if isCancelled, signal.completion != nil { return }
    signals.append(signal)
  }
}
