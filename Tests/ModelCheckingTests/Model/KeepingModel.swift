/// The model of `debounce` and `throttle` for subscribers that request so many values, where they come last in a pipeline:
/// what is delivered, exactly and with times.
///
/// They request unlimited demand, so what reaches them is known. Of the values that are due they keep the newest until it
/// is requested, and the regular completion behind it.
struct KeepingModel {
  private enum Occurrence {
    case signal(Signal)
    case request(Int)
    /// The quiet after the value of this number is over.
    case quiet(Int)
    /// A closure runs that was scheduled for a value, a completion or a request.
    case closure(isRequested: Bool)
  }

  private enum Kind {
    case debounce(Int)
    case throttle(Int, latest: Bool)
  }

  private static let unlimited = 1 << 40

  private let kind: Kind
  private let withEach: Int
  private let cancellation: Cancellation

  private var agenda: [(moment: Moment, what: Occurrence)]
  private var demand: Int
  private var output: [TimedSignal] = []
  private var isOver = false

  /// The value that is not due yet, and the number of the latest.
  private var pending: Int?
  private var number = 0
  private var kept: Int?
  /// The completion that comes with the pending value, and the one that may be delivered.
  private var pendingEnd: Signal?
  private var end: Signal?
  private var servesRequest = false
  private var lastDelivery: Int?

  /// The model of a scenario; nil where its pipeline does not end so.
  init?(_ scenario: Scenario) {
    guard case .unary(let upstream, let op) = scenario.pipeline, upstream.isExactWhereJoined else { return nil }
    switch op {
    case .debounce(let length): kind = .debounce(length)
    case .throttle(let length, let latest): kind = .throttle(length, latest: latest)
    default: return nil
    }
    // A publisher that is empty gives a subscription that cannot be cancelled.
    if scenario.cancellation == .inside(0) { return nil }
    cancellation = scenario.cancellation
    withEach = scenario.appetite.withEach
    demand = scenario.appetite.initially ?? Self.unlimited
    agenda = Interpreter(inputs: scenario.inputs).events(of: upstream, Start(subscribed: .beginning))
      .map { ($0.moment, .signal($0.signal)) }
    agenda += scenario.appetite.later.enumerated().map { index, request in
      let moment = Moment.beginning.hearing(sentAt: request.time, index: 1_000 + index)
      return (moment, .request(request.count ?? Self.unlimited))
    }
  }

  /// What is delivered.
  func expected() -> [TimedSignal] {
    var run = self
    while !run.isOver, let next = run.agenda.indices.min(by: { run.agenda[$0].moment < run.agenda[$1].moment }) {
      let (moment, what) = run.agenda.remove(at: next)
      run.go(moment, what)
    }
    if case .at(let time) = cancellation { return run.output.filter { $0.time < time } }
    return run.output
  }

  private mutating func go(_ moment: Moment, _ what: Occurrence) {
    switch what {
    case .signal(let signal):
      if let value = signal.value { receive(value, moment) } else { complete(signal, moment) }
    case .request(let count):
      demand += count
      guard kept != nil, demand > 0, !servesRequest else { return }
      servesRequest = true
      agenda.append((moment.hop, .closure(isRequested: true)))
    case .quiet(let number):
      guard number == self.number, let value = pending else { return }
      (kept, pending) = (value, nil)
      deliver(moment.time)
    case .closure(let isRequested):
      if isRequested { servesRequest = false }
      if case .throttle = kind, let value = pending { (kept, pending) = (value, nil) }
      if let pendingEnd { end = pendingEnd }
      deliver(moment.time)
    }
  }

  private mutating func receive(_ value: Int, _ moment: Moment) {
    switch kind {
    case .debounce(let length):
      pending = value
      number += 1
      agenda.append((moment.arranging(at: moment.time + length), .quiet(number)))
    case .throttle(let length, let latest):
      if pending == nil, kept != nil, demand == 0 {
        kept = value
      } else if pending == nil {
        pending = value
        let time = lastDelivery.map { max(moment.time, $0 + length) } ?? moment.time
        agenda.append((moment.arranging(at: time), .closure(isRequested: false)))
      } else if latest {
        pending = value
      }
    }
  }

  private mutating func complete(_ signal: Signal, _ moment: Moment) {
    if case .debounce = kind {
      (pending, end) = (nil, signal)
    } else {
      pendingEnd = signal
      // It comes with that value.
      if pending != nil { return }
    }
    agenda.append((moment.hop, .closure(isRequested: false)))
  }

  /// Delivers what is due and has been requested.
  private mutating func deliver(_ time: Int) {
    if let value = kept, demand > 0 {
      kept = nil
      demand += withEach - 1
      lastDelivery = time
      output.append(TimedSignal(time: time, signal: .value(value)))
      if cancellation == .inside(output.count) { return isOver = true }
    }
    guard let end, kept == nil || end != .finished else { return }
    isOver = true
    output.append(TimedSignal(time: time, signal: end))
  }
}
