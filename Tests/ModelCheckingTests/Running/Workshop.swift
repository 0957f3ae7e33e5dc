import Combine
import CombineOperators
import InterflowTesting

typealias Numbers = AnyPublisher<Int, Mishap>

/// Builds the publisher that a pipeline describes.
struct Workshop {
  let scheduler: TestScheduler
  let subjects: [PassthroughSubject<Int, Mishap>]
  let currentValues: [CurrentValueSubject<Int, Mishap>]
  let probe: Probe
  /// Counts the subscriptions of subjects, where a scenario wants them watched.
  let watch: Watched<Numbers>.Count?
  /// The rule that subjects and sequences break; `nil` where they break none.
  var sloppiness: Sloppiness?

  func publisher(_ pipeline: Pipeline) -> Numbers {
    switch pipeline {
    case .subject(let index): watched(subjects[index].eraseToAnyPublisher())
    case .currentValue(let index): watched(currentValues[index].eraseToAnyPublisher())
    case .sequence(let values):
      sloppily(values.publisher.setFailureType(to: Mishap.self).eraseToAnyPublisher())
    case .just(let value): Just(value).setFailureType(to: Mishap.self).eraseToAnyPublisher()
    case .optional(let value): value.publisher.setFailureType(to: Mishap.self).eraseToAnyPublisher()
    case .result(let value, let isFailure): result(value, isFailure).publisher.eraseToAnyPublisher()
    case .future(let value, let isFailure):
      Future { $0(result(value, isFailure)) }.eraseToAnyPublisher()
    case .record(let values, let error):
      Record(output: values, completion: error.map { .failure(Mishap(code: $0)) } ?? .finished)
        .eraseToAnyPublisher()
    case .empty: Empty().eraseToAnyPublisher()
    case .never: Empty(completeImmediately: false).eraseToAnyPublisher()
    case .fail(let code): Fail(error: Mishap(code: code)).eraseToAnyPublisher()
    case .deferred(let pipeline): Deferred { publisher(pipeline) }.eraseToAnyPublisher()
    case .unfolded(let values):
      Publishers.Unfold(values[...]) {
        probe.note()
        return $0.popFirst()
      }.setFailureType(to: Mishap.self).eraseToAnyPublisher()
    case .created(let values, let error):
      .create(buffering: .unbounded) {
        probe.note()
        for value in values { $0.send(value) }
        $0.send(completion: error.map { .failure(Mishap(code: $0)) } ?? .finished)
        return AnyCancellable {}
      }
    case .interval(let length, let count):
      Publishers.Interval(every: .nanoseconds(length), on: scheduler).prefix(count).setFailureType(to: Mishap.self)
        .eraseToAnyPublisher()
    case .unary(let upstream, let op): publisher(upstream).applying(op, scheduler, probe)
    case .merge(let all): merge(all.map(publisher))
    case .mergeMany(let all): Publishers.MergeMany(all.map(publisher)).eraseToAnyPublisher()
    case .zip(let all): zip(all.map(publisher))
    case .combineLatest(let all): combineLatest(all.map(publisher))
    case .zipMany(let all): all.map(publisher).zip().map(digest).eraseToAnyPublisher()
    case .combineLatestMany(let all): all.map(publisher).combineLatest().map(digest).eraseToAnyPublisher()
    case .amb(let all):
      all.count == 2
        ? publisher(all[0]).amb(publisher(all[1])).eraseToAnyPublisher() : all.map(publisher).amb()
    case .ifEmpty(let upstream, let other): publisher(upstream).ifEmpty(switchTo: publisher(other))
    case .append(let upstream, let other): publisher(upstream).append(publisher(other)).eraseToAnyPublisher()
    case .prepend(let upstream, let other): publisher(upstream).prepend(publisher(other)).eraseToAnyPublisher()
    case .catching(let upstream, let other):
      publisher(upstream).catch { _ in publisher(other) }.eraseToAnyPublisher()
    case .tryCatching(let upstream, let other, let throwing):
      publisher(upstream).tryCatch {
        if probe.test(throwing, $0.code) { throw $0 }
        return publisher(other)
      }.mapError { $0 as! Mishap }.eraseToAnyPublisher()
    case .prefixUntil(let upstream, let other):
      publisher(upstream).prefix(untilOutputFrom: publisher(other)).eraseToAnyPublisher()
    case .dropUntil(let upstream, let other):
      publisher(upstream).drop(untilOutputFrom: publisher(other)).eraseToAnyPublisher()
    case .latestFrom(let upstream, let other):
      publisher(upstream).withLatestFrom(publisher(other)) { digest([$0, $1]) }.eraseToAnyPublisher()
    case .sampled(let upstream, let trigger):
      publisher(upstream).sample(publisher(trigger)).eraseToAnyPublisher()
    case .flatMap(let outer, let count, let inner):
      publisher(outer)
        .flatMap(maxPublishers: count.map { .max($0) } ?? .unlimited) { publisher(inner, $0) }
        .eraseToAnyPublisher()
    case .flatMapFirst(let outer, let inner): publisher(outer).flatMapFirst { publisher(inner, $0) }
    case .switchToLatest(let outer, let inner):
      publisher(outer).map { publisher(inner, $0) }.switchToLatest().eraseToAnyPublisher()
    }
  }

  private func watched(_ subject: Numbers) -> Numbers {
    watch.map { Watched(upstream: subject, count: $0).eraseToAnyPublisher() } ?? sloppily(subject)
  }

  private func sloppily(_ publisher: Numbers) -> Numbers {
    sloppiness.map { Sloppy(upstream: publisher, sloppiness: $0).eraseToAnyPublisher() } ?? publisher
  }

  private func publisher(_ inner: Pipeline.Inner, _ value: Int) -> Numbers {
    probe.note()
    return publisher(inner.pipeline(for: value))
  }

  private func result(_ value: Int, _ isFailure: Bool) -> Result<Int, Mishap> {
    isFailure ? .failure(Mishap(code: value)) : .success(value)
  }

  private func merge(_ all: [Numbers]) -> Numbers {
    switch all.count {
    case 2: all[0].merge(with: all[1]).eraseToAnyPublisher()
    case 3: all[0].merge(with: all[1], all[2]).eraseToAnyPublisher()
    case 4: all[0].merge(with: all[1], all[2], all[3]).eraseToAnyPublisher()
    case 5: all[0].merge(with: all[1], all[2], all[3], all[4]).eraseToAnyPublisher()
    case 6: all[0].merge(with: all[1], all[2], all[3], all[4], all[5]).eraseToAnyPublisher()
    case 7: all[0].merge(with: all[1], all[2], all[3], all[4], all[5], all[6]).eraseToAnyPublisher()
    case 8: all[0].merge(with: all[1], all[2], all[3], all[4], all[5], all[6], all[7]).eraseToAnyPublisher()
    default: preconditionFailure("merge of \(all.count)")
    }
  }

  private func zip(_ all: [Numbers]) -> Numbers {
    switch all.count {
    case 2: all[0].zip(all[1]) { digest([$0, $1]) }.eraseToAnyPublisher()
    case 3: all[0].zip(all[1], all[2]).map { digest([$0, $1, $2]) }.eraseToAnyPublisher()
    case 4: all[0].zip(all[1], all[2], all[3]) { digest([$0, $1, $2, $3]) }.eraseToAnyPublisher()
    default: preconditionFailure("zip of \(all.count)")
    }
  }

  private func combineLatest(_ all: [Numbers]) -> Numbers {
    switch all.count {
    case 2: all[0].combineLatest(all[1]).map { digest([$0, $1]) }.eraseToAnyPublisher()
    case 3: all[0].combineLatest(all[1], all[2]) { digest([$0, $1, $2]) }.eraseToAnyPublisher()
    case 4: all[0].combineLatest(all[1], all[2], all[3]).map { digest([$0, $1, $2, $3]) }.eraseToAnyPublisher()
    default: preconditionFailure("combineLatest of \(all.count)")
    }
  }
}
