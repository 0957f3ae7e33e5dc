extension Operator {
  /// The operator as Swift source, near enough to be read and pasted.
  var source: String {
    switch self {
    case .map(let function): "map { \(function) }"
    case .mapKeyPath: "map(\\.opposite)"
    case .tryMap(let function, let throwing): "tryMap { \(Self.fail(throwing)); return \(function) }"
    case .mapError(let code): "mapError { Mishap(code: $0.code &+ \(code)) }"
    case .replaceNil(let condition, let value): "map { \(condition) ? nil : $0 }.replaceNil(with: \(value))"
    case .scan(let initial): "scan(\(initial)) { $0 &* 3 &+ $1 }"
    case .tryScan(let initial, let throwing):
      "tryScan(\(initial)) { \(Self.fail(throwing, "$1")); return $0 &* 3 &+ $1 }"
    case .compactMap(let condition): "compactMap { \(condition) ? $0 : nil }"
    case .tryCompactMap(let condition, let throwing):
      "tryCompactMap { \(Self.fail(throwing)); return \(condition) ? $0 : nil }"
    case .filter(let condition): "filter { \(condition) }"
    case .tryFilter(let condition, let throwing): "tryFilter { \(Self.fail(throwing)); return \(condition) }"
    case .removeDuplicates: "removeDuplicates()"
    case .removeDuplicatesBy(let divisor): "removeDuplicates { $0 % \(divisor) == $1 % \(divisor) }"
    case .tryRemoveDuplicates(let throwing): "tryRemoveDuplicates { \(Self.fail(throwing, "$1")); return $0 == $1 }"
    case .prefix(let count): "prefix(\(count))"
    case .prefixWhile(let condition): "prefix { \(condition) }"
    case .tryPrefixWhile(let condition, let throwing): "tryPrefix { \(Self.fail(throwing)); return \(condition) }"
    case .outputAt(let index): "output(at: \(index))"
    case .outputIn(let range): "output(in: \(range))"
    case .dropFirst(let count): "dropFirst(\(count))"
    case .dropWhile(let condition): "drop { \(condition) }"
    case .tryDropWhile(let condition, let throwing): "tryDrop { \(Self.fail(throwing)); return \(condition) }"
    case .print: "print(to: nothing)"
    case .handleEvents: "handleEvents(receiveOutput: { _ in })"
    case .breakpoint: "breakpoint()"
    case .coding: "encode(encoder: coder).decode(type: Int.self, decoder: coder)"
    case .measureInterval: "measureInterval(using: scheduler).map(\\.nanoseconds)"
    case .collect: "collect().map(digest)"
    case .count: "count()"
    case .reduce(let initial): "reduce(\(initial)) { $0 &* 3 &+ $1 }"
    case .tryReduce(let initial, let throwing):
      "tryReduce(\(initial)) { \(Self.fail(throwing, "$1")); return $0 &* 3 &+ $1 }"
    case .min: "min()"
    case .max: "max()"
    case .minBy(let divisor): "min { $0 % \(divisor) < $1 % \(divisor) }"
    case .maxBy(let divisor): "max { $0 % \(divisor) < $1 % \(divisor) }"
    case .tryMin(let throwing): "tryMin { \(Self.fail(throwing, "min($0, $1)")); return $0 < $1 }"
    case .tryMax(let throwing): "tryMax { \(Self.fail(throwing, "min($0, $1)")); return $0 < $1 }"
    case .contains(let value): "contains(\(value))"
    case .containsWhere(let condition): "contains { \(condition) }"
    case .tryContainsWhere(let condition, let throwing): "tryContains { \(Self.fail(throwing)); return \(condition) }"
    case .allSatisfy(let condition): "allSatisfy { \(condition) }"
    case .tryAllSatisfy(let condition, let throwing): "tryAllSatisfy { \(Self.fail(throwing)); return \(condition) }"
    case .first: "first()"
    case .firstWhere(let condition): "first { \(condition) }"
    case .tryFirstWhere(let condition, let throwing): "tryFirst { \(Self.fail(throwing)); return \(condition) }"
    case .last: "last()"
    case .lastWhere(let condition): "last { \(condition) }"
    case .tryLastWhere(let condition, let throwing): "tryLast { \(Self.fail(throwing)); return \(condition) }"
    case .ignoreOutput: "ignoreOutput()"
    case .collectCount(let count): "collect(\(count)).map(digest)"
    case .replaceEmpty(let value): "replaceEmpty(with: \(value))"
    case .replaceError(let value): "replaceError(with: \(value))"
    case .retry(let count): "retry(\(count))"
    case .appendValues(let values): "append(\(values))"
    case .prependValues(let values): "prepend(\(values))"
    case .buffer(let size, let prefetch, let whenFull):
      "buffer(size: \(size), prefetch: .\(prefetch), whenFull: .\(whenFull))"
    case .share: "share()"
    case .multicast: "multicast { PassthroughSubject() }.autoconnect()"
    case .makeConnectable: "replaceError(with: -1).makeConnectable().autoconnect()"
    case .delay(let length): "delay(for: \(Self.length(length)), scheduler: scheduler)"
    case .debounce(let length): "debounce(for: \(Self.length(length)), scheduler: scheduler)"
    case .throttle(let length, let latest):
      "throttle(for: \(Self.length(length)), scheduler: scheduler, latest: \(latest))"
    case .timeout(let length, let error):
      "timeout(\(Self.length(length)), scheduler: scheduler"
        + (error.map { ", customError: { Mishap(code: \($0)) }" } ?? "") + ")"
    case .collectByTime(let length): "collect(.byTime(scheduler, \(Self.length(length)))).map(digest)"
    case .collectByTimeOrCount(let length, let count):
      "collect(.byTimeOrCount(scheduler, \(Self.length(length)), \(count))).map(digest)"
    case .receiveOn: "receive(on: scheduler)"
    case .subscribeOn: "subscribe(on: scheduler)"
    }
  }

  private static func length(_ nanoseconds: Int) -> String { ".nanoseconds(\(nanoseconds))" }

  private static func fail(_ condition: Condition, _ value: String = "$0") -> String {
    "if \(condition.description.replacing("$0", with: value)) { throw Mishap(code: \(value)) }"
  }
}
