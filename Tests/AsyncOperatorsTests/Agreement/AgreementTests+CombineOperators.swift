import AsyncOperators
import Combine
import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

/// Operators that `CombineOperators` and this module have under one name.
extension AgreementTests {
  static let combineOperators = joining + packs + collections + replaying + shaping + events

  private static let joining = [
    AgreementRow("race", { race($0.a, $0.b) }, { race($0.a, $0.b) }),
    AgreementRow("merge", { merge($0.a, $0.b) }, { merge($0.a, $0.b) }),
    AgreementRow(
      "zip", differs: zipDifference,
      when: \.oneFails, { zip($0.a, $0.b).map { [$0, $1] } }, { zip($0.a, $0.b).map { [$0.0, $0.1] } }),
    AgreementRow(
      "combineLatest", differs: combineLatestDifference,
      when: \.oneIsEmpty, { combineLatest($0.a, $0.b).map { [$0, $1] } },
      { combineLatest($0.a, $0.b).map { [$0.0, $0.1] } }),
    AgreementRow(
      "withLatestFrom",
      differs: "values before the other's first are held back, and an other that ends without a value ends the stream",
      when: \.firstIsAhead,
      { $0.a.withLatestFrom($0.b) { [$0, $1] } }, { $0.a.withLatestFrom($0.b) { [$0, $1] } }),
    AgreementRow(
      "concatMap", differs: "the base's failure is seen when its next element is requested",
      when: \.firstFails, { inputs in inputs.a.concatMap { _ in inputs.b } },
      { inputs in inputs.a.concatMap { _ in inputs.b } }),
    AgreementRow(
      "flatMapFirst", { inputs in inputs.a.flatMapFirst { _ in inputs.b } },
      { inputs in inputs.a.flatMapFirst { _ in inputs.b } }),
    AgreementRow(
      "flatMapLatest", { inputs in inputs.a.flatMapLatest { _ in inputs.b } },
      { inputs in inputs.a.flatMapLatest { _ in inputs.b } }),
  ]

  private static let zipDifference =
    "a failure is seen when the element after it is requested, which is after the tuple"
  private static let combineLatestDifference =
    "an input that ends without an element ends the sequence, since there will be no tuple"

  /// Three have types of their own among the sequences; four are parameter packs in both worlds.
  private static let packs = [
    AgreementRow("merge, three", of: 3, { merge($0.a, $0.b, $0.c) }, { merge($0.a, $0.b, $0.c) }),
    AgreementRow("merge, four", of: 4, { merge($0.a, $0.b, $0.c, $0.d) }, { merge($0.a, $0.b, $0.c, $0.d) }),
    AgreementRow(
      "zip, three", of: 3, differs: zipDifference, when: \.oneFails,
      { zip($0.a, $0.b, $0.c).map { [$0, $1, $2] } }, { zip($0.a, $0.b, $0.c).map { [$0.0, $0.1, $0.2] } }),
    AgreementRow(
      "zip, four", of: 4, differs: zipDifference, when: \.oneFails,
      { zip($0.a, $0.b, $0.c, $0.d).map { [$0, $1, $2, $3] } },
      { zip($0.a, $0.b, $0.c, $0.d).map { [$0.0, $0.1, $0.2, $0.3] } }),
    AgreementRow(
      "combineLatest, three", of: 3, differs: combineLatestDifference, when: \.oneIsEmpty,
      { combineLatest($0.a, $0.b, $0.c).map { [$0, $1, $2] } },
      { combineLatest($0.a, $0.b, $0.c).map { [$0.0, $0.1, $0.2] } }),
    AgreementRow(
      "combineLatest, four", of: 4, differs: combineLatestDifference, when: \.oneIsEmpty,
      { combineLatest($0.a, $0.b, $0.c, $0.d).map { [$0, $1, $2, $3] } },
      { combineLatest($0.a, $0.b, $0.c, $0.d).map { [$0.0, $0.1, $0.2, $0.3] } }),
  ]

  private static let replaying = [
    AgreementRow(
      "share(replay:), with later subscribers", isOrdered: false,
      { inputs in
        let shared = inputs.a.share(replay: 2)
        return merge(
          shared.map { "\($0)" }, inputs.b.flatMapLatest { later in shared.map { "\($0) for \(later)" } })
      },
      { inputs in
        let shared = inputs.a.share(replay: 2)
        return merge(
          shared.map { "\($0)" }, inputs.b.flatMapLatest { later in shared.map { "\($0) for \(later)" } })
      }),
    AgreementRow(
      "ReplaySubject, with later subscribers", isOrdered: false,
      { inputs in
        let subject = ReplaySubject<Int, TestError>(bufferSize: 2)
        return inputs.b.flatMapLatest { later in subject.map { "\($0) for \(later)" } }
          .merge(
            with: inputs.a.handleEvents(
              receiveOutput: { subject.send($0) }, receiveCompletion: { subject.send(completion: $0) }
            ).map { "\($0)" })
      },
      { inputs in
        let subject = AsyncReplaySubject<Int, any Error>(bufferSize: 2)
        return merge(
          inputs.b.flatMapLatest { later in subject.map { "\($0) for \(later)" } },
          inputs.a.handleEvents(
            receiveOutput: { subject.send($0) },
            receiveCompletion: {
              if case .failure(let failure) = $0 { subject.finish(throwing: failure) } else { subject.finish() }
            }
          ).map { "\($0)" })
      }),
  ]

  private static let collections = [
    AgreementRow("race, collection", { race([$0.a, $0.b]) }, { race([$0.a, $0.b]) }),
    AgreementRow("merge, collection", { [$0.a, $0.b].merge() }, { merge([$0.a, $0.b]) }),
    AgreementRow(
      "zip, collection", differs: zipDifference,
      when: \.oneFails, { [$0.a, $0.b].zip() }, { zip([$0.a, $0.b]) }),
    AgreementRow(
      "combineLatest, collection",
      differs: combineLatestDifference,
      when: \.oneIsEmpty, { [$0.a, $0.b].combineLatest() }, { combineLatest([$0.a, $0.b]) }),
  ]

  private static let shaping = [
    AgreementRow(
      "enumerated", { $0.a.enumerated().map { [$0.index, $0.element] } },
      { $0.a.enumerated().map { [$0.offset, $0.element] } }),
    AgreementRow("pairwise", { $0.a.pairwise().map { [$0, $1] } }, { $0.a.pairwise().map { [$0.0, $0.1] } }),
  ]

  private static let events = [
    AgreementRow("mapToResult", { $0.a.mapToResult() }, { $0.a.mapToResult() }),
    AgreementRow(
      "materialize",
      { inputs in
        inputs.a.materialize().map {
          switch $0 {
          case .value(let value): "\(value)"
          case .finished: "finished"
          case .failure(let failure): "\(failure)"
          }
        }
      },
      { inputs in
        inputs.a.materialize().map {
          switch $0 {
          case .element(let element): "\(element)"
          case .finished: "finished"
          case .failure(let failure): "\(failure)"
          }
        }
      }),
    AgreementRow("dematerialize", { $0.a.materialize().dematerialize() }, { $0.a.materialize().dematerialize() }),
    AgreementRow(
      "retry, with a backoff",
      { $0.a.retry(3, delay: 1.5, backoff: .exponential(upTo: 4), on: $0.scheduler) },
      {
        $0.a.retry(
          3, backoff: .exponential(from: .milliseconds(1_500), upTo: .seconds(4)), clock: $0.clock)
      }),
    AgreementRow(
      "retry, after a constant delay", { $0.a.retry(3, delay: 1.5, on: $0.scheduler) },
      { $0.a.retry(3, backoff: .constant(.milliseconds(1_500)), clock: $0.clock) }),
    AgreementRow(
      "retry, after a longer delay each time",
      { $0.a.retry(3, delay: 1.5, backoff: .linear(upTo: 4), on: $0.scheduler) },
      { $0.a.retry(3, backoff: .linear(by: .milliseconds(1_500), upTo: .seconds(4)), clock: $0.clock) }),
    AgreementRow(
      "retryWhen",
      { inputs in
        inputs.a.retryWhen { failures in
          failures.setFailureType(to: TestError.self).enumerated(initial: 1).tryMap { retry, failure in
            if retry > 2 { throw failure }
          }
        }
      },
      { $0.a.retryWhen { _, retry in retry <= 2 } }),
  ]
}

extension RandomDiagrams {
  /// Whether a signal of the first comes before the second's first element.
  fileprivate var firstIsAhead: Bool {
    let frames = [a, b].map { diagram in diagram.firstIndex { $0 != "-" }.map { $0.utf16Offset(in: diagram) } ?? .max }
    return frames[0] < frames[1] || b.allSatisfy { "-|#".contains($0) }
  }
}
