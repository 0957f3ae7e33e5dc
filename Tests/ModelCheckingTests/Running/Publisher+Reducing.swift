import Combine
import CombineOperators

extension Publisher where Output == Int, Failure == Mishap {
  /// The publisher with an operator that makes one result of all values.
  func applyingReduction(_ op: Operator, _ probe: Probe) -> Numbers {
    switch op {
    case .collect: collect().map(digest).eraseToAnyPublisher()
    case .count: count().eraseToAnyPublisher()
    case .reduce(let initial): reduce(initial) { probe.fold($0, $1) }.eraseToAnyPublisher()
    case .tryReduce(let initial, let throwing):
      tryReduce(initial) {
        try probe.check(throwing, $1)
        return probe.fold($0, $1)
      }.erased()
    case .ignoreOutput: ignoreOutput().map(number).eraseToAnyPublisher()
    case .suffix(let count): suffix(count).eraseToAnyPublisher()
    case .ignoreOutputAs: ignoreOutput(setOutputType: Int.self).eraseToAnyPublisher()
    case .min, .max, .minBy, .maxBy, .tryMin, .tryMax: applyingComparison(op, probe)
    default: applyingSearch(op, probe)
    }
  }

  private func applyingComparison(_ op: Operator, _ probe: Probe) -> Numbers {
    switch op {
    case .min: min().eraseToAnyPublisher()
    case .max: max().eraseToAnyPublisher()
    case .minBy(let divisor):
      min {
        probe.note()
        return $0 % divisor < $1 % divisor
      }.eraseToAnyPublisher()
    case .maxBy(let divisor):
      max {
        probe.note()
        return $0 % divisor < $1 % divisor
      }.eraseToAnyPublisher()
    case .tryMin(let throwing):
      tryMin {
        try probe.check(throwing, Swift.min($0, $1))
        return $0 < $1
      }.erased()
    case .tryMax(let throwing):
      tryMax {
        try probe.check(throwing, Swift.min($0, $1))
        return $0 < $1
      }.erased()
    default: preconditionFailure("\(op) does not compare")
    }
  }

  private func applyingSearch(_ op: Operator, _ probe: Probe) -> Numbers {
    switch op {
    case .contains(let value): contains(value).map { $0 ? 1 : 0 }.eraseToAnyPublisher()
    case .containsWhere(let condition):
      contains { probe.test(condition, $0) }.map { $0 ? 1 : 0 }.eraseToAnyPublisher()
    case .tryContainsWhere(let condition, let throwing):
      tryContains {
        try probe.check(throwing, $0)
        return condition($0)
      }.map { $0 ? 1 : 0 }.erased()
    case .allSatisfy(let condition):
      allSatisfy { probe.test(condition, $0) }.map { $0 ? 1 : 0 }.eraseToAnyPublisher()
    case .tryAllSatisfy(let condition, let throwing):
      tryAllSatisfy {
        try probe.check(throwing, $0)
        return condition($0)
      }.map { $0 ? 1 : 0 }.erased()
    case .first: first().eraseToAnyPublisher()
    case .firstWhere(let condition): first { probe.test(condition, $0) }.eraseToAnyPublisher()
    case .tryFirstWhere(let condition, let throwing):
      tryFirst {
        try probe.check(throwing, $0)
        return condition($0)
      }.erased()
    case .last: last().eraseToAnyPublisher()
    case .lastWhere(let condition): last { probe.test(condition, $0) }.eraseToAnyPublisher()
    case .tryLastWhere(let condition, let throwing):
      tryLast {
        try probe.check(throwing, $0)
        return condition($0)
      }.erased()
    default: preconditionFailure("\(op) does not search")
    }
  }
}

private func number(_ value: Never) -> Int {}
