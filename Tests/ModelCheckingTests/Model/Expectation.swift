/// What the model says of a scenario.
enum Expectation {
  /// Exactly these signals, at these times.
  case exactly([TimedSignal])
  /// As many of these values as are asked for, at whatever times, and the end if all have come.
  case inOrder([Signal])
  /// As many of these values as are asked for, in any order and at whatever times, and the end if all have come.
  case inAnyOrder([Signal])
  /// Some of these values.
  case among([Signal])
  /// Only the rules that all publishers keep.
  case rulesOnly

  init(_ scenario: Scenario) {
    let fills = scenario.pipeline.fillsABufferAtOnce
    if scenario.appetite.isUnlimited, scenario.pipeline.isExactWhereJoined, !fills {
      self = .exactly(Self.unlimited(scenario, scenario.cancellation))
    } else if let line = LinearModel(scenario) {
      self = .exactly(line.expected())
    } else if fills {
      self = .rulesOnly
    } else if let keeping = KeepingModel(scenario) {
      self = .exactly(keeping.expected())
    } else if scenario.pipeline.deliversTheSameForAnyDemand {
      self = .inOrder(Self.unlimited(scenario, .never).map(\.signal))
    } else if scenario.pipeline.deliversTheSameSetForAnyDemand {
      self = .inAnyOrder(Self.unlimited(scenario, .never).map(\.signal))
    } else if scenario.pipeline.isExactWhereJoined, scenario.pipeline.deliversSomeForAnyDemand {
      var all = scenario
      all.pipeline = scenario.pipeline.withoutThrottles
      self = .among(Self.unlimited(all, .never).map(\.signal))
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
