internal import CInterflowPrimitives

/// When a recording began, by its clock and by the calendar, read together: recordings of several programs are placed
/// by these.
struct RecordingStart {
  let time: UInt64
  /// In nanoseconds since 1970.
  let date: Int64

  init(clock: () -> UInt64) {
    // Whatever comes between two readings would move the whole recording, so the closest of a few count.
    let readings = (0..<3).map { _ in
      let before = interflow_calendar_nanoseconds()
      let time = clock()
      return (time: time, before: before, after: interflow_calendar_nanoseconds())
    }
    let closest = readings.min { abs($0.after - $0.before) < abs($1.after - $1.before) }
    (time, date) = closest.map { ($0.time, $0.before) } ?? (0, 0)
  }
}
