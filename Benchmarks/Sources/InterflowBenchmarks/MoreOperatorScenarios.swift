import BenchmarkKit
import CombineOperators

/// Operators that Combine lacks, each beside the one of Combine's that does most nearly the same.
let moreOperatorScenarios = [
  Scenario(
    "combineLatest, one subject sends", group: "more operators", count: 500_000,
    work: .synchronous { count in
      sumOfSends(count) { $0.combineLatest(CurrentValueSubject(1)) { value, _ in value } }
    }, expected: sumOfIndices),
  Scenario(
    "withLatestFrom", group: "more operators", count: 500_000,
    relativeGoal: .init(to: "combineLatest, one subject sends", times: 1.3),
    work: .synchronous { count in
      sumOfSends(count) { $0.withLatestFrom(CurrentValueSubject(1)) { value, _ in value } }
    }, expected: sumOfIndices),
  Scenario(
    "map, switchToLatest of Just", group: "more operators", count: 500_000,
    work: .synchronous { count in sumOfSends(count) { $0.map { Just($0) }.switchToLatest() } }, expected: sumOfIndices),
  Scenario(
    "flatMapLatest to Just", group: "more operators", count: 500_000,
    relativeGoal: .init(to: "map, switchToLatest of Just", times: 1.3),
    work: .synchronous { count in sumOfSends(count) { $0.flatMapLatest { Just($0) } } }, expected: sumOfIndices),
  Scenario(
    "share()", group: "more operators", count: 500_000,
    work: .synchronous { count in sumOfSends(count) { $0.share() } }, expected: sumOfIndices),
  Scenario(
    "share(replay: 1)", group: "more operators", count: 500_000,
    relativeGoal: .init(to: "share()", times: 1.3),
    work: .synchronous { count in sumOfSends(count) { $0.share(replay: 1) } }, expected: sumOfIndices),
  Scenario(
    "CurrentValueSubject to sink", group: "more operators", count: 500_000,
    work: .synchronous { count in
      let subject = CurrentValueSubject<Int, Never>(0)
      return sum(of: subject) { for index in 0..<count { subject.send(index) } }
    }, expected: sumOfIndices),
  Scenario(
    "ReplaySubject to sink", group: "more operators", count: 500_000,
    relativeGoal: .init(to: "CurrentValueSubject to sink", times: 1.3),
    work: .synchronous { count in
      let subject = ReplaySubject<Int, Never>(bufferSize: 1)
      return sum(of: subject) { for index in 0..<count { subject.send(index) } }
    }, expected: sumOfIndices),
  Scenario(
    "scan to events", group: "more operators", count: 500_000,
    work: .synchronous { count in
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.scan(Event<Int, Never>.finished) { _, value in .value(value) }
        .sink { if case .value(let value) = $0 { sum.value &+= value } }
      for index in 0..<count { subject.send(index) }
      return withExtendedLifetime(cancellable) { sum.value }
    }, expected: sumOfIndices),
  Scenario(
    "materialize", group: "more operators", count: 500_000,
    relativeGoal: .init(to: "scan to events", times: 1.3),
    work: .synchronous { count in
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.materialize().sink { if case .value(let value) = $0 { sum.value &+= value } }
      for index in 0..<count { subject.send(index) }
      return withExtendedLifetime(cancellable) { sum.value }
    }, expected: sumOfIndices),
]
