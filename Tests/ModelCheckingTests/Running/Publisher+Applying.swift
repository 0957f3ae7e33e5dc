import Combine
import CombineOperators
import InterflowTesting

extension Publisher where Output == Int, Failure == Mishap {
  /// The publisher with an operator, all of whose closures hold a probe.
  func applying(_ op: Operator, _ scheduler: TestScheduler, _ probe: Probe) -> Numbers {
    switch op {
    case .map, .mapKeyPath, .tryMap, .mapError, .replaceNil, .scan, .tryScan, .compactMap, .tryCompactMap, .filter,
      .tryFilter, .removeDuplicates, .removeDuplicatesBy, .tryRemoveDuplicates, .print, .handleEvents, .breakpoint,
      .coding, .measureInterval:
      applyingMapping(op, scheduler, probe)
    case .prefix, .prefixWhile, .tryPrefixWhile, .outputAt, .outputIn, .dropFirst, .dropWhile, .tryDropWhile:
      applyingSelection(op, probe)
    case .mapToValue, .mapToVoid, .toggle, .enumerated, .pairwise, .nwise, .removeAllDuplicates,
      .removeAllDuplicatesBy, .distinct, .mapMany, .filterMany, .unwrap, .unwrapOrThrow, .prefixWhileInclusive:
      applyingAnother(op, probe)
    case .collect, .count, .reduce, .tryReduce, .min, .max, .minBy, .maxBy, .tryMin, .tryMax, .contains,
      .containsWhere, .tryContainsWhere, .allSatisfy, .tryAllSatisfy, .first, .firstWhere, .tryFirstWhere, .last,
      .lastWhere, .tryLastWhere, .ignoreOutput, .suffix, .ignoreOutputAs:
      applyingReduction(op, probe)
    case .collectCount(let count): collect(count).map(digest).eraseToAnyPublisher()
    case .replaceEmpty(let value): replaceEmpty(with: value).eraseToAnyPublisher()
    case .replaceError(let value):
      replaceError(with: value).setFailureType(to: Mishap.self).eraseToAnyPublisher()
    case .catchAndReturn, .ignoreFailure, .mapToResult, .materialize, .dematerialized, .eventValues, .retryWhen:
      applyingToEnds(op, probe)
    case .retry(let count): retry(count).eraseToAnyPublisher()
    case .appendValues(let values): append(values).eraseToAnyPublisher()
    case .prependValues(let values): prepend(values).eraseToAnyPublisher()
    case .buffer(let size, let prefetch, let whenFull):
      buffer(
        size: size, prefetch: prefetch == .keepFull ? .keepFull : .byRequest, whenFull: whenFull.strategy(probe)
      ).eraseToAnyPublisher()
    case .grouped(let divisor):
      groupBy {
        probe.note()
        return $0 % divisor
      }.flatMap { $0 }.eraseToAnyPublisher()
    case .windowed(let count): window(count: count).flatMap { $0.collect() }.map(digest).eraseToAnyPublisher()
    case .partitioned(let condition): partition { probe.test(condition, $0) }.matches
    case .share: share().eraseToAnyPublisher()
    case .shareReplay(let count): share(replay: count).eraseToAnyPublisher()
    case .multicast: multicast { PassthroughSubject() }.autoconnect().eraseToAnyPublisher()
    case .makeConnectable:
      replaceError(with: -1).makeConnectable().autoconnect().setFailureType(to: Mishap.self).eraseToAnyPublisher()
    case .delay, .debounce, .throttle, .timeout, .collectByTime, .collectByTimeOrCount, .receiveOn, .subscribeOn,
      .retryDelayed, .prefixDuration:
      applyingTime(op, scheduler, probe)
    }
  }

  private func applyingMapping(_ op: Operator, _ scheduler: TestScheduler, _ probe: Probe) -> Numbers {
    switch op {
    case .map(let function): map { probe.apply(function, $0) }.eraseToAnyPublisher()
    case .mapKeyPath: map(\.opposite).eraseToAnyPublisher()
    case .tryMap(let function, let throwing):
      tryMap {
        try probe.check(throwing, $0)
        return function($0)
      }.erased()
    case .mapError(let code): mapError { Mishap(code: probe.apply(.add(code), $0.code)) }.eraseToAnyPublisher()
    case .replaceNil(let condition, let value):
      map { probe.test(condition, $0) ? nil : $0 }.replaceNil(with: value).eraseToAnyPublisher()
    case .scan(let initial): scan(initial) { probe.fold($0, $1) }.eraseToAnyPublisher()
    case .tryScan(let initial, let throwing):
      tryScan(initial) {
        try probe.check(throwing, $1)
        return probe.fold($0, $1)
      }.erased()
    case .compactMap(let condition): compactMap { probe.test(condition, $0) ? $0 : nil }.eraseToAnyPublisher()
    case .tryCompactMap(let condition, let throwing):
      tryCompactMap {
        try probe.check(throwing, $0)
        return condition($0) ? $0 : nil
      }.erased()
    case .filter(let condition): filter { probe.test(condition, $0) }.eraseToAnyPublisher()
    case .tryFilter(let condition, let throwing):
      tryFilter {
        try probe.check(throwing, $0)
        return condition($0)
      }.erased()
    case .removeDuplicates: removeDuplicates().eraseToAnyPublisher()
    case .removeDuplicatesBy(let divisor):
      removeDuplicates {
        probe.note()
        return $0 % divisor == $1 % divisor
      }.eraseToAnyPublisher()
    case .tryRemoveDuplicates(let throwing):
      tryRemoveDuplicates {
        try probe.check(throwing, $1)
        return $0 == $1
      }.erased()
    case .print: print("", to: Nowhere(probe)).eraseToAnyPublisher()
    case .handleEvents:
      handleEvents(
        receiveSubscription: { _ in probe.note() }, receiveOutput: { _ in probe.note() },
        receiveCompletion: { _ in probe.note() }, receiveCancel: { probe.note() },
        receiveRequest: { _ in probe.note() }
      ).eraseToAnyPublisher()
    case .breakpoint:
      breakpoint(
        receiveOutput: { _ in
          probe.note()
          return false
        }
      ).eraseToAnyPublisher()
    case .coding:
      encode(encoder: TextCoder()).decode(type: Int.self, decoder: TextCoder()).erased()
    case .measureInterval: measureInterval(using: scheduler).map(\.nanoseconds).eraseToAnyPublisher()
    default: preconditionFailure("\(op) does not map")
    }
  }

  private func applyingSelection(_ op: Operator, _ probe: Probe) -> Numbers {
    switch op {
    case .prefix(let count): prefix(count).eraseToAnyPublisher()
    case .prefixWhile(let condition): prefix { probe.test(condition, $0) }.eraseToAnyPublisher()
    case .tryPrefixWhile(let condition, let throwing):
      tryPrefix {
        try probe.check(throwing, $0)
        return condition($0)
      }.erased()
    case .outputAt(let index): output(at: index).eraseToAnyPublisher()
    case .outputIn(let range): output(in: range).eraseToAnyPublisher()
    case .dropFirst(let count): dropFirst(count).eraseToAnyPublisher()
    case .dropWhile(let condition): drop { probe.test(condition, $0) }.eraseToAnyPublisher()
    case .tryDropWhile(let condition, let throwing):
      tryDrop {
        try probe.check(throwing, $0)
        return condition($0)
      }.erased()
    default: preconditionFailure("\(op) does not select")
    }
  }

  /// An operator that Combine lacks.
  private func applyingAnother(_ op: Operator, _ probe: Probe) -> Numbers {
    switch op {
    case .mapToValue(let value): mapToValue(value).eraseToAnyPublisher()
    case .mapToVoid: mapToVoid().mapToValue(0).eraseToAnyPublisher()
    case .toggle(let condition): map { probe.test(condition, $0) }.toggle().map { $0 ? 1 : 0 }.eraseToAnyPublisher()
    case .enumerated(let initial):
      enumerated(initial: initial).map { digest([$0.index, $0.element]) }.eraseToAnyPublisher()
    case .pairwise: pairwise().map { digest([$0, $1]) }.eraseToAnyPublisher()
    case .nwise(let size): nwise(size).map(digest).eraseToAnyPublisher()
    case .removeAllDuplicates: removeAllDuplicates().eraseToAnyPublisher()
    case .removeAllDuplicatesBy(let divisor):
      removeAllDuplicates {
        probe.note()
        return $0 % divisor == $1 % divisor
      }.eraseToAnyPublisher()
    case .distinct: distinct().eraseToAnyPublisher()
    case .mapMany(let function):
      map { [$0, $0 &+ 1] }.mapMany { probe.apply(function, $0) }.map(digest).eraseToAnyPublisher()
    case .filterMany(let condition):
      map { [$0, $0 &+ 1] }.filterMany { probe.test(condition, $0) }.map(digest).eraseToAnyPublisher()
    case .unwrap(let condition): map { probe.test(condition, $0) ? nil : $0 }.unwrap().eraseToAnyPublisher()
    case .unwrapOrThrow(let condition):
      map { probe.test(condition, $0) ? nil : $0 }.unwrap(orThrow: Mishap(code: 7)).erased()
    case .prefixWhileInclusive(let condition):
      prefix(while: { probe.test(condition, $0) }, behavior: .inclusive).eraseToAnyPublisher()
    default: preconditionFailure("Combine has \(op)")
    }
  }

  /// An operator that Combine lacks, and that makes something of a completion.
  private func applyingToEnds(_ op: Operator, _ probe: Probe) -> Numbers {
    switch op {
    case .catchAndReturn(let value): catchAndReturn(value).setFailureType(to: Mishap.self).eraseToAnyPublisher()
    case .ignoreFailure(let completes): ignoreFailure(setFailureType: Mishap.self, completeImmediately: completes)
    case .mapToResult:
      mapToResult().map { result in
        switch result {
        case .success(let value): value
        case .failure(let error): 0 &- error.code
        }
      }.setFailureType(to: Mishap.self).eraseToAnyPublisher()
    case .materialize:
      materialize().map { event in
        switch event {
        case .value(let value): value
        case .finished: -100
        case .failure(let error): 0 &- error.code
        }
      }.setFailureType(to: Mishap.self).eraseToAnyPublisher()
    case .dematerialized: materialize().dematerialize().eraseToAnyPublisher()
    case .eventValues: materialize().values().setFailureType(to: Mishap.self).eraseToAnyPublisher()
    case .retryWhen(let count):
      retryWhen { failures in
        failures.setFailureType(to: Mishap.self).enumerated().tryMap { failure in
          probe.note()
          if failure.index >= count { throw failure.element }
        }
      }.eraseToAnyPublisher()
    default: preconditionFailure("\(op) makes nothing of a completion")
    }
  }

  private func applyingTime(_ op: Operator, _ scheduler: TestScheduler, _ probe: Probe) -> Numbers {
    switch op {
    case .delay(let length): delay(for: .nanoseconds(length), scheduler: scheduler).eraseToAnyPublisher()
    case .debounce(let length): debounce(for: .nanoseconds(length), scheduler: scheduler).eraseToAnyPublisher()
    case .throttle(let length, let latest):
      throttle(for: .nanoseconds(length), scheduler: scheduler, latest: latest).eraseToAnyPublisher()
    case .timeout(let length, let error):
      timeout(
        .nanoseconds(length), scheduler: scheduler,
        customError: error.map { error in { Mishap(code: probe.apply(.add(0), error)) } }
      ).eraseToAnyPublisher()
    case .collectByTime(let length):
      collect(.byTime(scheduler, .nanoseconds(length))).map(digest).eraseToAnyPublisher()
    case .collectByTimeOrCount(let length, let count):
      collect(.byTimeOrCount(scheduler, .nanoseconds(length), count)).map(digest).eraseToAnyPublisher()
    case .retryDelayed(let count, let length):
      retry(count, delay: .nanoseconds(length), on: scheduler)
    case .prefixDuration(let length): prefix(duration: .nanoseconds(length), on: scheduler)
    case .receiveOn: receive(on: scheduler).eraseToAnyPublisher()
    case .subscribeOn: subscribe(on: scheduler).eraseToAnyPublisher()
    default: preconditionFailure("\(op) has nothing to do with time")
    }
  }
}

extension Publisher where Output == Int, Failure == any Error {
  func erased() -> Numbers { mapError { $0 as! Mishap }.eraseToAnyPublisher() }
}

extension Operator.WhenFull {
  func strategy(_ probe: Probe) -> Publishers.BufferingStrategy<Mishap> {
    switch self {
    case .dropNewest: .dropNewest
    case .dropOldest: .dropOldest
    case .error(let code): .customError { Mishap(code: probe.apply(.add(0), code)) }
    }
  }
}

extension Int {
  /// For `map` with a key path.
  var opposite: Int { 0 &- self }
}

/// Takes what `print` prints.
struct Nowhere: TextOutputStream {
  let probe: Probe

  init(_ probe: Probe) { self.probe = probe }

  mutating func write(_ string: String) { probe.note() }
}

/// Writes a number as text, and reads it.
struct TextCoder: TopLevelEncoder, TopLevelDecoder {
  struct NotANumber: Error {}

  func encode<T: Encodable>(_ value: T) throws -> String { "\(value)" }

  func decode<T: Decodable>(_ type: T.Type, from input: String) throws -> T {
    guard let value = Int(input) as? T else { throw NotANumber() }
    return value
  }
}
