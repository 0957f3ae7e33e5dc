/// The model: what a pipeline delivers to a subscriber that asks without limit, as a list of events.
///
/// Each operator is a function of its publishers' lists. Nothing is shared with the engine: there are no subscriptions,
/// no demand and no callbacks here.
struct Interpreter {
  let inputs: [Input]
  private let subscriptions = Counter()

  /// Numbers the subscriptions. They are interpreted in the order in which they are made.
  private final class Counter {
    private var count = 0

    func next() -> Int {
      count += 1
      return count
    }
  }

  init(inputs: [Input]) { self.inputs = inputs }

  /// The events of a pipeline that is subscribed to at a start.
  func events(of pipeline: Pipeline, _ start: Start) -> [Event] {
    var start = start
    start.subscribed = next(start.subscribed)
    let subscribed = start.subscribed
    switch pipeline {
    case .subject(let index): return heard(of: index, subscribed)
    case .currentValue(let index): return currentAndHeard(of: index, start)
    case .sequence(let values): return Self.cold(values, .finished, start)
    case .just(let value): return Self.cold([value], .finished, start)
    case .optional(let value): return Self.cold(value.map { [$0] } ?? [], .finished, start)
    case .result(let value, let isFailure), .future(let value, let isFailure):
      return isFailure ? [Event(subscribed, .failed(value))] : Self.cold([value], .finished, start)
    case .record(let values, let error): return Self.cold(values, Signal(end: error), start)
    case .empty: return [Event(subscribed, .finished)]
    case .never: return []
    case .fail(let code): return [Event(subscribed, .failed(code))]
    case .deferred(let publisher): return events(of: publisher, start)
    case .unfolded(let values): return Self.cold(values, .finished, start)
    case .created(let values, let error): return Self.cold(values, Signal(end: error), start)
    case .interval(let length, let count): return ticks(every: length, count, start)
    case .unary(let upstream, let op): return events(of: op, after: upstream, start)
    case .merge(let all), .mergeMany(let all): return merged(all.map { events(of: $0, start) })
    case .amb(let all): return raced(zip(all, start.joined(all.count)).map { events(of: $0, $1) })
    case .ifEmpty(let upstream, let other):
      let events = events(of: upstream, start)
      return concatenated(events, start) { $0 == .finished ? (events.count == 1 ? other : .empty) : nil }
    case .zip(let all), .zipMany(let all): return zipped(zip(all, start.joined(all.count)).map { events(of: $0, $1) })
    case .combineLatest(let all), .combineLatestMany(let all):
      return combined(zip(all, start.joined(all.count)).map { events(of: $0, $1) })
    case .append(let first, let second), .prepend(let second, let first):
      return concatenated(events(of: first, start), start) { $0 == .finished ? second : nil }
    case .catching(let upstream, let other):
      return concatenated(events(of: upstream, start), start) { $0 == .finished ? nil : other }
    case .tryCatching(let upstream, let other, let throwing):
      return concatenated(events(of: upstream, start), start) {
        if case .failed(let code) = $0, !throwing(code) { other } else { nil }
      }
    case .prefixUntil(let upstream, let other):
      let signal = events(of: other, Start(subscribed: subscribed))
      return prefix(events(of: upstream, start), until: signal)
    case .dropUntil(let upstream, let other):
      let signal = events(of: other, Start(subscribed: subscribed))
      return dropped(events(of: upstream, start), until: signal)
    case .latestFrom(let upstream, let other): return latest(of: other, at: upstream, start)
    case .sampled(let upstream, let trigger): return sampled(upstream, trigger, start)
    case .flatMap(let outer, nil, let inner): return flattened(events(of: outer, start), inner)
    case .flatMap(let outer, let limit?, let inner): return flattened(outer, start, limit: limit, inner)
    case .switchToLatest(let outer, let inner): return switched(events(of: outer, start), inner)
    case .flatMapFirst(let outer, let inner): return flattenedFirst(events(of: outer, start), inner)
    }
  }

  /// A moment of its own for one of the subscriptions that are made at one moment.
  func next(_ moment: Moment) -> Moment { moment.step(subscriptions.next()) }

  // MARK: Where values come from

  static func cold(_ values: [Int], _ end: Signal, _ start: Start) -> [Event] {
    // What has no values ends without being asked.
    values.isEmpty
      ? [Event(start.subscribed, end)]
      : (values.map { .value($0) } + [end]).enumerated().map {
        Event(start.asked(since: start.subscribed).step($0), $1)
      }
  }

  /// The numbers that come before anybody asks are dropped, and counted.
  private func ticks(every length: Int, _ count: Int, _ start: Start) -> [Event] {
    let (begin, asked) = (start.subscribed, start.asked(since: start.subscribed))
    guard asked.time < .max else { return [] }
    let ticks = (0...).lazy.map { Event(begin.arranging(at: begin.time + ($0 + 1) * length), .value($0)) }
      .drop { $0.moment < asked }.prefix(count)
    return Array(ticks) + ticks.suffix(1).map { Event($0.moment.end, .finished) }
  }

  private func heard(of index: Int, _ subscribed: Moment) -> [Event] {
    let signals = inputs[index].signals
    if let end = signals.last, end.signal.value == nil, end.time <= subscribed.time {
      return [Event(subscribed, end.signal)]
    }
    return signals.enumerated().filter { $1.time > subscribed.time }.map { position, sent in
      Event(subscribed.hearing(sentAt: sent.time, index: position), sent.signal)
    }
  }

  private func currentAndHeard(of index: Int, _ start: Start) -> [Event] {
    let heard = heard(of: index, start.subscribed)
    if let first = heard.first, first.signal.value == nil, first.moment == start.subscribed { return heard }
    let current = inputs[index].signals.last { $0.time <= start.subscribed.time && $0.signal.value != nil }
    return [Event(start.asked(since: start.subscribed), current?.signal ?? .value(inputs[index].initial))] + heard
  }

  /// When a publisher hands its subscription over.
  func arrival(of pipeline: Pipeline, _ subscribed: Moment) -> Moment {
    switch pipeline {
    case .unary(let upstream, .subscribeOn): arrival(of: upstream, subscribed.hop)
    case .unary(_, .share), .unary(_, .multicast), .unary(_, .makeConnectable), .unary(_, .prependValues), .dropUntil,
      .unary(_, .prefixWhileInclusive), .unary(_, .dematerialized), .unary(_, .retryWhen), .unary(_, .retryDelayed),
      .unary(_, .shareReplay), .unary(_, .partitioned), .unary(_, .grouped), .unary(_, .windowed):
      subscribed
    case .unary(let upstream, _), .deferred(let upstream), .append(let upstream, _), .prepend(_, let upstream),
      .catching(let upstream, _), .tryCatching(let upstream, _, _), .prefixUntil(let upstream, _),
      .ifEmpty(let upstream, _),
      .flatMap(let upstream, _, _), .switchToLatest(let upstream, _), .flatMapFirst(let upstream, _):
      arrival(of: upstream, subscribed)
    default: subscribed
    }
  }

  // MARK: One publisher after the other

  /// The events up to the completion, and then those of its successor, if it has one.
  func concatenated(_ events: [Event], _ start: Start, successor: (Signal) -> Pipeline?) -> [Event] {
    guard let last = events.last, last.signal.value == nil, let next = successor(last.signal) else { return events }
    return events.dropLast() + self.events(of: next, Start(subscribed: last.moment, request: start.request))
  }

  // MARK: One operator

  private func events(of op: Operator, after upstream: Pipeline, _ start: Start) -> [Event] {
    if op == .subscribeOn {
      return events(
        of: upstream, Start(subscribed: start.subscribed.hop, hops: start.hops + 1, request: start.request))
    }
    let arrival = arrival(of: upstream, start.subscribed)
    if let reduction = Reduction(op) {
      // It asks for all values at once, and keeps the result until it is asked for.
      let events = events(of: upstream, Start(subscribed: start.subscribed, hops: start.hops))
      return delayed(reduced(events, reduction), until: start.request, keepsItsEnd: reduction.keepsItsEnd)
    }
    let events = events(of: upstream, start)
    // It shares its publisher, so it is no filter where the demand has a limit.
    if case .partitioned(let condition) = op { return events.filter { $0.signal.value.map { condition($0) } ?? true } }
    if let passing = Passing(op, subscribedAt: start.subscribed.time) { return passed(events, passing, arrival) }
    switch op {
    case .collectCount(let count): return collected(events, by: count)
    case .replaceEmpty(let value):
      guard let end = events.first, end.signal == .finished else { return events }
      return delayed([Event(end.moment, .value(value)), Event(end.moment.end, .finished)], until: start.request)
    case .replaceError(let value), .catchAndReturn(let value):
      return concatenated(events, start) { $0 == .finished ? nil : .just(value) }
    case .makeConnectable: return concatenated(events, start) { $0 == .finished ? nil : .just(-1) }
    case .retry(let count), .retryWhen(let count):
      return (0..<count).reduce(events) { events, _ in
        concatenated(events, start) { $0 == .finished ? nil : upstream }
      }
    case .retryDelayed(let count, let length):
      return (0..<count).reduce(events) { events, _ in
        guard let last = events.last, last.signal.code != nil else { return events }
        let due = last.moment.arranging(at: last.time + length)
        return events.dropLast() + self.events(of: upstream, Start(subscribed: due, request: start.request))
      }
    case .prefixDuration(let length):
      let end = start.subscribed.arranging(at: start.subscribed.time + length)
      return prefix(events, until: [Event(end, .value(0))])
    case .appendValues(let values): return concatenated(events, start) { $0 == .finished ? .sequence(values) : nil }
    case .prependValues(let values):
      return concatenated(Self.cold(values, .finished, start), start) { _ in upstream }
    case .ignoreFailure(let completes):
      return concatenated(events, start) { $0 == .finished ? nil : completes ? .empty : .never }
    case .mapToResult: return concatenated(events, start) { $0.code.map { .just(0 &- $0) } }
    case .materialize: return concatenated(events, start) { .just($0.code.map { 0 &- $0 } ?? -100) }
    case .dematerialized, .eventValues:
      // The end is an event, which needs demand.
      return events.map { event in
        guard event.signal.value == nil else { return event }
        let moment = max(event.moment, start.asked(since: start.subscribed))
        return Event(moment, op == .eventValues ? .finished : event.signal)
      }
    case .windowed(let count): return collected(events, by: count)
    case .buffer, .share, .multicast, .shareReplay, .grouped: return events
    default: return timed(events, op, start)
    }
  }

  private func passed(_ events: [Event], _ passing: Passing, _ arrival: Moment) -> [Event] {
    if passing.isEmpty { return [Event(next(arrival), .finished)] }
    var passing = passing
    var result: [Event] = []
    for event in events {
      guard let value = event.signal.value else {
        return result + [Event(event.moment, passing.completion(event.signal))]
      }
      switch passing.receive(value, at: event.time) {
      case .pass(let value): result.append(Event(event.moment, .value(value)))
      case .leaveOut: break
      case .passAndFinish(let value):
        return result + [Event(event.moment, .value(value)), Event(event.moment.end, .finished)]
      case .finish: return result + [Event(event.moment, .finished)]
      case .fail(let code): return result + [Event(event.moment, .failed(code))]
      }
    }
    return result
  }

  /// A value and its completion, or a normal completion without one, which wait for the request.
  private func delayed(_ events: [Event], until request: Moment?, keepsItsEnd: Bool = false) -> [Event] {
    guard let request, let first = events.first, first.moment < request,
      first.signal.value != nil || keepsItsEnd && first.signal == .finished
    else {
      return events
    }
    return events.enumerated().map { Event(request.step($0), $1.signal) }
  }

  private func reduced(_ events: [Event], _ reduction: Reduction) -> [Event] {
    var reduction = reduction
    for event in events {
      guard let value = event.signal.value else {
        let results = event.signal == .finished ? reduction.results : []
        return results.enumerated().map { Event(event.moment.step($0), .value($1)) }
          + [Event(event.moment.end, event.signal)]
      }
      switch reduction.receive(value) {
      case .goOn: break
      case .decide(let result): return [Event(event.moment, .value(result)), Event(event.moment.end, .finished)]
      case .fail(let code): return [Event(event.moment, .failed(code))]
      }
    }
    return []
  }

  private func collected(_ events: [Event], by count: Int) -> [Event] {
    var group: [Int] = []
    var result: [Event] = []
    for event in events {
      if let value = event.signal.value { group.append(value) }
      let isOver = event.signal == .finished && !group.isEmpty
      if isOver || group.count == count && event.signal.value != nil {
        result.append(Event(event.moment, .value(digest(group))))
        group = []
      }
      if event.signal.value == nil { result.append(Event(event.moment.end, event.signal)) }
    }
    return result
  }
}
