extension Interpreter {
  /// The events after an operator that has to do with time.
  func timed(_ events: [Event], _ op: Operator, _ start: Start) -> [Event] {
    switch op {
    case .receiveOn: rescheduled(events) { $0.hop }
    case .delay(let length): rescheduled(events) { $0.arranging(at: $0.time + length) }
    case .debounce(let length): debounced(events, length)
    case .throttle(let length, let latest): throttled(events, length, latest: latest)
    case .timeout(let length, let error): timedOut(events, length, error: error, start)
    case .collectByTime(let length): collected(events, length, limit: .max, start)
    case .collectByTimeOrCount(let length, let limit): collected(events, length, limit: limit, start)
    default: preconditionFailure("\(op) has nothing to do with time")
    }
  }

  /// What has been arranged for the same time before the first of it comes, comes with it.
  private func rescheduled(_ events: [Event], _ moment: (Moment) -> Moment) -> [Event] {
    var result: [Event] = []
    for event in events {
      let due = moment(event.moment)
      let last = result.last.flatMap { $0.time == due.time && event.moment < $0.moment ? $0.moment : nil }
      result.append(Event(last ?? due, event.signal))
    }
    return result
  }

  /// Each value that no other follows within the time. The end does not wait for it.
  private func debounced(_ events: [Event], _ length: Int) -> [Event] {
    var result: [Event] = []
    for (index, event) in events.enumerated() {
      guard event.signal.value != nil else { return result + [Event(event.moment.hop, event.signal)] }
      let due = event.moment.arranging(at: event.time + length)
      if index + 1 == events.count || due < events[index + 1].moment { result.append(Event(due, event.signal)) }
    }
    return result
  }

  /// The first value at once, and then the first or latest of each interval at its end; the end waits for that one.
  private func throttled(_ events: [Event], _ length: Int, latest: Bool) -> [Event] {
    var result: [Event] = []
    var lastTime: Int?
    var held: Event?
    for event in events {
      if let due = held, due.moment < event.moment {
        result.append(due)
        lastTime = due.time
        held = nil
      }
      switch event.signal {
      case .value:
        if held != nil {
          if latest { held?.signal = event.signal }
        } else if let time = lastTime, event.time - time < length {
          held = Event(event.moment.arranging(at: time + length), event.signal)
        } else {
          lastTime = event.time
          result.append(Event(event.moment.hop, event.signal))
        }
      case .finished:
        return result + (held.map { [$0, Event($0.moment, .finished)] } ?? [Event(event.moment.hop, .finished)])
      case .failed:
        return result + [Event(event.moment.hop, event.signal)]
      }
    }
    return result + (held.map { [$0] } ?? [])
  }

  private func timedOut(_ events: [Event], _ length: Int, error: Int?, _ start: Start) -> [Event] {
    var result: [Event] = []
    var last = start.subscribed
    for event in events {
      if last.arranging(at: last.time + length) < event.moment { break }
      last = event.moment
      result.append(event)
      if event.signal.value == nil { break }
    }
    if let end = result.last, end.signal.value == nil { return rescheduled(result) { $0.hop } }
    let deadline = last.arranging(at: last.time + length)
    return rescheduled(result + [Event(deadline, Signal(end: error))]) { $0.hop }
  }

  /// A group at each end of an interval before which there were values, and when there are so many.
  private func collected(_ events: [Event], _ length: Int, limit: Int, _ start: Start) -> [Event] {
    var result: [Event] = []
    var group: [Int] = []
    var tick = start.subscribed
    for event in events {
      if !group.isEmpty, tick < event.moment {
        result.append(Event(tick, .value(digest(group))))
        group = []
      }
      if let value = event.signal.value {
        if group.isEmpty {
          let begin = start.subscribed.time
          tick = start.subscribed.arranging(at: begin + ((event.time - begin) / length + 1) * length)
        }
        group.append(value)
      }
      if group.count >= limit || event.signal == .finished && !group.isEmpty {
        result.append(Event(event.moment.hop, .value(digest(group))))
        group = []
      }
      if event.signal.value == nil { return result + [Event(event.moment.hop, event.signal)] }
    }
    return result + (group.isEmpty ? [] : [Event(tick, .value(digest(group)))])
  }
}
