import AsyncOperators
import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

/// Operators that Combine, or `CombineOperators`, and this module have: the same diagrams give the same signals at the
/// same times.
@Suite struct AgreementTests {
  @Test(arguments: filtering + reducing + combining + timing + failing + combineOperators)
  func bothWorldsAgree(_ row: AgreementRow) throws {
    var differences = 0
    for seed in 0..<UInt64(150) {
      let diagrams = RandomDiagrams(seed: seed, count: row.inputCount)
      let (published, iterated) = try row.outcomes(diagrams)
      if row.difference?.isPossible(diagrams) != true {
        #expect(published == iterated, "\(diagrams.all)")
      } else if published != iterated {
        differences += 1
      }
    }
    if let difference = row.difference { #expect(differences > 0, "no longer so: \(difference.reason)") }
  }

  static let filtering = [
    AgreementRow("removeDuplicates", { $0.a.removeDuplicates() }, { $0.a.removeDuplicates() }),
    AgreementRow(
      "removeDuplicates(by:)",
      differs: "Combine compares with the element before, the sequence with the one delivered before",
      when: \.hasDropped,
      { $0.a.removeDuplicates { $0 + $1 == 2 } }, { $0.a.removeDuplicates { $0 + $1 == 2 } }),
    AgreementRow("output(in:)", { $0.a.output(in: 1...2) }, { $0.a.output(in: 1...2) }),
    AgreementRow("output(in:), partial", { $0.a.output(in: 2...) }, { $0.a.output(in: 2...) }),
    AgreementRow("ignoreOutput", { $0.a.ignoreOutput() }, { $0.a.ignoreOutput() }),
    AgreementRow("replaceEmpty(with:)", { $0.a.replaceEmpty(with: 7) }, { $0.a.replaceEmpty(with: 7) }),
    AgreementRow(
      "replaceNil(with:)", { $0.a.map { $0 == 1 ? nil : $0 }.replaceNil(with: 7) },
      { $0.a.map { $0 == 1 ? nil : $0 }.replaceNil(with: 7) }),
    AgreementRow(
      "prefix(untilOutputFrom:)", { $0.a.prefix(untilOutputFrom: $0.b) }, { $0.a.prefix(untilOutputFrom: $0.b) }),
    AgreementRow(
      "drop(untilOutputFrom:)", { $0.a.drop(untilOutputFrom: $0.b) }, { $0.a.drop(untilOutputFrom: $0.b) }),
    AgreementRow(
      "first()", { $0.a.first() }, { inputs in OneResult { try await inputs.a.first() } }),
    AgreementRow(
      "last()", { $0.a.last() }, { inputs in OneResult { try await inputs.a.last() } }),
    AgreementRow(
      "last(where:)", { $0.a.last { $0 < 2 } },
      { inputs in OneResult { try await inputs.a.last { $0 < 2 } } }),
    AgreementRow(
      "output(at:)", { $0.a.output(at: 2) },
      { inputs in OneResult { try await inputs.a.output(at: 2) } }),
  ]

  static let reducing = [
    AgreementRow("scan", { $0.a.scan(0, +) }, { $0.a.scan(0, +) }),
    AgreementRow(
      "collect()", { $0.a.collect() },
      { inputs in OneResult { try await inputs.a.collect() } }),
    AgreementRow("collect(_:)", { $0.a.collect(2) }, { $0.a.collect(2) }),
    AgreementRow(
      "collect(.byTimeOrCount)",
      { $0.a.collect(.byTimeOrCount($0.scheduler, 3.5, 2)) },
      { $0.a.chunks(ofCount: 2, or: AsyncTimerSequence(interval: .milliseconds(3_500), clock: $0.clock)) }),
    AgreementRow(
      "collect(.byTime)",
      { $0.a.collect(.byTime($0.scheduler, 3.5)) },
      { $0.a.chunked(by: AsyncTimerSequence(interval: .milliseconds(3_500), clock: $0.clock)) }),
  ]

  static let combining = [
    AgreementRow("append(_:), elements", { $0.a.append(7, 8) }, { $0.a.append(7, 8) }),
    AgreementRow("append(_:)", { $0.a.append($0.b) }, { $0.a.append($0.b) }),
    AgreementRow("prepend(_:), elements", { $0.a.prepend(7, 8) }, { $0.a.prepend(7, 8) }),
    AgreementRow("prepend(_:)", { $0.a.prepend($0.b) }, { $0.a.prepend($0.b) }),
    AgreementRow("merge", { $0.a.merge(with: $0.b) }, { merge($0.a, $0.b) }),
    AgreementRow(
      "zip", differs: "a failure is seen when the element after it is requested, which is after the tuple",
      when: \.oneFails, { $0.a.zip($0.b) { [$0, $1] } }, { zip($0.a, $0.b).map { [$0.0, $0.1] } }),
    AgreementRow(
      "combineLatest", differs: "an input that ends without an element ends the sequence, since there will be no tuple",
      when: \.oneIsEmpty, { $0.a.combineLatest($0.b) { [$0, $1] } }, { combineLatest($0.a, $0.b).map { [$0.0, $0.1] } }),
    AgreementRow(
      "flatMap, one at a time", differs: "the base's failure is seen when its next element is requested",
      when: \.firstFails, { inputs in inputs.a.flatMap(maxPublishers: .max(1)) { _ in inputs.b } },
      { inputs in inputs.a.concatMap { _ in inputs.b } }),
    AgreementRow(
      "flatMap, two at a time",
      differs:
        "the base's failure is seen when its next element is requested; of two inner ones in a frame, either comes first",
      when: \.oneFails, isOrdered: false,
      { inputs in inputs.a.flatMap(maxPublishers: .max(2)) { _ in inputs.b } },
      { inputs in inputs.a.flatMap(maxTasks: 2) { _ in inputs.b } }),
    AgreementRow(
      "switchToLatest", { inputs in inputs.a.map { _ in inputs.b }.switchToLatest() },
      { inputs in inputs.a.flatMapLatest { _ in inputs.b } }),
    AgreementRow(
      "buffer", { $0.a.buffer(size: 100, prefetch: .keepFull, whenFull: .dropOldest) },
      { $0.a.buffer(policy: .unbounded) }),
  ]

  static let timing = [
    AgreementRow(
      "debounce", differs: "the sequence delivers the pending element when its base ends",
      when: { $0.a.hasSuffix("|") },
      { $0.a.debounce(for: 2.5, scheduler: $0.scheduler) },
      { $0.a.debounce(for: .milliseconds(2_500), clock: $0.clock) }),
    AgreementRow(
      "throttle", differs: "the sequence has no timer: it delivers an element after the interval, not at its end",
      when: \.hasCloseElements,
      { $0.a.throttle(for: 2.5, scheduler: $0.scheduler, latest: true) },
      { $0.a.throttle(for: .milliseconds(2_500), clock: $0.clock, latest: true) }),
    AgreementRow(
      "delay", { $0.a.delay(for: 2.5, scheduler: $0.scheduler) },
      { $0.a.delay(for: .milliseconds(2_500), clock: $0.clock) }),
    AgreementRow(
      "timeout",
      { $0.a.timeout(2.5, scheduler: $0.scheduler) { TestError("late") } },
      { $0.a.timeout(for: .milliseconds(2_500), clock: $0.clock) { TestError("late") } }),
    AgreementRow(
      "measureInterval", { $0.a.measureInterval(using: $0.scheduler).map { "\($0)" } },
      { $0.a.measureInterval(using: $0.clock).map { "\(VirtualTime.Stride($0))" } }),
  ]

  static let failing = [
    AgreementRow(
      "catch", { inputs in inputs.a.catch { _ in inputs.b } }, { inputs in inputs.a.catch { _ in inputs.b } }),
    AgreementRow(
      "tryCatch", { inputs in inputs.a.tryCatch { error -> MarblePublisher<Int, TestError> in throw error } },
      { inputs in inputs.a.tryCatch { error -> MarbleSequence<Int, TestError> in throw error } }),
    AgreementRow("retry", { $0.a.retry(2) }, { $0.a.retry(2) }),
    AgreementRow("replaceError", { $0.a.replaceError(with: 7) }, { $0.a.replaceError(with: 7) }),
    AgreementRow(
      "mapError", { $0.a.mapError { _ in TestError("other") } }, { $0.a.mapError { _ in TestError("other") } }),
    AgreementRow(
      "setFailureType", { $0.a.replaceError(with: 7).setFailureType(to: TestError.self) },
      { $0.a.replaceError(with: 7).setFailureType(to: TestError.self) }),
    AgreementRow("handleEvents", { $0.a.handleEvents() }, { $0.a.handleEvents() }),
    AgreementRow("breakpoint", { $0.a.breakpoint() }, { $0.a.breakpoint() }),
  ]
}

extension RandomDiagrams {
  /// Whether `removeDuplicates(by:)` of the table drops an element of the first.
  fileprivate var hasDropped: Bool {
    zip(firstElements, firstElements.dropFirst()).contains { $0.value + $1.value == 2 }
  }

  /// Whether elements of the first are less than the interval of the table apart.
  fileprivate var hasCloseElements: Bool {
    zip(firstElements, firstElements.dropFirst()).contains { $1.frame - $0.frame < 3 }
  }
}
