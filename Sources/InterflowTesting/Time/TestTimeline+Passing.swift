extension TestTimeline {
  /// Lets time pass, and runs the work that becomes due, at its time; without a stride, the work that is due now.
  ///
  /// Work may schedule more work, which runs too if it becomes due. Work may also let time pass itself.
  public func advance(by stride: VirtualTime.Stride = 0) {
    precondition(stride >= 0, "advance(by: \(stride)): time passes in one direction only")
    drive {
      let end = now.advanced(by: stride)
      while runNext(until: end) {}
      move(to: end)
    }
  }

  /// Lets time pass up to a time, and runs the work that becomes due, at its time.
  ///
  /// A time that has passed already is a programming error and traps.
  public func advance(to time: VirtualTime) {
    drive {
      precondition(time >= now, "advance(to: \(time)): it is \(now) already, and time passes in one direction only")
      while runNext(until: time) {}
      move(to: time)
    }
  }

  /// Lets time pass until nothing is scheduled but repetitions that have begun, which would continue forever.
  ///
  /// A repetition counts as scheduled until it has run once, since it may be cancelled then: `debounce` and `timeout`
  /// use repetitions as timers. After that it runs only as long as there is other work. After a million items of work
  /// this traps, since work probably schedules itself again without end.
  public func run() {
    let limit = 1_000_000
    drive {
      for _ in 0..<limit {
        guard holdsNewWork, runNext(until: .distantFuture) else { return }
      }
      preconditionFailure(
        "run(): after \(limit) steps work is still scheduled; if it schedules itself again, use advance(by:). "
          + "Next comes the work \(pending.first?.description ?? "nothing")")
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
  ///   it.
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
      while outcome.result == nil {
        guard runNext(until: .distantFuture) else {
          let time = now
          task.cancel()
          while runNext(until: time) {}
          throw StalledOperation(time: time)
        }
      }
      return try outcome.result!.get()
    }
  }

  /// The result of a task.
  private final class Outcome<Value>: @unchecked Sendable {  // Used on the thread that drives the timeline only.
    var result: Result<Value, any Error>?
  }

  /// Lets time pass up to a time, also from a task that runs on the timeline.
  func pass(to time: VirtualTime, isolation: isolated (any Actor)?) async {
    guard isDrivenHere else { return advance(to: time) }
    await withCheckedContinuation { continuation in
      _ = add(due: time, .advance) { continuation.resume() }
    }
  }
}
