/// The operators to choose from, each with a way to choose its arguments.
enum OperatorGenerator {
  typealias Make = @Sendable (inout SplitMix) -> Operator

  static func condition(_ random: inout SplitMix) -> Condition {
    switch random.number(0...3) {
    case 0: .isEven
    case 1: .less(random.number(1...9))
    case 2: .divisible(by: random.number(2...4))
    default: .isNot(random.number(0...9))
    }
  }

  /// A condition that is seldom met, on which a closure throws.
  static func throwing(_ random: inout SplitMix) -> Condition {
    random.chance(50) ? .divisible(by: random.number(5...9)) : .less(random.number(-9...1))
  }

  static func function(_ random: inout SplitMix) -> Function {
    switch random.number(0...2) {
    case 0: .add(random.number(-5...9))
    case 1: .multiply(random.number(-1...3))
    default: .remainder(random.number(2...6))
    }
  }

  static func values(_ random: inout SplitMix) -> [Int] {
    (0..<random.number(0...5)).map { _ in random.number(0...9) }
  }

  /// A length of time. All are different, so that nothing is due at the same time as something else by chance.
  static func length(_ random: inout SplitMix) -> Int {
    random.number(ScenarioGenerator.duration / 100...ScenarioGenerator.duration / 2)
  }

  /// Pass values on, or leave them out, whatever came before.
  static let stateless: [Make] = [
    { .map(function(&$0)) }, { _ in .mapKeyPath }, { .replaceNil(of: condition(&$0), with: $0.number(0...9)) },
    { .compactMap(condition(&$0)) }, { .filter(condition(&$0)) }, { _ in .print }, { _ in .handleEvents },
    { _ in .breakpoint }, { _ in .coding }, { .mapToValue($0.number(0...9)) }, { _ in .mapToVoid },
    { .toggle(condition(&$0)) }, { .mapMany(function(&$0)) }, { .filterMany(condition(&$0)) },
    { .unwrap(condition(&$0)) },
  ]

  static let passing: [Make] =
    stateless + [
      { .tryMap(function(&$0), throwing: throwing(&$0)) }, { .mapError($0.number(1...9)) },
      { .scan($0.number(0...9)) }, { .tryScan($0.number(0...9), throwing: throwing(&$0)) },
      { .tryCompactMap(condition(&$0), throwing: throwing(&$0)) },
      { .tryFilter(condition(&$0), throwing: throwing(&$0)) }, { _ in .removeDuplicates },
      { .removeDuplicatesBy(remainder: $0.number(2...4)) }, { .tryRemoveDuplicates(throwing: throwing(&$0)) },
      { .prefix($0.number(0...5)) }, { .prefixWhile(condition(&$0)) },
      { .tryPrefixWhile(condition(&$0), throwing: throwing(&$0)) }, { .outputAt($0.number(0...3)) },
      {
        let lower = $0.number(0...3)
        return .outputIn(lower..<lower + $0.number(0...3))
      },
      { .dropFirst($0.number(0...3)) }, { .dropWhile(condition(&$0)) },
      { .tryDropWhile(condition(&$0), throwing: throwing(&$0)) }, { _ in .measureInterval },
      { .enumerated($0.number(-3...3)) }, { _ in .pairwise }, { .nwise($0.number(2...4)) },
      { _ in .removeAllDuplicates }, { .removeAllDuplicatesBy(remainder: $0.number(2...5)) }, { _ in .distinct },
      { .unwrapOrThrow(throwing(&$0)) }, { .prefixWhileInclusive(condition(&$0)) },
    ]

  static let reducing: [Make] = [
    { _ in .collect }, { _ in .count }, { .reduce($0.number(0...9)) },
    { .tryReduce($0.number(0...9), throwing: throwing(&$0)) }, { _ in .min }, { _ in .max },
    { .minBy(remainder: $0.number(2...5)) }, { .maxBy(remainder: $0.number(2...5)) },
    { .tryMin(throwing: throwing(&$0)) }, { .tryMax(throwing: throwing(&$0)) }, { .contains($0.number(0...9)) },
    { .containsWhere(condition(&$0)) }, { .tryContainsWhere(condition(&$0), throwing: throwing(&$0)) },
    { .allSatisfy(condition(&$0)) }, { .tryAllSatisfy(condition(&$0), throwing: throwing(&$0)) }, { _ in .first },
    { .firstWhere(condition(&$0)) }, { .tryFirstWhere(condition(&$0), throwing: throwing(&$0)) }, { _ in .last },
    { .lastWhere(condition(&$0)) }, { .tryLastWhere(condition(&$0), throwing: throwing(&$0)) },
    { _ in .ignoreOutput }, { .suffix($0.number(0...3)) }, { _ in .ignoreOutputAs },
  ]

  static let substituting: [Make] = [
    { .collectCount($0.number(1...3)) }, { .replaceEmpty($0.number(0...9)) }, { .replaceError($0.number(0...9)) },
    { .retry($0.number(0...3)) }, { .appendValues(values(&$0)) }, { .prependValues(values(&$0)) },
    { .catchAndReturn($0.number(0...9)) }, { .ignoreFailure(completes: $0.chance(70)) }, { _ in .mapToResult },
    { _ in .materialize }, { _ in .dematerialized }, { _ in .eventValues }, { .retryWhen($0.number(0...3)) },
    { .grouped(remainder: $0.number(1...4)) }, { .windowed($0.number(1...3)) },
  ]

  static let sharing: [Make] = [
    { _ in .share }, { _ in .multicast }, { _ in .makeConnectable }, { .shareReplay($0.number(0...3)) },
    { .partitioned(condition(&$0)) },
  ]

  static let timing: [Make] = [
    { .delay(length(&$0)) }, { .debounce(length(&$0)) }, { .throttle(length(&$0), latest: $0.chance(50)) },
    { .timeout(length(&$0), error: $0.chance(50) ? 7 : nil) }, { .collectByTime(length(&$0)) },
    { .collectByTimeOrCount(length(&$0), $0.number(1...3)) }, { _ in .receiveOn },
    { .retryDelayed($0.number(0...3), length: length(&$0)) }, { .prefixDuration(length(&$0)) },
  ]

  static func buffer(_ random: inout SplitMix) -> Operator {
    let whenFull: Operator.WhenFull =
      switch random.number(0...2) {
      case 0: .dropNewest
      case 1: .dropOldest
      default: .error(random.number(0...9))
      }
    return .buffer(random.number(1...3), random.chance(50) ? .keepFull : .byRequest, whenFull)
  }
}
