extension Interpreter {
  /// All values as they come; finished when all have, failed when one has.
  func merged(_ streams: [[Event]]) -> [Event] {
    var running = streams.count
    var result: [Event] = []
    for (_, event) in interleave(streams) {
      switch event.signal {
      case .value: result.append(event)
      case .failed: return result + [event]
      case .finished:
        running -= 1
        if running == 0 { return result + [event] }
      }
    }
    return result
  }

  /// First with first, second with second; finished when no further row can come.
  func zipped(_ streams: [[Event]]) -> [Event] {
    var waiting = streams.map { _ in [Int]() }
    var isFinished = streams.map { _ in false }
    var result: [Event] = []
    for (stream, event) in interleave(streams) {
      switch event.signal {
      case .value(let value):
        waiting[stream].append(value)
        if waiting.allSatisfy({ !$0.isEmpty }) {
          result.append(Event(event.moment, .value(digest(waiting.indices.map { waiting[$0].removeFirst() }))))
        }
      case .finished: isFinished[stream] = true
      case .failed: return result + [event]
      }
      if waiting.indices.contains(where: { isFinished[$0] && waiting[$0].isEmpty }) {
        return result + [Event(event.moment.end, .finished)]
      }
    }
    return result
  }

  /// The latest of each as soon as each has one; finished when all have.
  func combined(_ streams: [[Event]]) -> [Event] {
    var latest = streams.map { _ in Int?.none }
    var running = streams.count
    var result: [Event] = []
    for (stream, event) in interleave(streams) {
      switch event.signal {
      case .value(let value):
        latest[stream] = value
        let row = latest.compactMap(\.self)
        if row.count == latest.count { result.append(Event(event.moment, .value(digest(row)))) }
      case .finished:
        running -= 1
        if running == 0 { return result + [event] }
      case .failed: return result + [event]
      }
    }
    return result
  }

  /// The events of the stream whose first comes first.
  func raced(_ streams: [[Event]]) -> [Event] {
    interleave(streams).first.map { streams[$0.0] } ?? []
  }

  /// The events before the first value of another publisher, which is subscribed to first.
  func prefix(_ events: [Event], until other: [Event]) -> [Event] {
    guard let signal = other.first, signal.signal.value != nil else { return events }
    // Before there is a subscription, too: the subscriber gets one with it.
    let kept = events.prefix { $0.moment < signal.moment }
    return kept.last.map { $0.signal.value == nil } ?? false ? Array(kept) : kept + [Event(signal.moment, .finished)]
  }

  /// The values after the first of another publisher, which is subscribed to first; its completion without one is ours.
  func dropped(_ events: [Event], until other: [Event]) -> [Event] {
    let end = events.last.flatMap { $0.signal.value == nil ? [$0] : nil } ?? []
    guard let signal = other.first else { return end }
    if signal.signal.value != nil { return events.filter { signal.moment <= $0.moment || $0.signal.value == nil } }
    if let end = end.first, end.moment < signal.moment { return [end] }
    return [signal]
  }

  /// The values of one publisher, each with the latest of another, which is subscribed to first. The first is asked when
  /// the other has delivered a value.
  func latest(of other: Pipeline, at upstream: Pipeline, _ start: Start) -> [Event] {
    let others = events(of: other, Start(subscribed: start.subscribed))
    let asked = start.asked(since: start.subscribed.afterSteps)
    let first = others.first.flatMap { $0.signal.value == nil ? nil : $0.moment }
    let request = first.map { max(asked, $0) } ?? asked.arranging(at: .max)
    let values = events(of: upstream, Start(subscribed: start.subscribed, request: request))
    var (latest, result) = (Int?.none, [Event]())
    for (stream, event) in interleave([others, values]) where event.time < .max {
      switch event.signal {
      case .value(let value) where stream == 0: latest = value
      case .value(let value): if let latest { result.append(Event(event.moment, .value(digest([value, latest])))) }
      case .finished where stream == 0 && latest != nil: break
      case .finished, .failed: return result + [event]
      }
    }
    return result
  }

  /// The latest value of a publisher at each value of another, which is subscribed to second. Who has not asked gets the
  /// newest of these when he asks, unless the stream has ended.
  func sampled(_ upstream: Pipeline, _ trigger: Pipeline, _ start: Start) -> [Event] {
    let begin = start.subscribed.afterSteps
    let asked = start.asked(since: begin)
    let streams = [upstream, trigger].map { events(of: $0, Start(subscribed: start.subscribed)) }
    var (latest, waiting, result) = (Int?.none, Int?.none, [Event]())
    for (stream, event) in interleave(streams) {
      if let value = waiting, event.moment >= asked {
        result.append(Event(asked, .value(value)))
        waiting = nil
      }
      switch event.signal {
      case .value(let value) where stream == 0: latest = value
      case .value:
        guard let value = latest.take() else { continue }
        if event.moment < asked { waiting = value } else { result.append(Event(event.moment, .value(value))) }
      case .finished, .failed:
        // What has come while both were subscribed to is there when the subscriber asks at once.
        if event.moment < begin, asked == begin, let value = waiting { result.append(Event(begin, .value(value))) }
        return result + [Event(max(event.moment, begin).end, event.signal)]
      }
    }
    return result + (waiting.map { [Event(asked, .value($0))] } ?? [])
  }
}
