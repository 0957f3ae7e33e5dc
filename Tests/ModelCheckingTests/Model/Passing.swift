/// An operator that passes values on one by one or leaves them out, as a function of one value after the other.
struct Passing {
  enum Step: Equatable {
    case pass(Int)
    case leaveOut
    case passAndFinish(Int)
    case finish
    case fail(Int)
  }

  let op: Operator
  private var accumulated: Int
  private var previous: Int?
  private var count = 0
  private var isOpen = false
  private var lastTime: Int
  private var latest: [Int] = []
  private var seen: Set<Int> = []

  /// The operator's; nil where it does more than pass values on.
  init?(_ op: Operator, subscribedAt time: Int) {
    switch op {
    case .map, .mapKeyPath, .tryMap, .mapError, .replaceNil, .scan, .tryScan, .compactMap, .tryCompactMap, .filter,
      .tryFilter, .removeDuplicates, .removeDuplicatesBy, .tryRemoveDuplicates, .print, .handleEvents, .breakpoint,
      .coding, .measureInterval, .prefix, .prefixWhile, .tryPrefixWhile, .outputAt, .outputIn, .dropFirst, .dropWhile,
      .tryDropWhile, .mapToValue, .mapToVoid, .toggle, .enumerated, .pairwise, .nwise, .removeAllDuplicates,
      .removeAllDuplicatesBy, .distinct, .mapMany, .filterMany, .unwrap, .unwrapOrThrow, .prefixWhileInclusive:
      break
    default: return nil
    }
    self.op = op
    lastTime = time
    accumulated =
      switch op {
      case .scan(let initial), .tryScan(let initial, _): initial
      default: 0
      }
  }

  /// Whether it finishes before any value.
  var isEmpty: Bool {
    switch op {
    case .prefix(0): true
    case .outputIn(let range): range.isEmpty
    default: false
    }
  }

  func completion(_ signal: Signal) -> Signal {
    if case .mapError(let number) = op, case .failed(let code) = signal { .failed(code &+ number) } else { signal }
  }

  mutating func receive(_ value: Int, at time: Int) -> Step {
    switch op {
    case .map(let function): return .pass(function(value))
    case .mapKeyPath: return .pass(0 &- value)
    case .tryMap(let function, let throwing): return throwing(value) ? .fail(value) : .pass(function(value))
    case .replaceNil(let condition, let replacement): return .pass(condition(value) ? replacement : value)
    case .tryScan(_, let throwing) where throwing(value): return .fail(value)
    case .scan, .tryScan:
      accumulated = accumulated &* 3 &+ value
      return .pass(accumulated)
    case .compactMap(let condition), .filter(let condition): return condition(value) ? .pass(value) : .leaveOut
    case .tryCompactMap(let condition, let throwing), .tryFilter(let condition, let throwing):
      return throwing(value) ? .fail(value) : condition(value) ? .pass(value) : .leaveOut
    case .removeDuplicates: return passUnlessDuplicate(value) { $0 == $1 }
    case .removeDuplicatesBy(let divisor): return passUnlessDuplicate(value) { $0 % divisor == $1 % divisor }
    case .tryRemoveDuplicates(let throwing):
      return previous != nil && throwing(value) ? .fail(value) : passUnlessDuplicate(value) { $0 == $1 }
    case .mapError, .print, .handleEvents, .breakpoint, .coding: return .pass(value)
    case .measureInterval:
      defer { lastTime = time }
      return .pass(time - lastTime)
    case .prefix(let length): return passInside(0..<length, value)
    case .outputAt(let index): return passInside(index..<index + 1, value)
    case .outputIn(let range): return passInside(range, value)
    case .prefixWhile(let condition): return condition(value) ? .pass(value) : .finish
    case .tryPrefixWhile(let condition, let throwing):
      return throwing(value) ? .fail(value) : condition(value) ? .pass(value) : .finish
    case .dropFirst(let length):
      count += 1
      return count <= length ? .leaveOut : .pass(value)
    case .tryDropWhile(_, let throwing) where !isOpen && throwing(value): return .fail(value)
    case .dropWhile(let condition), .tryDropWhile(let condition, _):
      isOpen = isOpen || !condition(value)
      return isOpen ? .pass(value) : .leaveOut
    default: return receiveForAnother(value)
    }
  }

  /// The operators that Combine lacks.
  private mutating func receiveForAnother(_ value: Int) -> Step {
    switch op {
    case .mapToValue(let constant): return .pass(constant)
    case .mapToVoid: return .pass(0)
    case .toggle(let condition): return .pass(condition(value) ? 0 : 1)
    case .enumerated(let initial):
      defer { count += 1 }
      return .pass(digest([initial + count, value]))
    case .pairwise: return passLatest(2, value)
    case .nwise(let size): return passLatest(size, value)
    case .removeAllDuplicates, .distinct: return passUnlessSeen(value, value)
    case .removeAllDuplicatesBy(let divisor): return passUnlessSeen(value % divisor, value)
    case .mapMany(let function): return .pass(digest([function(value), function(value &+ 1)]))
    case .filterMany(let condition): return .pass(digest([value, value &+ 1].filter { condition($0) }))
    case .unwrap(let condition): return condition(value) ? .leaveOut : .pass(value)
    case .unwrapOrThrow(let condition): return condition(value) ? .fail(7) : .pass(value)
    case .prefixWhileInclusive(let condition): return condition(value) ? .pass(value) : .passAndFinish(value)
    default: preconditionFailure("\(op) does more than pass values on")
    }
  }

  private mutating func passLatest(_ size: Int, _ value: Int) -> Step {
    latest = (latest + [value]).suffix(size)
    return latest.count == size ? .pass(digest(latest)) : .leaveOut
  }

  private mutating func passUnlessSeen(_ key: Int, _ value: Int) -> Step {
    seen.insert(key).inserted ? .pass(value) : .leaveOut
  }

  private mutating func passUnlessDuplicate(_ value: Int, _ areEqual: (Int, Int) -> Bool) -> Step {
    if let previous, areEqual(previous, value) { return .leaveOut }
    previous = value
    return .pass(value)
  }

  private mutating func passInside(_ range: Range<Int>, _ value: Int) -> Step {
    count += 1
    if count <= range.lowerBound { return .leaveOut }
    return count == range.upperBound ? .passAndFinish(value) : .pass(value)
  }
}
