extension TraceRecording {
  /// A recording of nothing.
  init() {
    self.init(startDate: 0, records: [], names: [], texts: [], failures: [], droppedCount: 0, duration: 0, live: [:])
  }

  init(
    startDate: Int64, records: [EventRecord], names: [String], texts: [String], failures: [String], droppedCount: Int,
    duration: UInt64, live: [UInt32: LiveLane], limit: Int = .max
  ) {
    self.startDate = startDate
    self.droppedCount = droppedCount
    self.duration = .nanoseconds(Int64(clamping: duration))
    var lanes: [Lane] = []
    var laneNumbers: [String: Int] = [:]
    var places: [UInt32: (lane: Int, index: Int)] = [:]
    var work: [Work] = []

    func place(_ subscription: UInt32, _ name: String) -> (lane: Int, index: Int) {
      if let place = places[subscription] { return place }
      let lane = laneNumbers[name] ?? lanes.count
      if lane == lanes.count {
        lanes.append(Lane(name: name, subscriptions: []))
        laneNumbers[name] = lane
      }
      let place = (lane, lanes[lane].subscriptions.count)
      lanes[lane].subscriptions.append(Subscription(number: Int(subscription)))
      places[subscription] = place
      return place
    }

    for record in records {
      let name = names[Int(record.name)]
      if record.kind == .work {
        let failure = Int(record.number >> 16)
        work.append(
          Work(
            record, name: name, text: texts[Int(record.number & 0xFFFF)],
            failure: failure > 0 ? failures[failure - 1] : nil))
        continue
      }
      let (lane, index) = place(record.subscription, name)
      lanes[lane].subscriptions[index].records.append(record)
      if record.showsRequest(isFirst: lanes[lane].subscriptions[index].records.count == 1) {
        lanes[lane].subscriptions[index].hasRequested = true
      }
    }
    // Also those of which every event was dropped, the newest of them.
    let ones = live.filter { places[$0.key] != nil }
    let others = live.filter { places[$0.key] == nil }.sorted { $0.key < $1.key }.suffix(limit)
    for (subscription, stream) in ones.sorted(by: { $0.key < $1.key }) + others {
      let (lane, index) = place(subscription, stream.name)
      lanes[lane].subscriptions[index].isLive = true
      lanes[lane].subscriptions[index].hasRequested = stream.hasRequested
    }
    self.lanes = lanes
    self.work = work
  }
}

extension TraceRecording.Event {
  init(_ record: EventRecord) {
    time = .nanoseconds(Int64(clamping: record.time))
    thread = Int(record.thread)
    kind =
      switch record.kind {
      case .subscription: .subscribed
      case .joined, .work: .joined
      case .request: .requested(record.requested)
      case .value: .value(record.value.text, number: Int(record.number))
      case .drop: .dropped
      case .finished: .finished
      case .failure: .failed(record.value.text)
      case .cancellation: .cancelled
      case .release: .released
      }
    cause = record.cause == 0 ? nil : TraceRecording.ValueIdentity(record.cause)
  }
}

extension EventRecord {
  /// Whether values have been requested by now, as far as one knows: not of one whose beginning was dropped.
  fileprivate func showsRequest(isFirst: Bool) -> Bool {
    switch kind {
    case .subscription: false
    case .request, .joined: value.bytes.0 > 0
    default: isFirst
    }
  }

  /// How many values were requested; nil for any number.
  var requested: Int? {
    let number = Int64(bitPattern: value.bytes.0)
    return number == .max ? nil : Int(number)
  }
}

extension RecordedValue {
  var text: TraceRecording.Text? {
    description.map { TraceRecording.Text($0, isCut: form == .cutText) }
  }
}

extension TraceRecording.ValueIdentity {
  init(_ number: UInt64) {
    self.init(subscription: Int(number >> 32), number: Int(UInt32(truncatingIfNeeded: number)))
  }
}

extension TraceRecording.Work {
  init(_ record: EventRecord, name: String, text: String, failure: String?) {
    self.name = name
    self.text = text
    let age = UInt64(record.subscription) * 1_000
    start = .nanoseconds(Int64(clamping: record.time > age ? record.time - age : 0))
    duration = .nanoseconds(Int64(clamping: record.cause))
    id = record.value.description
    self.failure = failure.map { TraceRecording.Text($0) }
    thread = Int(record.thread)
  }
}
