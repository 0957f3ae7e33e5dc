/// An operator that makes one result of all values, as a function of one value after the other.
struct Reduction {
  enum Step: Equatable {
    case goOn
    case decide(Int)
    case fail(Int)
  }

  let op: Operator
  private var values: [Int] = []

  /// The operator's; nil where it does not make one result of all values.
  init?(_ op: Operator) {
    switch op {
    case .collect, .count, .reduce, .tryReduce, .min, .max, .minBy, .maxBy, .tryMin, .tryMax, .contains,
      .containsWhere, .tryContainsWhere, .allSatisfy, .tryAllSatisfy, .first, .firstWhere, .tryFirstWhere, .last,
      .lastWhere, .tryLastWhere, .ignoreOutput, .suffix, .ignoreOutputAs:
      self.op = op
    default: return nil
    }
  }

  /// Whether it keeps its end, where it has no result, until something is requested.
  var keepsItsEnd: Bool {
    switch op {
    case .ignoreOutput, .ignoreOutputAs, .suffix: false
    default: true
    }
  }

  mutating func receive(_ value: Int) -> Step {
    switch op {
    case .tryReduce(_, let throwing), .tryContainsWhere(_, let throwing), .tryAllSatisfy(_, let throwing),
      .tryFirstWhere(_, let throwing), .tryLastWhere(_, let throwing):
      if throwing(value) { return .fail(value) }
    case .tryMin(let throwing):
      if let best = values.min(), throwing(Swift.min(best, value)) { return .fail(Swift.min(best, value)) }
    case .tryMax(let throwing):
      if let best = values.max(), throwing(Swift.min(best, value)) { return .fail(Swift.min(best, value)) }
    default: break
    }
    values.append(value)
    switch op {
    case .contains(let wanted): return value == wanted ? .decide(1) : .goOn
    case .containsWhere(let condition), .tryContainsWhere(let condition, _):
      return condition(value) ? .decide(1) : .goOn
    case .allSatisfy(let condition), .tryAllSatisfy(let condition, _): return condition(value) ? .goOn : .decide(0)
    case .first: return .decide(value)
    case .firstWhere(let condition), .tryFirstWhere(let condition, _):
      return condition(value) ? .decide(value) : .goOn
    default: return .goOn
    }
  }

  /// What comes when upstream has finished.
  var results: [Int] {
    if case .suffix(let count) = op { values.suffix(count) } else { result.map { [$0] } ?? [] }
  }

  private var result: Int? {
    switch op {
    case .collect: digest(values)
    case .count: values.count
    case .reduce(let initial), .tryReduce(let initial, _): values.reduce(initial) { $0 &* 3 &+ $1 }
    case .min, .tryMin: values.min()
    case .max, .tryMax: values.max()
    // The first of those that are equal.
    case .minBy(let divisor): values.first { value in values.allSatisfy { $0 % divisor >= value % divisor } }
    case .maxBy(let divisor): values.first { value in values.allSatisfy { $0 % divisor <= value % divisor } }
    case .contains, .containsWhere, .tryContainsWhere: 0
    case .allSatisfy, .tryAllSatisfy: 1
    case .last: values.last
    case .lastWhere(let condition), .tryLastWhere(let condition, _): values.last { condition($0) }
    default: nil
    }
  }
}
