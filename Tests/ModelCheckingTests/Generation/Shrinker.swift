/// Makes a scenario smaller for as long as it keeps a property.
struct Shrinker {
  let keepsProperty: (Scenario) -> Bool

  /// A scenario with the property of which no smaller one that is tried has it.
  func smallest(_ scenario: Scenario) -> Scenario {
    var best = scenario
    var budget = 5_000
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in best.simpler {
        budget -= 1
        if budget < 0 { return best }
        if keepsProperty(candidate) {
          best = candidate
          isSmaller = true
          break
        }
      }
    }
    return best
  }
}

extension Scenario {
  /// Scenarios that are a step simpler, the simplest first.
  fileprivate var simpler: [Scenario] {
    var result: [Scenario] = []
    func add(_ change: (inout Scenario) -> Void) {
      var copy = self
      change(&copy)
      if copy != self { result.append(copy) }
    }
    for pipeline in pipeline.simpler { add { $0.pipeline = pipeline } }
    add { $0.cancellation = .never }
    add { $0.watchesSubjects = false }
    add { $0.appetite = .unlimited }
    add { $0.appetite.withEach = 0 }
    for index in appetite.later.indices { add { $0.appetite.later.remove(at: index) } }
    for input in inputs.indices {
      for signal in inputs[input].signals.indices { add { $0.inputs[input].signals.remove(at: signal) } }
      for signal in inputs[input].signals.indices {
        let time = inputs[input].signals[signal].time
        let round = max(1, time / 100_000_000_000) * 100_000_000_000 + input * 1_000_000_000 + signal * 1_000_000
        if round < time { add { $0.inputs[input].signals[signal].time = round } }
      }
    }
    return result
  }
}

extension Pipeline {
  /// Pipelines that are a step simpler, the simplest first.
  fileprivate var simpler: [Pipeline] {
    let parts = children
    var result = parts
    switch self {
    case .merge(let all): result += all.shorter(butNotBelow: 2).map { .merge($0) }
    case .mergeMany(let all): result += all.shorter(butNotBelow: 1).map { .mergeMany($0) }
    case .zip(let all): result += all.shorter(butNotBelow: 2).map { .zip($0) }
    case .combineLatest(let all): result += all.shorter(butNotBelow: 2).map { .combineLatest($0) }
    case .zipMany(let all): result += all.shorter(butNotBelow: 1).map { .zipMany($0) }
    case .combineLatestMany(let all): result += all.shorter(butNotBelow: 1).map { .combineLatestMany($0) }
    case .amb(let all): result += all.shorter(butNotBelow: 2).map { .amb($0) }
    case .unfolded(let values): result += [.sequence(values)]
    case .created(let values, let error): result += [.record(values, error: error)]
    case .interval(let length, let count) where count > 1: result += [.interval(length, count: count - 1)]
    case .sequence(let values): result += values.shorter().map { .sequence($0) }
    case .record(let values, let error):
      result += [.sequence(values)] + values.shorter().map { .record($0, error: error) }
    case .flatMap(let outer, let count, .adding):
      result += [.flatMap(outer, maxPublishers: count, .counting(1)), .flatMap(outer, maxPublishers: count, .nothing)]
    case .switchToLatest(let outer, .adding):
      result += [.switchToLatest(outer, .counting(1)), .switchToLatest(outer, .nothing)]
    case .flatMapFirst(let outer, .adding):
      result += [.flatMapFirst(outer, .counting(1)), .flatMapFirst(outer, .nothing)]
    case .unary(let upstream, .appendValues(let values)):
      result += values.shorter().map { .unary(upstream, .appendValues($0)) }
    case .unary(let upstream, .prependValues(let values)):
      result += values.shorter().map { .unary(upstream, .prependValues($0)) }
    default: break
    }
    for (index, part) in parts.enumerated() {
      for simpler in part.simpler {
        var parts = parts
        parts[index] = simpler
        result.append(replacingChildren(parts))
      }
    }
    return result
  }
}

extension Array {
  /// The array without each of its elements, unless that would have too few.
  fileprivate func shorter(butNotBelow least: Int = 0) -> [[Element]] {
    guard count > least else { return [] }
    return indices.map { index in
      var copy = self
      copy.remove(at: index)
      return copy
    }
  }
}
