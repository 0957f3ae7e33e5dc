extension Interpreter {
  /// The events after an operator that has to do with time.
  func timed(_ events: [Event], _ op: Operator, _ start: Start) -> [Event] {
    switch op {
    case .receiveOn: rescheduled(events, by: 0)
    case .delay(let length): rescheduled(events, by: length)
    case .debounce(let length): debounced(events, length)
    case .throttle(let length, let latest): throttled(events, length, latest: latest)
    case .timeout(let length, let error): timedOut(events, length, error: error, start)
    case .collectByTime(let length): collected(events, length, limit: .max, start)
    case .collectByTimeOrCount(let length, let limit): collected(events, length, limit: limit, start)
    default: preconditionFailure("\(op) has nothing to do with time")
    }
  }

  private func rescheduled(_ events: [Event], by length: Int) -> [Event] {
    var result = Rescheduled()
    for event in events { result.add(event.signal, arranged: event.moment, for: event.time + length) }
    return result.events
  }

  /// Each value that no other follows within the time. The end does not wait for it.
  private func debounced(_ events: [Event], _ length: Int) -> [Event] {
    var result = Rescheduled()
    for (index, event) in events.enumerated() {
      guard event.signal.value != nil else {
        result.add(event)
        break
      }
      let due = event.moment.arranging(at: event.time + length)
      if index + 1 == events.count || due < events[index + 1].moment { result.addHere(Event(due, event.signal)) }
    }
    return result.events
  }

  /// The first value at once, and then the first or latest of each interval at its end; the end waits for that one.
  private func throttled(_ events: [Event], _ length: Int, latest: Bool) -> [Event] {
    var result = Rescheduled()
    var lastTime: Int?
    var held: Event?
    for event in events {
      if let due = held, due.moment < event.moment {
        result.addHere(due)
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
          result.add(event)
        }
      case .finished:
        if let held { return result.events + [held, Event(held.moment.end, .finished)] }
        result.add(event)
        return result.events
      case .failed:
        result.add(event)
        return result.events
      }
    }
    return result.events + (held.map { [$0] } ?? [])
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
    if let end = result.last, end.signal.value == nil { return rescheduled(result, by: 0) }
    let deadline = last.arranging(at: last.time + length)
    return rescheduled(result + [Event(deadline, Signal(end: error))], by: 0)
  }

  /// A group at each end of an interval before which there were values, and when there are so many.
  private func collected(_ events: [Event], _ length: Int, limit: Int, _ start: Start) -> [Event] {
    var result = Rescheduled()
    var group: [Int] = []
    var tick = start.subscribed
    for event in events {
      if !group.isEmpty, tick < event.moment {
        result.addHere(Event(tick, .value(digest(group))))
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
        result.add(Event(event.moment, .value(digest(group))))
        group = []
      }
      if event.signal.value == nil {
        result.add(event)
        return result.events
      }
    }
    return result.events + (group.isEmpty ? [] : [Event(tick, .value(digest(group)))])
  }
}
