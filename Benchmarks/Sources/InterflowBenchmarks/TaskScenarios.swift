import BenchmarkKit
import Interflow

/// Async work for each value, and what somebody would write by hand for it.
let taskScenarios = [
  Scenario(
    "(0..<n).publisher.task(maxPublishers: .max(4))", group: "tasks", count: 50_000, goal: 1_000,
    work: .asynchronous { count in
      await total((0..<count).publisher.task(maxPublishers: .max(4)) { value in value &* 2 })
    }, expected: doubled),
  Scenario(
    "(0..<n).publisher.concurrentMap(maxTasks: 4)", group: "tasks", count: 50_000, goal: 1_200,
    work: .asynchronous { count in
      await total((0..<count).publisher.concurrentMap(maxTasks: 4) { value in value &* 2 })
    }, expected: doubled),
  Scenario(
    "(0..<n).publisher.task(maxPublishers: .max(4)).sink", group: "tasks", count: 50_000, goal: 1_000,
    work: .asynchronous { count in
      await totalOfSink((0..<count).publisher.task(maxPublishers: .max(4)) { value in value &* 2 })
    }, expected: doubled),
  Scenario(
    "(0..<n).publisher.concurrentMap(maxTasks: 4).sink", group: "tasks", count: 50_000, goal: 1_200,
    work: .asynchronous { count in
      await totalOfSink((0..<count).publisher.concurrentMap(maxTasks: 4) { value in value &* 2 })
    }, expected: doubled),
  Scenario(
    "(0..<n).publisher.task(maxPublishers: .max(1)).sink", group: "tasks", count: 50_000,
    work: .asynchronous { count in
      await totalOfSink((0..<count).publisher.task(maxPublishers: .max(1)) { value in value &* 2 })
    }, expected: doubled),
  Scenario(
    "a Task for each value, one at a time", group: "tasks", count: 50_000,
    work: .asynchronous { count in
      var sum = 0
      for index in 0..<count { sum &+= await Task { index }.value }
      return sum
    }, expected: sumOfIndices),
  Scenario(
    "(0..<n).publisher.sink(maxTasks: 1)", group: "tasks", count: 50_000, goal: 550,
    work: .asynchronous { count in
      let sum = Sum()
      let (done, finish) = AsyncStream<Void>.makeStream()
      let cancellable = (0..<count).publisher.sink(maxTasks: 1) { _ in
        finish.finish()
      } receiveValue: { value in
        sum.value &+= value
      }
      for await _ in done {}
      cancellable.cancel()
      return sum.value
    }, expected: sumOfIndices),
  Scenario(
    "(0..<n).publisher.oneByOneSink", group: "tasks", count: 50_000, goal: 550,
    work: .asynchronous { count in
      let sum = Sum()
      let (done, finish) = AsyncStream<Void>.makeStream()
      let cancellable = (0..<count).publisher.oneByOneSink { _ in
        finish.finish()
      } receiveValue: { value in
        sum.value &+= value
      }
      for await _ in done {}
      cancellable.cancel()
      return sum.value
    }, expected: sumOfIndices),
  Scenario(
    "subject.sink(maxTasks: 1, buffering: .unbounded)", group: "tasks", count: 50_000, goal: 550,
    work: .asynchronous { count in
      let sum = Sum()
      let (done, finish) = AsyncStream<Void>.makeStream()
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.sink(maxTasks: 1, buffering: .unbounded) { _ in
        finish.finish()
      } receiveValue: { value in
        sum.value &+= value
      }
      for index in 0..<count { subject.send(index) }
      subject.send(completion: .finished)
      for await _ in done {}
      cancellable.cancel()
      return sum.value
    }, expected: sumOfIndices),
  Scenario(
    "withTaskGroup, four in flight, closures that suspend once", group: "tasks", count: 50_000,
    work: .asynchronous { count in
      await inGroup(count) { value in
        await Task.yield()
        return value &* 2
      }
    }, expected: doubled),
  Scenario(
    "task(maxPublishers: .max(4)), closures that suspend once", group: "tasks", count: 50_000,
    work: .asynchronous { count in
      await total(
        (0..<count).publisher.task(maxPublishers: .max(4)) { value in
          await Task.yield()
          return value &* 2
        })
    }, expected: doubled),
  Scenario(
    "concurrentMap(maxTasks: 4), closures that suspend once", group: "tasks", count: 50_000,
    work: .asynchronous { count in
      await total(
        (0..<count).publisher.concurrentMap(maxTasks: 4) { value in
          await Task.yield()
          return value &* 2
        })
    }, expected: doubled),
  Scenario(
    "sink(maxTasks: 1), closures that suspend once", group: "tasks", count: 50_000,
    work: .asynchronous { count in
      let sum = Sum()
      let (done, finish) = AsyncStream<Void>.makeStream()
      let cancellable = (0..<count).publisher.sink(maxTasks: 1) { _ in
        finish.finish()
      } receiveValue: { value in
        await Task.yield()
        sum.value &+= value
      }
      for await _ in done {}
      cancellable.cancel()
      return sum.value
    }, expected: sumOfIndices),
]

@Sendable func doubled(_ count: Int) -> Int { sumOfIndices(count) &* 2 }

@inline(__always)
private func total(_ publisher: some Publisher<Int, Never>) async -> Int {
  var sum = 0
  for await value in publisher.asyncValues(prefetch: 64) { sum &+= value }
  return sum
}

@inline(__always)
private func totalOfSink(_ publisher: some Publisher<Int, Never>) async -> Int {
  let sum = Sum()
  let (done, finish) = AsyncStream<Void>.makeStream()
  let cancellable = publisher.sink(
    receiveCompletion: { _ in finish.finish() }, receiveValue: { sum.value &+= $0 })
  for await _ in done {}
  cancellable.cancel()
  return sum.value
}
