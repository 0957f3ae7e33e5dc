extension Interpreter {
  /// The values of what each value is made into; failed when one has, finished when all have.
  func flattened(_ outer: [Event], _ inner: Pipeline.Inner) -> [Event] {
    let streams = outer.compactMap { event in
      event.signal.value.map { events(of: inner.pipeline(for: $0), Start(subscribed: event.moment)) }
    }
    // The outer completion takes part as a stream of its own.
    return merged(streams + [outer.filter { $0.signal.value == nil }])
  }

  /// As ``flattened(_:_:)``, of a value only where what an earlier one was made into has finished.
  func flattenedFirst(_ outer: [Event], _ inner: Pipeline.Inner) -> [Event] {
    var streams: [[Event]] = []
    for event in outer {
      guard let value = event.signal.value else { continue }
      let last = streams.last.map(\.last)
      let isRunning = last.map { $0.map { $0.signal != .finished || event.moment <= $0.moment } ?? true } ?? false
      if !isRunning { streams.append(events(of: inner.pipeline(for: value), Start(subscribed: event.moment))) }
    }
    return merged(streams + [outer.filter { $0.signal.value == nil }])
  }

  /// As ``flattened(_:_:)``, of the latest value only.
  func switched(_ outer: [Event], _ inner: Pipeline.Inner) -> [Event] {
    let values = outer.filter { $0.signal.value != nil }
    var streams: [[Event]] = []
    for (index, event) in values.enumerated() {
      var stream = events(of: inner.pipeline(for: event.signal.value ?? 0), Start(subscribed: event.moment))
      if index + 1 < values.count {
        stream = stream.filter { $0.moment < values[index + 1].moment }
        // One that is replaced counts as finished.
        if stream.last.map({ $0.signal.value != nil }) ?? true {
          stream.append(Event(values[index + 1].moment, .finished))
        }
      }
      streams.append(stream)
    }
    return merged(streams + [outer.filter { $0.signal.value == nil }])
  }

  /// As ``flattened(_:_:)`` for at most so many publishers at a time; a buffer before it keeps what finds no place.
  func flattened(_ outer: Pipeline, _ start: Start, limit: Int, _ inner: Pipeline.Inner) -> [Event] {
    var upstream = outer
    var buffer: (size: Int, prefetch: Operator.Prefetch, whenFull: Operator.WhenFull)?
    if case .unary(let before, .buffer(let size, let prefetch, let whenFull)) = outer {
      upstream = before
      buffer = (size, prefetch, whenFull)
    }
    let isCold = !upstream.contains { if case .subject = $0 { true } else { false } }
    var queue: [Int] = []
    var busy: [Moment?] = []
    var streams: [[Event]] = []

    func begin(_ value: Int, at moment: Moment) {
      let stream = events(of: inner.pipeline(for: value), Start(subscribed: moment))
      streams.append(stream)
      busy.append(stream.last.flatMap { $0.signal == .finished ? $0.moment : nil })
    }

    /// Lets those that wait begin when others finish, up to a moment.
    func serve(until moment: Moment?) {
      while let next = busy.compactMap(\.self).min(), moment.map({ next < $0 }) ?? true {
        busy.remove(at: busy.firstIndex(of: next)!)
        if !queue.isEmpty { begin(queue.removeFirst(), at: next) }
      }
    }

    var end: Event?
    let outerEvents = events(of: upstream, start)
    for event in outerEvents {
      serve(until: event.moment)
      guard let value = event.signal.value else {
        end = event
        // A failure does not wait for what nobody has requested of the buffer.
        if buffer != nil, event.signal != .finished { queue = [] }
        break
      }
      if busy.count < limit, queue.isEmpty {
        begin(value, at: event.moment)
      } else if isCold, buffer?.prefetch != .byRequest {
        queue.append(value)
      } else if let buffer {
        if queue.count < buffer.size {
          queue.append(value)
        } else if buffer.prefetch == .byRequest {
          switch buffer.whenFull {
          case .dropNewest: break
          case .dropOldest: queue = queue.dropFirst() + [value]
          case .error(let code): end = Event(event.moment, .failed(code))
          }
        }
      }
      if end != nil { break }
    }
    if var end {
      // The completion comes when what waits has left.
      while !queue.isEmpty {
        guard let next = busy.compactMap(\.self).min() else { return merged(streams + [[], []]) }
        busy.remove(at: busy.firstIndex(of: next)!)
        begin(queue.removeFirst(), at: next)
        end.moment = next.end
      }
      return merged(streams + [[end]])
    }
    serve(until: nil)
    return merged(streams + [[]])
  }
}
