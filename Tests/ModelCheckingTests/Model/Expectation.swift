/// What the model says of a scenario.
enum Expectation {
  /// Exactly these signals, at these times.
  case exactly([TimedSignal])
  /// As many of these values as are asked for, at whatever times, and the end if all have come.
  case inOrder([Signal])
  /// As many of these values as are asked for, in any order and at whatever times, and the end if all have come.
  case inAnyOrder([Signal])
  /// Only the rules that all publishers keep.
  case rulesOnly

  init(_ scenario: Scenario) {
    if scenario.appetite.isUnlimited {
      self = .exactly(Self.unlimited(scenario, scenario.cancellation))
    } else if let line = LinearModel(scenario) {
      self = .exactly(line.expected())
    } else if scenario.pipeline.deliversTheSameForAnyDemand {
      self = .inOrder(Self.unlimited(scenario, .never).map(\.signal))
    } else if scenario.pipeline.deliversTheSameSetForAnyDemand {
      self = .inAnyOrder(Self.unlimited(scenario, .never).map(\.signal))
    } else {
      self = .rulesOnly
    }
  }

  private static func unlimited(_ scenario: Scenario, _ cancellation: Cancellation) -> [TimedSignal] {
    let all = Interpreter(inputs: scenario.inputs).events(of: scenario.pipeline, Start(subscribed: .beginning))
      .map { TimedSignal(time: $0.time, signal: $0.signal) }
    switch cancellation {
    case .never: return all
    case .inside(let count):
      return count <= all.count(where: { $0.signal.value != nil }) ? Array(all.prefix(count)) : all
    case .at(let time): return all.filter { $0.time < time }
    }
  }
}

extension Pipeline {
  /// Whether the same values come in the same order however many are asked for at a time.
  var deliversTheSameForAnyDemand: Bool {
    switch self {
    case .subject, .currentValue, .merge, .mergeMany, .combineLatest, .prefixUntil, .dropUntil, .switchToLatest: false
    case .sequence, .just, .optional, .result, .future, .record, .empty, .never, .fail: true
    case .unary(let upstream, let op): op.deliversTheSameForAnyDemand && upstream.deliversTheSameForAnyDemand
    case .deferred, .append, .prepend, .catching, .tryCatching: children.allSatisfy(\.deliversTheSameForAnyDemand)
    // A failure overtakes what waits here.
    case .zip: children.allSatisfy { $0.deliversTheSameForAnyDemand && !$0.mayFail }
    case .flatMap(let outer, let limit, let inner):
      limit == 1 && outer.deliversTheSameForAnyDemand && !outer.mayFail
        && {
          switch inner {
          case .counting, .nothing: true
          case .value: false
          case .adding(let pipeline): pipeline.deliversTheSameForAnyDemand && !pipeline.mayFail
          }
        }()
    }
  }

  /// Whether the same values come however many are asked for at a time, if not in the same order.
  var deliversTheSameSetForAnyDemand: Bool {
    switch self {
    case .merge(let all), .mergeMany(let all):
      all.allSatisfy { $0.deliversTheSameSetForAnyDemand && !$0.mayFail }
    case .flatMap(let outer, _, let inner):
      outer.deliversTheSameForAnyDemand && !outer.mayFail
        && {
          switch inner {
          case .counting, .nothing: true
          case .value: false
          case .adding(let pipeline): pipeline.deliversTheSameForAnyDemand && !pipeline.mayFail
          }
        }()
    case .unary(let upstream, let op): op.treatsEachValueAlike && upstream.deliversTheSameSetForAnyDemand
    default: deliversTheSameForAnyDemand
    }
  }

  /// Whether any part of it may fail, or let others fail.
  var mayFail: Bool {
    contains {
      switch $0 {
      case .fail, .result(_, true), .future(_, true), .record(_, .some), .flatMap(_, _, .value): true
      case .tryCatching(_, _, let throwing): throwing != .less(.min)
      case .unary(_, let op): op.mayFail
      default: false
      }
    }
  }
}

extension Operator {
  /// Whether it may fail when its publisher does not.
  var mayFail: Bool { name.hasPrefix("try") || name == "timeout" }

  /// Whether what becomes of a value does not depend on those that came before.
  var treatsEachValueAlike: Bool {
    switch self {
    case .map, .mapKeyPath, .mapError, .replaceNil, .compactMap, .filter, .print, .handleEvents, .breakpoint, .coding,
      .receiveOn, .delay, .appendValues, .replaceEmpty, .replaceError, .count, .min, .max, .contains, .containsWhere,
      .allSatisfy, .ignoreOutput:
      true
    default: false
    }
  }

  var deliversTheSameForAnyDemand: Bool {
    switch self {
    case .measureInterval, .buffer(_, .byRequest, _), .share, .multicast, .makeConnectable, .debounce, .throttle,
      .timeout, .collectByTime, .collectByTimeOrCount:
      false
    default: true
    }
  }
}
