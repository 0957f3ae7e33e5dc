/// What the standard library takes on this machine: the measure of the machine, not of the package.
package let referenceScenarios = [
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
  Scenario(
    "withTaskGroup, four in flight, a value each", group: Scenario.referenceGroup, count: 50_000,
    work: .asynchronous { count in await inGroup(count) { $0 &* 2 } }, expected: doubled),
]

/// The row that says how fast a machine is, and what it took on the machine that the goals are for.
let machineReference = (name: "AsyncStream, 500,000 yields first, then for await", nanoseconds: 824.0)

/// The shape that everybody writes: a child task for each value, and the next whenever one has ended.
package func inGroup(_ count: Int, _ work: @escaping @Sendable (Int) async -> Int) async -> Int {
  await withTaskGroup(of: Int.self) { group in
    var sum = 0
    for index in 0..<count {
      if index >= 4, let result = await group.next() { sum &+= result }
      group.addTask { await work(index) }
    }
    for await result in group { sum &+= result }
    return sum
  }
}
