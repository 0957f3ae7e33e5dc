/// The model for subscribers that ask for so many values, where a pipeline is one line of a publisher, operators that
/// pass values on one by one, buffers, and operators that make one result: what is delivered, exactly and with times.
///
/// The line is cut where values can wait: at its publisher, at each buffer, and at each result. A value moves from one
/// such place to the next as soon as it has been asked for there.
struct LinearModel {
  private enum Kind {
    case cold
    case passthrough(Int)
    case current(Int)
    case buffer(Int, Operator.Prefetch, Operator.WhenFull)
    case reduction(Reduction)
  }

  /// A place where values wait, and the operators up to the next.
  private struct Place {
    var kind: Kind
    var waiting: [Int] = []
    var end: Signal?
    var asked = 0
    var operators: [Passing] = []
    var isOver = false
    /// Whether the end waits for a request.
    var endWaits = false
    /// Whether the place that comes next has its subscription.
    var isIntroduced = false
    /// Whether it is a buffer whose publisher has failed.
    var hasFailed = false
  }

  private static let unlimited = 1 << 40

  private let scenario: Scenario
  private var places: [Place] = []
  private var time = 0
  private var output: [TimedSignal] = []
  private var isOver = false

  /// The model of a scenario; nil where its pipeline is not such a line.
  init?(_ scenario: Scenario) {
    self.scenario = scenario
    guard add(scenario.pipeline) else { return nil }
  }

  private mutating func add(_ pipeline: Pipeline) -> Bool {
    var place = Place(kind: .cold)
    switch pipeline {
    case .subject(let index): place.kind = .passthrough(index)
    case .currentValue(let index):
      place.kind = .current(index)
      place.waiting = [scenario.inputs[index].initial]
    case .sequence(let values), .unfolded(let values): (place.waiting, place.end) = (values, .finished)
    case .just(let value): (place.waiting, place.end) = ([value], .finished)
    case .optional(let value): (place.waiting, place.end) = (value.map { [$0] } ?? [], .finished)
    case .result(let value, let isFailure), .future(let value, let isFailure):
      (place.waiting, place.end) = isFailure ? ([], .failed(value)) : ([value], .finished)
    case .record(let values, let error), .created(let values, let error):
      (place.waiting, place.end) = (values, Signal(end: error))
    case .empty: place.end = .finished
    case .never: break
    case .fail(let code): place.end = .failed(code)
    case .deferred(let publisher): return add(publisher)
    case .unary(let upstream, let op):
      guard add(upstream) else { return false }
      if let passing = Passing(op, subscribedAt: 0) {
        places[places.count - 1].operators.append(passing)
        return true
      }
      if let reduction = Reduction(op) {
        place.kind = .reduction(reduction)
      } else if case .buffer(let size, let prefetch, let whenFull) = op {
        // They send their subscription before there is one upstream, so that a buffer behind them is asked before it fills.
        for op in places[places.count - 1].operators.map(\.op) {
          switch op {
          case .dropFirst, .prefixWhileInclusive: return false
          default: break
          }
        }
        place.kind = .buffer(size, prefetch, whenFull)
      } else {
        return false
      }
    default: return false
    }
    places.append(place)
    return true
  }

  // MARK: The run

  /// What is delivered.
  func expected() -> [TimedSignal] {
    var run = self
    run.start()
    run.goThroughTime()
    return run.output
  }

  private mutating func start() {
    if scenario.cancellation == .inside(0) { return isOver = true }
    for index in places.indices {
      if !places[index].isOver, places[index].operators.contains(where: \.isEmpty) {
        finish(.finished, after: index)
      }
    }
    sendSubscription(from: 0)
  }

  /// A buffer asks before it sends its subscription on, and what makes one result asks after that.
  private mutating func sendSubscription(from index: Int) {
    guard index + 1 < places.count else {
      places[index].isIntroduced = true
      return ask(scenario.appetite.initially ?? Self.unlimited, of: index)
    }
    switch places[index + 1].kind {
    case .buffer(let size, let prefetch, _):
      places[index].isIntroduced = true
      ask(prefetch == .keepFull ? size : Self.unlimited, of: index)
      sendSubscription(from: index + 1)
    default:
      sendSubscription(from: index + 1)
      ask(Self.unlimited, of: index)
      places[index].isIntroduced = true
    }
    dropUnrequested(of: index + 1)
  }

  /// A failure waits only for what has been requested of a buffer.
  private mutating func dropUnrequested(of index: Int) {
    guard places[index].isIntroduced, places[index].hasFailed else { return }
    places[index].waiting = Array(places[index].waiting.prefix(places[index].asked))
    move()
  }

  /// Asks a place for the first values, and for those that are left out at the beginning.
  private mutating func ask(_ count: Int, of index: Int) {
    places[index].asked += count
    for case .dropFirst(let dropped) in places[index].operators.map(\.op) { places[index].asked += dropped }
    move()
  }

  private mutating func goThroughTime() {
    typealias Act = (inout LinearModel) -> Void
    var agenda: [(time: Int, act: Act)] = scenario.appetite.later.map { request in
      (request.time, { $0.places[$0.places.count - 1].asked += request.count ?? Self.unlimited })
    }
    switch places[0].kind {
    case .passthrough(let index), .current(let index):
      agenda += scenario.inputs[index].signals.map { sent in (sent.time, { $0.hear(sent.signal) }) }
    default: break
    }
    if case .at(let time) = scenario.cancellation { agenda.append((time, { $0.isOver = true })) }
    for (time, act) in agenda.sorted(by: { $0.time < $1.time }) where !isOver {
      self.time = time
      act(&self)
      move()
    }
  }

  private mutating func hear(_ signal: Signal) {
    guard !places[0].isOver else { return }
    guard let value = signal.value else {
      places[0].waiting = []
      return places[0].end = signal
    }
    if case .passthrough = places[0].kind {
      if places[0].asked > 0 { places[0].waiting.append(value) }
    } else {
      places[0].waiting = [value]
    }
  }

  /// Moves values on, those furthest downstream first, until none can move.
  private mutating func move() {
    var index = places.count - 1
    while index >= 0, !isOver {
      if places[index].isOver {
        index -= 1
      } else if places[index].asked > 0, !places[index].waiting.isEmpty {
        moveOne(from: index)
        index = places.count - 1
      } else if places[index].waiting.isEmpty, let end = places[index].end,
        !places[index].endWaits || places[index].asked > 0
      {
        places[index].isOver = true
        pass(end, from: index)
        index = places.count - 1
      } else {
        index -= 1
      }
    }
  }

  private mutating func moveOne(from index: Int) {
    var value = places[index].waiting.removeFirst()
    places[index].asked -= 1
    // Whoever keeps a buffer full asks for another in place of one that has left.
    if case .buffer(_, .keepFull, _) = places[index].kind { places[index - 1].asked += 1 }
    var isLast = false
    for position in places[index].operators.indices {
      switch places[index].operators[position].receive(value, at: time) {
      case .pass(let next): value = next
      case .leaveOut:
        if isLast { return finish(.finished, after: index, position) }
        if case .dropFirst = places[index].operators[position].op { return }
        places[index].asked += 1
        return
      case .passAndFinish(let next): (value, isLast) = (next, true)
      case .finish: return finish(.finished, after: index, position)
      case .fail(let code): return finish(.failed(code), after: index, position)
      }
    }
    deliver(value, from: index)
    if isLast, !isOver { finish(.finished, after: index) }
  }

  /// Ends the stream by an operator between this place and the next.
  private mutating func finish(_ signal: Signal, after index: Int, _ position: Int? = nil) {
    for before in 0...index { places[before].isOver = true }
    pass(signal, from: index, after: position)
  }

  private mutating func pass(_ end: Signal, from index: Int, after position: Int? = nil) {
    var end = end
    for op in places[index].operators.dropFirst(position.map { $0 + 1 } ?? 0) { end = op.completion(end) }
    guard index + 1 < places.count else {
      output.append(TimedSignal(time: time, signal: end))
      return isOver = true
    }
    guard places[index + 1].end == nil else { return }
    places[index + 1].end = end
    if case .buffer = places[index + 1].kind {
      places[index + 1].endWaits = end == .finished
      places[index + 1].hasFailed = end != .finished
      if places[index + 1].hasFailed, places[index + 1].isIntroduced {
        places[index + 1].waiting = Array(places[index + 1].waiting.prefix(places[index + 1].asked))
      }
    }
    if case .reduction(let reduction) = places[index + 1].kind, end == .finished {
      places[index + 1].waiting = reduction.results
      places[index + 1].endWaits = reduction.results.isEmpty && reduction.keepsItsEnd
    }
  }

  private mutating func deliver(_ value: Int, from index: Int) {
    guard index + 1 < places.count else { return deliverToSubscriber(value) }
    switch places[index + 1].kind {
    case .reduction(var reduction):
      let step = reduction.receive(value)
      places[index + 1].kind = .reduction(reduction)
      switch step {
      case .goOn: return
      case .decide(let result): (places[index + 1].waiting, places[index + 1].end) = ([result], .finished)
      case .fail(let code): places[index + 1].end = .failed(code)
      }
      for before in 0...index { places[before].isOver = true }
    case .buffer(let size, _, let whenFull):
      let isFull = places[index + 1].asked == 0 && places[index + 1].waiting.count >= size
      switch whenFull {
      case _ where !isFull: places[index + 1].waiting.append(value)
      case .dropNewest: break
      case .dropOldest:
        places[index + 1].waiting.removeFirst()
        places[index + 1].waiting.append(value)
      case .error(let code):
        places[index + 1].end = .failed(code)
        for before in 0...index { places[before].isOver = true }
      }
    default: preconditionFailure("only the first place is a publisher")
    }
  }

  private mutating func deliverToSubscriber(_ value: Int) {
    output.append(TimedSignal(time: time, signal: .value(value)))
    places[places.count - 1].asked += scenario.appetite.withEach
    if case .inside(let count) = scenario.cancellation, output.count == count { isOver = true }
  }
}
