extension TraceRecording {
  /// The recordings of several programs as one, on one axis of time.
  ///
  /// Lanes and work have the name of their program before their own. Recordings of one machine fit each other; of
  /// several, as well as their clocks do.
  ///
  /// ```swift
  /// let both = TraceRecording.merged([("coordinator", own), ("worker", other)])
  /// ```
  ///
  /// - Parameter recordings: The recordings, with the names of their programs.
  /// - Complexity: O(*n*) for *n* events.
  public static func merged(_ recordings: [(program: String, recording: TraceRecording)]) -> TraceRecording {
    // A recorder that never began has no place on the axis.
    let recordings = recordings.filter { $0.recording.hasBegun }
    let start = recordings.map(\.recording.startDate).min() ?? 0
    var (lanes, work, dropped, end): ([Lane], [Work], Int, UInt64) = ([], [], 0, 0)
    var firstSubscription = 0
    for (program, recording) in recordings {
      let shift = UInt64(clamping: recording.startDate.subtractingReportingOverflow(start).partialValue)
      var last = firstSubscription
      for lane in recording.lanes {
        var lane = lane
        lane.name = "\(program): \(lane.name)"
        for index in lane.subscriptions.indices {
          lane.subscriptions[index].move(by: shift, firstSubscription)
          last = max(last, lane.subscriptions[index].number)
        }
        lanes.append(lane)
      }
      for piece in recording.work {
        var piece = piece
        piece.name = "\(program): \(piece.name)"
        piece.start += .nanoseconds(Int64(clamping: shift))
        work.append(piece)
      }
      firstSubscription = last
      dropped =
        dropped.addingReportingOverflow(recording.droppedCount).overflow ? .max : dropped + recording.droppedCount
      end = max(end, shift &+ recording.duration.wholeNanoseconds)
    }
    return TraceRecording(
      startDate: start, duration: .nanoseconds(Int64(clamping: end)), droppedCount: dropped, lanes: lanes,
      work: work.sorted { $0.start < $1.start })
  }
}

extension TraceRecording {
  fileprivate var hasBegun: Bool { startDate != 0 || !lanes.isEmpty || !work.isEmpty }
}

extension TraceRecording.Subscription {
  /// - Parameters:
  ///   - shift: In nanoseconds.
  ///   - numbers: How far all numbers of subscriptions move.
  fileprivate mutating func move(by shift: UInt64, _ numbers: Int) {
    // What was decoded may be anything.
    number &+= numbers
    for index in records.indices {
      records[index].time &+= shift
      records[index].subscription &+= UInt32(truncatingIfNeeded: numbers)
      if records[index].cause != 0 { records[index].cause &+= UInt64(truncatingIfNeeded: numbers) << 32 }
    }
  }
}
