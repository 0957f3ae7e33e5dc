/// An operator with one upstream publisher, and its arguments.
///
/// Lengths of time are nanoseconds. An argument `throwing` is the condition on which the closure throws.
enum Operator: Hashable {
  // Values pass one by one, or are left out.
  case map(Function)
  case mapKeyPath
  case tryMap(Function, throwing: Condition)
  case mapError(Int)
  case replaceNil(of: Condition, with: Int)
  case scan(Int)
  case tryScan(Int, throwing: Condition)
  case compactMap(Condition)
  case tryCompactMap(Condition, throwing: Condition)
  case filter(Condition)
  case tryFilter(Condition, throwing: Condition)
  case removeDuplicates
  case removeDuplicatesBy(remainder: Int)
  case tryRemoveDuplicates(throwing: Condition)
  case prefix(Int)
  case prefixWhile(Condition)
  case tryPrefixWhile(Condition, throwing: Condition)
  case outputAt(Int)
  case outputIn(Range<Int>)
  case dropFirst(Int)
  case dropWhile(Condition)
  case tryDropWhile(Condition, throwing: Condition)
  case print
  case handleEvents
  case breakpoint
  case coding
  case measureInterval

  // The same, of those that Combine lacks.
  case mapToValue(Int)
  case mapToVoid
  case toggle(Condition)
  case enumerated(Int)
  case pairwise
  case nwise(Int)
  case removeAllDuplicates
  case removeAllDuplicatesBy(remainder: Int)
  case distinct
  case mapMany(Function)
  case filterMany(Condition)
  case unwrap(Condition)
  case unwrapOrThrow(Condition)
  case prefixWhileInclusive(Condition)

  // Values in publishers of their own, which are joined again.
  case grouped(remainder: Int)
  case windowed(Int)

  // All values make one result.
  case collect
  case count
  case reduce(Int)
  case tryReduce(Int, throwing: Condition)
  case min
  case max
  case minBy(remainder: Int)
  case maxBy(remainder: Int)
  case tryMin(throwing: Condition)
  case tryMax(throwing: Condition)
  case contains(Int)
  case containsWhere(Condition)
  case tryContainsWhere(Condition, throwing: Condition)
  case allSatisfy(Condition)
  case tryAllSatisfy(Condition, throwing: Condition)
  case first
  case firstWhere(Condition)
  case tryFirstWhere(Condition, throwing: Condition)
  case last
  case lastWhere(Condition)
  case tryLastWhere(Condition, throwing: Condition)
  case ignoreOutput
  case suffix(Int)
  case ignoreOutputAs

  // Values or completions are put in place of others.
  case collectCount(Int)
  case replaceEmpty(Int)
  case replaceError(Int)
  case retry(Int)
  case appendValues([Int])
  case prependValues([Int])
  case catchAndReturn(Int)
  case ignoreFailure(completes: Bool)
  case mapToResult
  case materialize
  case dematerialized
  case eventValues
  case retryWhen(Int)

  // Values wait, or are shared.
  case buffer(Int, Prefetch, WhenFull)
  case share
  case multicast
  case makeConnectable
  case shareReplay(Int)
  case partitioned(Condition)

  // Time.
  case delay(Int)
  case debounce(Int)
  case throttle(Int, latest: Bool)
  case timeout(Int, error: Int?)
  case collectByTime(Int)
  case collectByTimeOrCount(Int, Int)
  case retryDelayed(Int, length: Int)
  case prefixDuration(Int)
  case receiveOn
  case subscribeOn

  enum Prefetch: Hashable {
    case keepFull
    case byRequest
  }

  enum WhenFull: Hashable {
    case dropNewest
    case dropOldest
    case error(Int)
  }
}

extension Operator {
  /// The operator's name, without its arguments.
  var name: String { String(describing: self).prefix { $0 != "(" && $0 != "." }.description }
}
