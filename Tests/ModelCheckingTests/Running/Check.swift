/// Runs scenarios and holds them against the model.
enum Check {
  /// How a run differs from the model, or breaks the rules; nil if it does not.
  static func difference(_ scenario: Scenario) -> String? {
    let expectation = Expectation(scenario)
    let outcome = Run.outcome(of: scenario, until: end(of: scenario, expectation))
    if let violation = outcome.violations.first { return violation + "\nactual:   \(outcome.signals)" }
    switch expectation {
    case .rulesOnly: return nil
    case .exactly(let signals):
      return outcome.signals == signals ? nil : "expected: \(signals)\nactual:   \(outcome.signals)"
    case .inOrder(let signals):
      return difference(outcome, inOrder: signals, isCancelled: scenario.cancellation != .never)
    case .inAnyOrder(let signals):
      guard let (taken, rest) = take(outcome.signals, from: signals) else {
        return "expected, in any order: \(signals)\nactual: \(outcome.signals)"
      }
      // What came, and then what might have: if there is enough of it, the order does not matter any more.
      return difference(
        outcome, inOrder: taken + rest + signals.filter { $0.value == nil },
        isCancelled: scenario.cancellation != .never)
    case .among(let signals):
      return take(outcome.signals, from: signals) == nil
        ? "expected, some of: \(signals)\nactual: \(outcome.signals)" : nil
    }
  }

  /// The values that came and those that did not, of all that might; nil if there were others.
  private static func take(
    _ actual: [TimedSignal], from signals: [Signal]
  ) -> (taken: [Signal], rest: [Signal])? {
    var rest = signals.filter { $0.value != nil }
    var taken: [Signal] = []
    for value in actual.map(\.signal) where value.value != nil {
      guard let index = rest.firstIndex(of: value) else { return nil }
      taken.append(rest.remove(at: index))
    }
    return (taken, rest)
  }

  private static func difference(_ outcome: Outcome, inOrder signals: [Signal], isCancelled: Bool) -> String? {
    let actual = outcome.signals.map(\.signal)
    let values = signals.filter { $0.value != nil }
    let description = "asked for: \(outcome.asked)\nexpected, at any time: \(signals)\nactual: \(outcome.signals)"
    if isCancelled { return actual == Array(signals.prefix(actual.count)) ? nil : description }
    let asked = Array(signals.prefix(min(outcome.asked, values.count)))
    if outcome.asked > values.count { return actual == signals ? nil : description }
    // Whether the end comes with the last value or with the request after it, is not said here.
    if outcome.asked == values.count, actual == signals { return nil }
    return actual == asked ? nil : description
  }

  /// A time by which everything that a scenario makes happen has happened, and no longer after that than needed.
  static func end(of scenario: Scenario, _ expectation: Expectation) -> Int {
    var end = scenario.inputs.flatMap(\.signals).map(\.time).max() ?? 0
    end = max(end, scenario.appetite.later.map(\.time).max() ?? 0)
    if case .at(let time) = scenario.cancellation { end = max(end, time) }
    switch expectation {
    case .exactly(let signals): end = max(end, signals.last?.time ?? 0)
    // Each value may set out when the one before it has come.
    case .inOrder, .inAnyOrder:
      return end + scenario.pipeline.length * (scenario.pipeline.contains(where: \.repeatsItself) ? 50 : 1_000) + 1
    case .among, .rulesOnly: break
    }
    return end + scenario.pipeline.length + 1
  }

  /// The smallest scenario that differs too, with its difference, as text.
  static func report(_ scenario: Scenario, seed: UInt64) -> String {
    let smallest = Shrinker { difference($0) != nil }.smallest(scenario)
    return """
      Seed \(seed) differs from the model. The smallest pipeline found that does:

      \(smallest)

      \(difference(smallest) ?? "")

      INTERFLOW_MODEL_SEED=\(seed) runs it alone.
      """
  }
}

extension Pipeline {
  /// Whether its outermost operator has a timer that goes on, so that much time takes long to pass.
  fileprivate var repeatsItself: Bool {
    switch self {
    case .interval, .unary(_, .collectByTime), .unary(_, .collectByTimeOrCount): true
    default: false
    }
  }

  /// A time longer than it takes from the last input to the last output.
  fileprivate var length: Int {
    let own =
      switch self {
      case .unary(_, let op): op.length
      case .interval(let length, let count): length * count
      default: 0
      }
    return own + children.reduce(0) { $0 + $1.length } * repetitions
  }

  /// How often a part may begin again one after the other.
  private var repetitions: Int {
    switch self {
    case .unary(_, .retry(let count)), .unary(_, .retryWhen(let count)),
      .unary(_, .retryDelayed(let count, _)):
      count + 1
    case .flatMap(_, .some, _): 8
    default: 1
    }
  }
}

extension Operator {
  fileprivate var length: Int {
    switch self {
    case .delay(let length), .debounce(let length), .throttle(let length, _), .timeout(let length, _),
      .collectByTime(let length), .collectByTimeOrCount(let length, _):
      length
    case .prefixDuration(let length): length
    case .retryDelayed(let count, let length): count * length
    default: 0
    }
  }
}
