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

  /// Each signal in a job of its own.
  private func rescheduled(_ events: [Event], by length: Int) -> [Event] {
    events.map { Event($0.moment.arranging(at: $0.time + length), $0.signal) }
  }

  /// Each value that no other follows within the time. The end does not wait for it.
  private func debounced(_ events: [Event], _ length: Int) -> [Event] {
    var result: [Event] = []
    for (index, event) in events.enumerated() {
      guard event.signal.value != nil else { return result + rescheduled([event], by: 0) }
      let due = event.moment.arranging(at: event.time + length)
      if index + 1 == events.count || due < events[index + 1].moment { result.append(Event(due, event.signal)) }
    }
    return result
  }

  /// The first or latest of the values that come before the job that the first of them arranges, which runs when the
  /// last is an interval ago; the end comes with it.
  private func throttled(_ events: [Event], _ length: Int, latest: Bool) -> [Event] {
    var result: [Event] = []
    var lastTime: Int?
    var pending: Event?
    for event in events {
      if let due = pending, due.moment < event.moment {
        result.append(due)
        lastTime = due.time
        pending = nil
      }
      if event.signal.value == nil {
        guard let pending else { return result + rescheduled([event], by: 0) }
        return result + [pending, Event(pending.moment.end, event.signal)]
      }
      if pending == nil {
        let time = max(event.time, lastTime.map { $0 + length } ?? event.time)
        pending = Event(event.moment.arranging(at: time), event.signal)
      } else if latest {
        pending?.signal = event.signal
      }
    }
    return result + (pending.map { [$0] } ?? [])
  }

  private func timedOut(_ events: [Event], _ length: Int, error: Int?, _ start: Start) -> [Event] {
    var result: [Event] = []
    var last = start.subscribed
    // The first request sets the timer again.
    let request = start.asked(since: last)
    func renew(before moment: Moment?) {
      guard last < request, request < last.arranging(at: last.time + length) else { return }
      if moment.map({ request < $0 }) ?? true { last = request }
    }
    for event in events {
      renew(before: event.moment)
      if last.arranging(at: last.time + length) < event.moment { break }
      last = event.moment
      result.append(event)
      if event.signal.value == nil { return rescheduled(result, by: 0) }
    }
    renew(before: nil)
    return rescheduled(result, by: 0) + [Event(last.arranging(at: last.time + length), Signal(end: error))]
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
