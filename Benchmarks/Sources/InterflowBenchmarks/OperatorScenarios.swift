import AsyncOperators
import BenchmarkKit

/// Operators over asynchronous sequences whose elements are all available.
let operatorScenarios = [
  Scenario(
    "async merge of two ready sequences", group: "operators", count: 50_000, goal: 500,
    work: .asynchronous { count in await sum(of: merge((0..<count / 2).async, (count / 2..<count).async)) },
    expected: sumOfIndices),
  Scenario(
    "async zip of two ready sequences", group: "operators", count: 50_000, goal: 1_000,
    work: .asynchronous { count in
      var sum = 0
      for await (first, second) in zip((0..<count).async, (0..<count).async) where first == second { sum &+= first }
      return sum
    }, expected: sumOfIndices),
  Scenario(
    "async combineLatest of two ready sequences", group: "operators", count: 50_000, goal: 1_000,
    work: .asynchronous { count in
      // How many tuples there are depends on which input is first; the last is the same, and each element of the input
      // that begins later is in one.
      var (last, tuples) = ((0, 0), 0)
      for await tuple in combineLatest((0..<count / 2).async, (count / 2..<count).async) {
        last = tuple
        tuples += 1
      }
      return tuples < count / 2 ? -1 : last.0 + last.1
    }, expected: { $0 / 2 - 1 + $0 - 1 }),
  Scenario(
    "async buffer, 64", group: "operators", count: 500_000, goal: 300,
    work: .asynchronous { count in await sum(of: (0..<count).async.buffer(policy: .bounded(64))) },
    expected: sumOfIndices),
  Scenario(
    "async buffer, unbounded", group: "operators", count: 500_000, goal: 150,
    work: .asynchronous { count in await sum(of: (0..<count).async.buffer(policy: .unbounded)) }, expected: sumOfIndices
  ),
  Scenario(
    "async removeDuplicates", group: "operators", count: 500_000, goal: 30,
    work: .asynchronous { count in await sum(of: (0..<count).async.removeDuplicates()) }, expected: sumOfIndices),
  Scenario(
    "async throttle of a ready sequence", group: "operators", count: 500_000, goal: 150,
    work: .asynchronous { count in await sum(of: (0..<count).async.throttle(for: .zero)) }, expected: sumOfIndices),
  Scenario(
    "async debounce of a ready sequence", group: "operators", count: 500_000, goal: 400,
    work: .asynchronous { count in
      var last = 0
      for await value in (0..<count).async.debounce(for: .seconds(60)) { last = value + 1 }
      return last
    }, expected: { $0 }),
]
