extension TraceRecorder {
  /// A hook that records work under a name, such as the statements of a database, while the recorder is on.
  ///
  /// Of each event the message is recorded, its id, how long it took, and the error; never the payload. A recording tells 4,095
  /// messages apart, and as many errors, and keeps the first 500 characters of each. While the recorder is off, nothing is
  /// measured. In a recorder with a clock of its own, an event begins when it is reported.
  ///
  /// ```swift
  /// let hook = TraceRecorder.shared.hook("database")  // for DatabaseOptions.trace
  /// ```
  ///
  /// - Parameter name: The name of the lane in recordings.
  public func hook(_ name: String) -> TraceHook {
    TraceHook(isOn: { [self] in isOn }) { [self] event in
      guard isOn, let latest else { return }
      latest.recordWork(
        name, event.message, id: event.id,
        age: hasOwnClock ? 0 : (ContinuousClock.now - event.start).wholeNanoseconds,
        duration: event.duration.wholeNanoseconds,
        failure: event.error.map { recordsValues ? "\($0)" : "an error" })
    }
  }
}
