extension TraceRecording {
  /// The recording in Chrome's format for trace events: JSON that Perfetto and `chrome://tracing` open.
  ///
  /// A lane is a track, or several where its subscriptions overlap. A subscription is a slice, its values are instants
  /// in it, and an arrow leads from a value to the one that came while it was delivered. What was measured is a slice on
  /// the track of its name.
  ///
  /// - Complexity: O(*n* log *n*) for *n* events, of which each takes about 100 bytes of text.
  public func chromeTraceEvents() -> String {
    var json = ChromeTrace()
    json.write(self)
    return json.text
  }
}

/// Writes the events of a trace in Chrome's format.
private struct ChromeTrace {
  private var json = JSONText()
  private var trackCount = 0
  private var isFirst = true
  private var flowCount = 0

  var text: String { json.text }

  mutating func write(_ recording: TraceRecording) {
    json.write(#"{"displayTimeUnit":"ns","traceEvents":["#)
    event(#""ph":"M","pid":1,"name":"process_name","args":{"name":"Interflow"}"#)
    // Where a value is drawn, for the arrows that begin there.
    var places: [TraceRecording.ValueIdentity: (track: Int, time: UInt64)] = [:]
    var arrows: [(from: TraceRecording.ValueIdentity, track: Int, time: UInt64)] = []
    let end = recording.duration.wholeNanoseconds
    for lane in recording.lanes {
      for (row, subscriptions) in lane.rows(end: end).enumerated() {
        let track = beginTrack(row == 0 ? lane.name : "\(lane.name) (\(row + 1))")
        for subscription in subscriptions {
          slice(subscription, of: lane.name, on: track, end: end)
          for record in subscription.records {
            instant(record, on: track)
            guard record.kind == .value else { continue }
            let identity = TraceRecording.ValueIdentity(subscription: subscription.number, number: Int(record.number))
            places[identity] = (track, record.time)
            if record.cause != 0 {
              arrows.append((TraceRecording.ValueIdentity(record.cause), track, record.time))
            }
          }
        }
      }
    }
    for arrow in arrows {
      if let source = places[arrow.from] { self.arrow(source, (arrow.track, arrow.time), "value") }
    }
    writeWork(recording.work)
    json.write("]}")
  }

  private mutating func beginTrack(_ name: String) -> Int {
    trackCount += 1
    event(#""ph":"M","pid":1,"tid":\#(trackCount),"name":"thread_name","args":{"name":"#, string: name, "}")
    event(
      #""ph":"M","pid":1,"tid":\#(trackCount),"name":"thread_sort_index","args":{"sort_index":\#(trackCount)}"#)
    return trackCount
  }

  private mutating func slice(
    _ subscription: TraceRecording.Subscription, of name: String, on track: Int, end: UInt64
  ) {
    let (begin, last) = subscription.extent(end: end)
    event(
      #""ph":"X","pid":1,"tid":\#(track),"ts":\#(microseconds(begin)),"dur":\#(microseconds(last - begin)),"args":"#
        + #"{"subscription":\#(subscription.number),"values":\#(subscription.valueCount)},"name":"#,
      string: name, "")
  }

  private mutating func instant(_ record: EventRecord, on track: Int) {
    let name: String
    switch record.kind {
    case .subscription, .joined, .work: return
    case .request: name = "request \(record.requested.map(String.init) ?? "unlimited")"
    case .value: name = record.value.text?.displayed ?? "value"
    case .drop: name = "dropped"
    case .finished: name = "finished"
    case .failure: name = "failed" + (record.value.text.map { ": \($0.displayed)" } ?? "")
    case .cancellation: name = "cancelled"
    case .release: name = "released"
    }
    event(
      #""ph":"i","s":"t","pid":1,"tid":\#(track),"ts":\#(microseconds(record.time)),"args":{"thread":\#(record.thread)},"name":"#,
      string: name, "")
  }

  private mutating func writeWork(_ work: [TraceRecording.Work]) {
    var linked: [String: [(track: Int, time: UInt64)]] = [:]
    for (name, pieces) in Dictionary(grouping: work, by: \.name).sorted(by: { $0.key < $1.key }) {
      for row in rows(of: pieces) {
        let track = beginTrack(name)
        for piece in row {
          event(
            #""ph":"X","pid":1,"tid":\#(track),"ts":\#(microseconds(piece.start.wholeNanoseconds)),"dur":\#(microseconds(piece.duration.wholeNanoseconds)),"args":{"thread":\#(piece.thread)},"name":"#,
            string: piece.text, "")
          if let id = piece.id { linked[id, default: []].append((track, piece.start.wholeNanoseconds)) }
        }
      }
    }
    for (_, places) in linked.sorted(by: { $0.key < $1.key }) {
      let places = places.sorted { $0.time < $1.time }
      for place in places.dropFirst() { arrow(places[0], place, "message") }
    }
  }

  private mutating func arrow(
    _ source: (track: Int, time: UInt64), _ target: (track: Int, time: UInt64), _ name: String
  ) {
    flowCount += 1
    let fields = #""cat":"\#(name)","name":"\#(name)","id":\#(flowCount),"pid":1"#
    event(#""ph":"s",\#(fields),"tid":\#(source.track),"ts":\#(microseconds(source.time))"#)
    event(#""ph":"f","bp":"e",\#(fields),"tid":\#(target.track),"ts":\#(microseconds(target.time))"#)
  }

  private func rows(of pieces: [TraceRecording.Work]) -> [[TraceRecording.Work]] {
    packed(pieces.sorted { $0.start < $1.start }) {
      ($0.start.wholeNanoseconds, ($0.start + $0.duration).wholeNanoseconds)
    }
  }

  private mutating func event(_ fields: String, string: String? = nil, _ rest: String = "") {
    json.write(isFirst ? "\n{" : ",\n{")
    isFirst = false
    json.write(fields)
    if let string { json.string(string) }
    json.write(rest + "}")
  }

  /// The format's unit, with all digits.
  private func microseconds(_ nanoseconds: UInt64) -> String {
    let rest = String(nanoseconds % 1_000)
    return "\(nanoseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}

extension TraceRecording.Text {
  var displayed: String { isCut ? description + "…" : description }
}
