public import Combine

extension TestTimeline {
  /// Subscribes to a publisher, lets time pass, and throws if its signals are not those of a marble diagram.
  ///
  /// The diagram's first column is the current time. Each character stands for its value in the dictionary, or for
  /// itself if it is not in the dictionary and values are strings. `#` stands for `error`; without one, for any
  /// failure.
  ///
  /// ```swift
  /// let timeline = TestTimeline()
  /// let source = try timeline.hot("ab---c---|")
  /// try timeline.expect(source.debounce(for: 2, scheduler: timeline.scheduler), toEmit: "---b---c-|")
  /// ```
  ///
  /// Time passes to the end of the diagram, and then until the publisher completes or nothing is scheduled but
  /// repetitions that have begun, though for 100,000 items of work at most. So later signals are a difference, too. `^`
  /// marks the frame in which to subscribe, `!` the frame in which to cancel, both at its beginning; after `!`, time
  /// passes no further.
  ///
  /// - Throws: ``MarbleMismatch``, whose description shows both diagrams; ``MarbleSyntaxError``.
  /// - Demand: Requests unlimited demand.
  public func expect<P: Publisher>(
    _ publisher: P, toEmit diagram: String, values: [Character: P.Output] = [:], error: P.Failure? = nil,
    fileID: StaticString = #fileID, line: Int = #line
  ) throws where P.Output: Equatable {
    let expectation = try MarbleExpectation(diagram, values: values, error: error)
    let start = now
    let subscriber = RecordingSubscriber<P.Output, P.Failure>(on: self)
    observe(
      expectation.syntax, subscribe: { publisher.subscribe(subscriber) }, cancel: { subscriber.cancel() },
      hasCompleted: { subscriber.completion != nil })
    let signals = subscriber.signals
    advance()  // Tasks that have been cancelled end.
    try expectation.check(signals, since: start, on: self, fileID: "\(fileID)", line: line)
  }

  /// Iterates an asynchronous sequence, lets time pass, and throws if its elements are not those of a marble diagram.
  ///
  /// The diagram is as for publishers: `^` marks the beginning of the iteration, `!` the cancellation of its task; how
  /// the sequence ends after that is ignored.
  ///
  /// ```swift
  /// let timeline = TestTimeline()
  /// let source = try timeline.sequence("a-b-#", error: URLError(.timedOut))
  /// try timeline.expect(source.map { $0.uppercased() }, toEmit: "A-B-#")
  /// ```
  ///
  /// The iteration runs on the timeline. Work of the sequence in tasks that do not run on the timeline is not waited
  /// for.
  ///
  /// - Throws: ``MarbleMismatch``, whose description shows both diagrams; ``MarbleSyntaxError``.
  public func expect<S: AsyncSequence>(
    _ sequence: sending S, toEmit diagram: String, values: [Character: S.Element] = [:], error: S.Failure? = nil,
    fileID: StaticString = #fileID, line: Int = #line
  ) throws where S.Element: Equatable {
    let expectation = try MarbleExpectation(diagram, values: values, error: error)
    let start = now
    let iteration = RecordingIteration(of: sequence, on: self)
    observe(
      expectation.syntax, subscribe: iteration.start, cancel: iteration.cancel,
      hasCompleted: { iteration.signals.last?.completion != nil })
    let signals = iteration.signals
    advance()  // Tasks that have been cancelled end.
    try expectation.check(signals, since: start, on: self, fileID: "\(fileID)", line: line)
  }

  /// Throws if the signals that a subscriber has received are not those of a marble diagram.
  ///
  /// For several streams in one test: subscribe one ``RecordingSubscriber`` to each, let time pass, and check each of
  /// them. The diagram's first column is the start of the timeline, or the given time; earlier signals are ignored.
  ///
  /// - Throws: ``MarbleMismatch``, whose description shows both diagrams; ``MarbleSyntaxError``.
  public func expect<Input: Equatable, Failure: Error>(
    _ subscriber: RecordingSubscriber<Input, Failure>, toHaveReceived diagram: String,
    values: [Character: Input] = [:], error: Failure? = nil, since start: VirtualTime = .zero,
    fileID: StaticString = #fileID, line: Int = #line
  ) throws {
    let expectation = try MarbleExpectation(diagram, values: values, error: error)
    let signals = subscriber.signals.filter { $0.time >= start }
    try expectation.check(signals, since: start, on: self, fileID: "\(fileID)", line: line)
  }

  /// Throws if what an iteration has received is not that of a marble diagram.
  ///
  /// For several sequences in one test: start a ``RecordingIteration`` of each, let time pass, and check each of them.
  /// The diagram's first column is the start of the timeline, or the given time; earlier elements are ignored.
  ///
  /// - Throws: ``MarbleMismatch``, whose description shows both diagrams; ``MarbleSyntaxError``.
  public func expect<Base: AsyncSequence>(
    _ iteration: RecordingIteration<Base>, toHaveReceived diagram: String, values: [Character: Base.Element] = [:],
    error: Base.Failure? = nil, since start: VirtualTime = .zero, fileID: StaticString = #fileID, line: Int = #line
  ) throws where Base.Element: Equatable {
    let expectation = try MarbleExpectation(diagram, values: values, error: error)
    let signals = iteration.signals.filter { $0.time >= start }
    try expectation.check(signals, since: start, on: self, fileID: "\(fileID)", line: line)
  }

  /// Subscribes, lets time pass, and cancels as a diagram specifies.
  private func observe(
    _ syntax: MarbleSyntax, subscribe: () -> Void, cancel: () -> Void, hasCompleted: () -> Bool
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
      advance(to: max(now, time(of: max(0, syntax.frames - 1))))
      // After a cancellation, time passes no further, so that another stream can go on from there. Work that schedules
      // itself again may never end.
      for _ in 0..<100_000 {
        guard !hasCompleted(), syntax.cancellation == nil, holdsNewWork, runNext(until: .distantFuture) != nil else {
          return
        }
      }
    }
  }

  /// Lets time pass up to a time, but runs no work that is due then.
  private func moveBefore(_ time: VirtualTime) {
    runAll(until: time.advanced(by: .nanoseconds(-1)), thenMoveTo: time)
  }
}
