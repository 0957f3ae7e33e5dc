import AsyncOperators

private func ones(_ count: Int) -> AsyncStream<Int> {
  let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
  Task.detached {
    for _ in 0..<count {
      continuation.yield(1)
      await Task.yield()
    }
    continuation.finish()
  }
  return stream
}

func sumOfMergedSequences() async -> Int {
  var sum = 0
  for await value in merge(ones(500), ones(500), ones(500)) { sum += value }
  for await (one, other) in zip(ones(500), ones(500)) { sum += one + other }
  for await value in ones(500).buffer(policy: .bounded(10)) { sum += value }
  for await value in ones(500).flatMap(maxTasks: 4, { _ in ones(1) }) { sum += value }
  return sum
}

func sumOfSharedSequence() async -> Int {
  let shared = ones(500).share(bufferingPolicy: .unbounded)
  return await withTaskGroup(of: Int.self) { group in
    for _ in 0..<3 {
      group.addTask {
        var sum = 0
        for await value in shared { sum += value }
        return sum
      }
    }
    var least = 0
    for await sum in group { least = max(least, sum) }
    return least
  }
}
