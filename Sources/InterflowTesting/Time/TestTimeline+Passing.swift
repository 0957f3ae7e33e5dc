extension TestTimeline {
  /// Lets time pass, and runs the work that becomes due, at its time; without a stride, the work that is due now.
  ///
  /// Work may schedule more work, which runs too if it becomes due. Work may also let time pass itself. This traps
  /// after a million items of work at one time of which each scheduled the next, since they probably do so without end.
  public func advance(by stride: VirtualTime.Stride = 0) {
    precondition(stride >= 0, "advance(by: \(stride)): time passes in one direction only")
    drive {
      let end = now.advanced(by: stride)
      runAll(until: end, thenMoveTo: end)
    }
  }

  /// Lets time pass up to a time, and runs the work that becomes due, at its time.
  ///
  /// A time that has passed already is a programming error and traps.
  public func advance(to time: VirtualTime) {
    drive {
      precondition(time >= now, "advance(to: \(time)): it is \(now) already, and time passes in one direction only")
      runAll(until: time, thenMoveTo: time)
    }
  }

  /// Runs the work that is due by a time, and then lets time pass to one that is not earlier.
  func runAll(until end: VirtualTime, thenMoveTo time: VirtualTime) {
    // Another thread may add work before the time has passed.
    repeat { runAll(until: end) } while !move(to: time, unlessDueBy: end)
  }

  /// Runs the work that is due by a time.
  private func runAll(until end: VirtualTime) {
    while let chain = runNext(until: end) {
      guard chain.lengthAtOneTime >= stepLimit, let next = pending.first, next.time <= now else { continue }
      preconditionFailure(
        "after \(stepLimit) steps at \(now), each scheduled by the one before, work is still due then; it probably "
          + "schedules itself again without end. Next comes the work \(next)")
    }
  }

  /// Lets time pass until nothing is scheduled but repetitions that have begun, which would continue forever.
  ///
  /// A repetition counts as scheduled until it has run once, since it may be cancelled then: `debounce` and `timeout`
  /// use repetitions as timers. After that it runs only as long as there is other work. This traps after a
  /// million items of work of which each scheduled the next, since they probably do so without end.
  public func run() {
    drive {
      while holdsNewWork, let chain = runNext(until: .distantFuture) {
        guard chain.length >= stepLimit, holdsNewWork else { continue }
        preconditionFailure(
          "run(): after \(stepLimit) steps, each scheduled by the one before, work is still scheduled; if it schedules "
            + "itself again, use advance(by:). Next comes the work \(pending.first?.description ?? "nothing")")
      }
    }
  }

  /// Runs an async operation on the timeline, and lets as much time pass as it needs.
  ///
  /// ```swift
  /// let timeline = TestTimeline()
  /// let answer = try timeline.run {
  ///   try await timeline.clock.sleep(for: .seconds(3600))
  ///   return 42
  /// }
  /// #expect(answer == 42)
  /// #expect(timeline.now == 3600)
  /// ```
  ///
  /// The operation, its child tasks and the actors that they use run on this thread, and time passes whenever none of
  /// them has work left. The operation may also let time pass itself: `await timeline.clock.advance(by: .seconds(1))`.
  ///
  /// - Throws: The error of the operation; ``StalledOperation`` if it waits and nothing is scheduled that could resume
  ///   it, or after a million items of work of which each scheduled the next, all at one time, or without a task that ran
  ///   meanwhile. Work of other tasks that sleep again and again is not limited.
  public func run<Result: Sendable>(_ operation: sending @escaping () async throws -> Result) throws -> Result {
    let outcome = Outcome<Result>()
    let task = Task(executorPreference: self) {
      do {
        outcome.result = .success(try await operation())
      } catch {
        outcome.result = .failure(error)
      }
    }
    return try drive {
      while outcome.result == nil, let chain = runNext(until: .distantFuture) {
        if max(chain.lengthAtOneTime, chain.lengthWithoutTasks) >= stepLimit { break }
      }
      if let result = outcome.result { return try result.get() }
      let stalled = StalledOperation(time: now, next: pending.first, steps: stepLimit)
      task.cancel()
      for _ in 0..<stepLimit where runNext(until: stalled.time) == nil { break }
      throw stalled
    }
  }

  /// The result of a task.
  private final class Outcome<Value>: @unchecked Sendable {  // Used on the thread that drives the timeline only.
    var result: Result<Value, any Error>?
  }

  /// Waits in a task on the timeline until a time, and until all other work of that time has run.
  func pass(to time: VirtualTime, isolation: isolated (any Actor)?) async {
    await withCheckedContinuation { continuation in
      _ = add(due: min(time, Agenda.lastTime), .advance) { continuation.resume() }
    }
  }
}
