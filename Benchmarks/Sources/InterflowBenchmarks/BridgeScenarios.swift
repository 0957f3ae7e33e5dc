import BenchmarkKit
import Interflow

let bridgeScenarios = [
  Scenario(
    "(0..<n).publisher.asyncValues(prefetch: 64), for await", group: "async", count: 500_000,
    work: .asynchronous { count in await sum(of: (0..<count).publisher.asyncValues(prefetch: 64)) },
    expected: sumOfIndices),
  Scenario(
    "subject.asyncStream(), producer in another task", group: "async", count: 500_000,
    work: .asynchronous { count in
      let subject = PassthroughSubject<Int, Never>()
      let stream = subject.asyncStream()
      let producer = Task.detached {
        for index in 0..<count { subject.send(index) }
        subject.send(completion: .finished)
      }
      var sum = 0
      for await value in stream { sum &+= value }
      await producer.value
      return sum
    }, expected: sumOfIndices),
  Scenario(
    "async channel, rendezvous between two tasks", group: "async", count: 50_000, goal: 800,
    work: .asynchronous { count in
      let channel = AsyncChannel<Int, Never>()
      let producer = Task.detached {
        for index in 0..<count { try await channel.send(index) }
        channel.send(completion: .finished)
      }
      var sum = 0
      for await value in channel.asyncValues { sum &+= value }
      _ = await producer.result
      return sum
    }, expected: sumOfIndices),
  Scenario(
    "async sequence .publisher.sink", group: "async", count: 500_000, goal: 20,
    work: .asynchronous { count in
      await sumUntilCompletion { sum, complete in
        Indices(count: count).publisher.sink(receiveCompletion: { _ in complete() }, receiveValue: { sum.value &+= $0 })
      }
    }, expected: sumOfIndices),
]

/// An async sequence that is always ready.
struct Indices: AsyncSequence, Sendable {
  let count: Int

  struct Iterator: AsyncIteratorProtocol {
    var index = 0
    let count: Int

    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      guard index < count else { return nil }
      defer { index += 1 }
      return index
    }

    mutating func next() async -> Int? { await next(isolation: nil) }
  }

  func makeAsyncIterator() -> Iterator { Iterator(count: count) }
}
