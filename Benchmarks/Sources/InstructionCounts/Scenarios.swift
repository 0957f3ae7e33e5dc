import BenchmarkKit
import Interflow
import InterflowTesting
import InterflowTracing

/// A small set that covers the engine: each part that many operators share is in at least one.
let countedScenarios = elementScenarios + subscriptionScenarios

private let elementScenarios = [
  counted("sequence.map.filter.map.sink", expected: mapFilterMap) { count, sum in
    let cancellable = (0..<count).publisher.eraseToAnyPublisher()
      .map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 2 }
      .sink { sum.value &+= $0 }
    withExtendedLifetime(cancellable) {}
  },
  subject("subject.sink") { $0 },
  subject("subject.traced.sink, recorder off") { $0.traced("numbers", recorder: TraceRecorder()) },
  subject("subject.traced.sink, recorder on") { subject in
    let recorder = TraceRecorder()
    recorder.start()
    return subject.traced("numbers", recorder: recorder)
  },
  subject("subject.map.filter.sink") { $0.map { $0 }.filter { $0 >= 0 } },
  subject("subject.scan.removeDuplicates.compactMap.sink") {
    $0.scan(0) { $1 &+ ($0 & 0) }.removeDuplicates { _, _ in false }.compactMap { $0 }
  },
  subject("subject and 16 scans and sink") { eightScans(eightScans($0)) },
  subject("subject and 16 operators of 4 kinds and sink") { eightMixed(eightMixed($0)) },
  subject("subject.tryMap.replaceError.sink") { $0.tryMap { try checked($0) }.replaceError(with: 0) },
  subject("subject.dropFirst.prefix(while:).sink") { $0.dropFirst().prefix { $0 >= 0 } },
  subject("subject.share.sink") { $0.share() },
  subject("subject.flatMap(Just).sink") { $0.flatMap { Just($0) } },
  subject("subject.map(Just).switchToLatest.sink") { $0.map { Just($0) }.switchToLatest() },
  subject("subject.buffer.sink") { $0.buffer(size: 64, prefetch: .keepFull, whenFull: .dropOldest) },
  subject("subject.receive(on: ImmediateScheduler).sink") { $0.receive(on: ImmediateScheduler.shared) },
  subject("subject.delay(ImmediateScheduler).sink") { $0.delay(for: 1, scheduler: ImmediateScheduler.shared) },
  subject("subject.debounce(ImmediateScheduler).sink") { $0.debounce(for: 1, scheduler: ImmediateScheduler.shared) },
  subject("subject.throttle(ImmediateScheduler).sink") {
    $0.throttle(for: 1, scheduler: ImmediateScheduler.shared, latest: true)
  },
  subject("subject.reduce.sink") { $0.reduce(0) { $0 &+ $1 } },
  counted("subject.zip(subject).sink", expected: { sumOfIndices($0) &* 2 }) { count, sum in
    pair(count, sum) { $0.zip($1).map { $0 &+ $1 } }
  },
  counted("subject.merge(subject).sink", expected: { sumOfIndices($0) &* 2 }) { count, sum in
    pair(count, sum) { $0.merge(with: $1) }
  },
  counted("subject.combineLatest(subject).sink", expected: latestSums) { count, sum in
    pair(count, sum) { $0.combineLatest($1).map { $0 &+ $1 } }
  },
  counted("currentValueSubject.sink", expected: sumOfIndices) { count, sum in
    let subject = CurrentValueSubject<Int, Never>(0)
    let cancellable = subject.sink { sum.value &+= $0 }
    for index in 0..<count { subject.value = index }
    withExtendedLifetime(cancellable) {}
  },
  counted("subject to 8 sinks", expected: { sumOfIndices($0) &* 8 }) { count, sum in
    let subject = PassthroughSubject<Int, Never>()
    let cancellables = (0..<8).map { _ in subject.sink { sum.value &+= $0 } }
    for index in 0..<count { subject.send(index) }
    withExtendedLifetime(cancellables) {}
  },
  counted("subscribe and cancel subject.map.filter.sink", expected: { _ in 0 }) { count, sum in
    let subject = PassthroughSubject<Int, Never>()
    for _ in 0..<count { subject.map { $0 &+ 1 }.filter { $0 > 0 }.sink { sum.value &+= $0 }.cancel() }
  },
  tasks("sequence.task(maxPublishers: .max(4)).sink") { count, sum in
    (0..<count).publisher.task(maxPublishers: .max(4)) { $0 }.sink { sum.value &+= $0 }
  },
  tasks("sequence.concurrentMap(maxTasks: 4).sink") { count, sum in
    (0..<count).publisher.concurrentMap(maxTasks: 4) { $0 }.sink { sum.value &+= $0 }
  },
  tasks("sequence.sink(maxTasks: 1)") { count, sum in
    (0..<count).publisher.sink(maxTasks: 1) { sum.value &+= $0 }
  },
]

/// Where a subscriber adds up what arrives.
final class Sum: @unchecked Sendable {  // Each is used by the one thread that counts.
  var value = 0
}

struct Negative: Error {}

@inline(never) func checked(_ value: Int) throws -> Int {
  if value < 0 { throw Negative() }
  return value
}

func counted(
  _ name: String, expected: @escaping @Sendable (Int) -> Int, _ work: @escaping @Sendable (Int, Sum) -> Void
) -> Scenario {
  Scenario(
    name, group: "counted", count: 10_000,
    work: .synchronous { count in
      let sum = Sum()
      work(count, sum)
      return sum.value
    }, expected: expected)
}

/// Async closures, whose tasks run in virtual time: on the thread that counts, and always in the same order.
private func tasks(
  _ name: String, _ subscribe: @escaping @Sendable (Int, Sum) -> AnyCancellable
) -> Scenario {
  counted(name, expected: sumOfIndices) { count, sum in
    let timeline = TestTimeline()
    var cancellable: AnyCancellable?
    timeline.scheduler.schedule { cancellable = subscribe(count, sum) }
    timeline.advance(by: 1)
    withExtendedLifetime(cancellable) {}
  }
}

private typealias Pipeline = Publisher<Int, Never> & SendableMetatype

/// What a subject sends, through a pipeline that neither drops nor changes anything but may add up.
private func subject(
  _ name: String, _ pipeline: @escaping @Sendable (PassthroughSubject<Int, Never>) -> some Pipeline
) -> Scenario {
  counted(name, expected: sumOfIndices) { count, sum in
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = pipeline(subject).sink { sum.value &+= $0 }
    for index in 0..<count { subject.send(index) }
    subject.send(completion: .finished)
    withExtendedLifetime(cancellable) {}
  }
}

/// A long chain that is typed from end to end.
private func eightScans(_ publisher: some Pipeline) -> some Pipeline {
  twoScans(twoScans(twoScans(twoScans(publisher))))
}

private func twoScans(_ publisher: some Pipeline) -> some Pipeline {
  publisher.scan(0) { $1 &+ ($0 & 0) }.scan(0) { $1 &+ ($0 & 0) }
}

private func eightMixed(_ publisher: some Pipeline) -> some Pipeline {
  fourMixed(fourMixed(publisher))
}

private func fourMixed(_ publisher: some Pipeline) -> some Pipeline {
  publisher.map { $0 }.scan(0) { $1 &+ ($0 & 0) }.removeDuplicates { _, _ in false }.filter { $0 >= 0 }
}

private func pair(
  _ count: Int, _ sum: Sum,
  _ combined: (PassthroughSubject<Int, Never>, PassthroughSubject<Int, Never>) -> some Publisher<Int, Never>
) {
  let left = PassthroughSubject<Int, Never>()
  let right = PassthroughSubject<Int, Never>()
  let cancellable = combined(left, right).sink { sum.value &+= $0 }
  for index in 0..<count {
    left.send(index)
    right.send(index)
  }
  withExtendedLifetime(cancellable) {}
}

/// Both send every index, one after the other: the right one's latest is one behind when the left one sends.
@Sendable private func latestSums(_ count: Int) -> Int {
  (0..<count).reduce(0) { $0 &+ ($1 > 0 ? $1 &+ ($1 - 1) : 0) &+ $1 &* 2 }
}
