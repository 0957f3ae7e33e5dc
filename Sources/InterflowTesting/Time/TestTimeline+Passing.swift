extension TestTimeline {
  /// Lets time pass, and runs what becomes due, each thing at its time; without a length, what is due now.
  ///
  /// What runs may schedule more; that runs too if it is due by then. Work may itself let time pass: then that time has
  /// passed for all.
  public func advance(by stride: VirtualTime.Stride = 0) {
    precondition(stride >= 0, "advance(by: \(stride)): time passes in one direction only")
    drive {
      let end = now.advanced(by: stride)
      while runNext(until: end) {}
      move(to: end)
    }
  }

  /// Lets time pass until then, and runs what becomes due, each thing at its time.
  ///
  /// A time that has passed already is an error.
  public func advance(to time: VirtualTime) {
    drive {
      precondition(time >= now, "advance(to: \(time)): it is \(now) already, and time passes in one direction only")
      while runNext(until: time) {}
      move(to: time)
    }
  }

  /// Lets time pass until nothing is scheduled but repetitions that have begun, each of which would go on for ever.
  ///
  /// A repetition counts until it comes for the first time, for that may be all that it is there for: `debounce` and
  /// `timeout` cancel their timers then. After that it comes as long as there is anything else to come. Work that
  /// schedules itself anew without end is taken for a mistake when it has run a million times.
  public func run() {
    let limit = 1_000_000
    drive {
      for _ in 0..<limit {
        guard holdsNewWork, runNext(until: .distantFuture) else { return }
      }
      preconditionFailure(
        "run(): after \(limit) steps work is still scheduled; if it schedules itself anew, use advance(by:). "
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
  /// them has anything left to do. The operation may let time pass by itself too:
  /// `await timeline.clock.advance(by: .seconds(1))`.
  ///
  /// - Throws: The error of the operation; ``StalledOperation`` if it waits for something that will not come.
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

  /// What a task leaves behind.
  private final class Outcome<Value>: @unchecked Sendable {  // Used on the thread that drives the timeline only.
    var result: Result<Value, any Error>?
  }

  /// Lets time pass until then, also from within a task that runs on the timeline.
  func pass(to time: VirtualTime, isolation: isolated (any Actor)?) async {
    guard isDrivenHere else { return advance(to: time) }
    await withCheckedContinuation { continuation in
      _ = add(due: time, .advance) { continuation.resume() }
    }
  }
}
