import BenchmarkKit
import Combine

let sequenceScenarios = [
  Scenario(
    "(0..<n).publisher (type-erased) .sink", group: "sequences", count: 500_000, goal: 6,
    work: .synchronous { count in
      sum(of: (0..<count).publisher.eraseToAnyPublisher())
    }, expected: sumOfIndices),
  Scenario(
    "(0..<n).publisher (type-erased) .map.filter.map.sink", group: "sequences", count: 500_000, goal: 9,
    work: .synchronous { count in
      sum(of: (0..<count).publisher.eraseToAnyPublisher().map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 2 })
    }, expected: mapFilterMap),
  Scenario(
    "(0..<n).publisher.flatMap { Just($0) }.sink", group: "sequences", count: 500_000, goal: 40,
    work: .synchronous { count in
      sum(of: (0..<count).publisher.flatMap { Just($0) })
    }, expected: sumOfIndices),
  Scenario(
    "(0..<n).publisher.flatMap(maxPublishers: .max(1)) { Just($0) }.sink", group: "sequences", count: 500_000,
    goal: 60,
    work: .synchronous { count in
      sum(of: (0..<count).publisher.flatMap(maxPublishers: .max(1)) { Just($0) })
    }, expected: sumOfIndices),
  Scenario(
    "buffer(size: 64, prefetch: .keepFull, whenFull: .dropOldest).sink", group: "sequences", count: 500_000,
    goal: 45,
    work: .synchronous { count in
      sum(of: (0..<count).publisher.buffer(size: 64, prefetch: .keepFull, whenFull: .dropOldest))
    }, expected: sumOfIndices),
]
