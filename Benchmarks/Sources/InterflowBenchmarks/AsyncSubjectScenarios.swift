import AsyncOperators
import BenchmarkKit

/// Subjects, shared sequences and channels.
let asyncSubjectScenarios = [
  Scenario(
    "AsyncPassthroughSubject, 500,000 sends first, then for await", group: "operators", count: 500_000, goal: 824,
    work: .asynchronous { count in
      let subject = AsyncPassthroughSubject<Int, Never>()
      var consumer = subject.makeAsyncIterator()
      for index in 0..<count { subject.send(index) }
      subject.finish()
      var sum = 0
      while let value = await consumer.next() { sum &+= value }
      return sum
    }, expected: sumOfIndices),
  Scenario(
    "AsyncPassthroughSubject, producer in another task", group: "operators", count: 500_000, goal: 808,
    work: .asynchronous { count in await sumOfSubject(count, consumers: 1) }, expected: sumOfIndices),
  Scenario(
    "AsyncPassthroughSubject to 8 consumers", group: "operators", count: 100_000,
    work: .asynchronous { count in await sumOfSubject(count, consumers: 8) }, expected: { 8 &* sumOfIndices($0) }),
  Scenario(
    "AsyncReplaySubject, 64, producer in another task", group: "operators", count: 500_000, goal: 808,
    work: .asynchronous { count in
      let subject = AsyncReplaySubject<Int, Never>(bufferSize: 64)
      var consumer = subject.makeAsyncIterator()
      let producer = Task.detached {
        for index in 0..<count { subject.send(index) }
        subject.finish()
      }
      var sum = 0
      while let value = await consumer.next() { sum &+= value }
      await producer.value
      return sum
    }, expected: sumOfIndices),
  Scenario(
    "async share to 2", group: "operators", count: 50_000,
    work: .asynchronous { count in await sumOfShared((0..<count).async.share()) }, expected: { 2 &* sumOfIndices($0) }),
  Scenario(
    "async share to 2, bounded by 64", group: "operators", count: 100_000,
    work: .asynchronous { count in await sumOfShared((0..<count).async.share(bufferingPolicy: .bounded(64))) },
    expected: { 2 &* sumOfIndices($0) }),
  Scenario(
    "AsyncBoundedChannel, 16 and 64, one producer", group: "operators", count: 100_000,
    work: .asynchronous { count in
      let (channel, source) = AsyncBoundedChannel<Int, Never>.makeChannel(lowWatermark: 16, highWatermark: 64)
      let producer = Task.detached {
        for index in 0..<count { try await source.send(index) }
        source.finish()
      }
      var sum = 0
      for await value in channel { sum &+= value }
      _ = await producer.result
      return sum
    }, expected: sumOfIndices),
]

/// A subject's values, as so many tasks get them that all consume it.
private func sumOfSubject(_ count: Int, consumers: Int) async -> Int {
  let subject = AsyncPassthroughSubject<Int, Never>()
  return await withTaskGroup(of: Int.self) { group in
    for _ in 0..<consumers {
      group.addTask {
        var sum = 0
        for await value in subject { sum &+= value }
        return sum
      }
    }
    while subject.consumerCount < consumers { await Task.yield() }
    let producer = Task.detached {
      for index in 0..<count { subject.send(index) }
      subject.finish()
    }
    var sum = 0
    for await result in group { sum &+= result }
    await producer.value
    return sum
  }
}

/// The elements of a shared sequence, as two tasks get them that are both there from the beginning.
private func sumOfShared(_ shared: AsyncShareSequence<Int, Never>) async -> Int {
  await withTaskGroup(of: Int.self) { group in
    let hasJoined = AsyncPassthroughSubject<Void, Never>()
    var joined = hasJoined.makeAsyncIterator()
    let begin = AsyncReplaySubject<Void, Never>(bufferSize: 1)
    for _ in 0..<2 {
      group.addTask {
        var iterator = shared.makeAsyncIterator()
        hasJoined.send()
        for await _ in begin.prefix(1) {}
        var sum = 0
        while let value = await iterator.next() { sum &+= value }
        return sum
      }
    }
    for _ in 0..<2 { _ = await joined.next() }
    begin.send(())
    var sum = 0
    for await result in group { sum &+= result }
    return sum
  }
}
