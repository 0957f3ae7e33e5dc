import BenchmarkKit

/// What the standard library takes on this machine: the measure of the machine, not of the package.
let referenceScenarios = [
  Scenario(
    "Task.yield() in a loop", group: Scenario.referenceGroup, count: 50_000,
    work: .asynchronous { count in
      for _ in 0..<count { await Task.yield() }
      return count
    }, expected: { $0 }),
  Scenario(
    "AsyncStream, 500,000 yields first, then for await", group: Scenario.referenceGroup, count: 500_000,
    work: .asynchronous { count in
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      for index in 0..<count { continuation.yield(index) }
      continuation.finish()
      var sum = 0
      for await value in stream { sum &+= value }
      return sum
    }, expected: sumOfIndices),
  Scenario(
    "AsyncStream, producer in another task", group: Scenario.referenceGroup, count: 500_000,
    work: .asynchronous { count in
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      let producer = Task.detached {
        for index in 0..<count { continuation.yield(index) }
        continuation.finish()
      }
      var sum = 0
      for await value in stream { sum &+= value }
      await producer.value
      return sum
    }, expected: sumOfIndices),
]
