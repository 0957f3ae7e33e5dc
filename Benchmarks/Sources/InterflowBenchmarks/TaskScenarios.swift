import BenchmarkKit
import Interflow

/// Async work for each value, and the same work written by hand.
let taskScenarios = [
  Scenario(
    "(0..<n).publisher.task(maxPublishers: .max(4))", group: "tasks", count: 50_000, goal: 550,
    work: .asynchronous { count in
      await total((0..<count).publisher.task(maxPublishers: .max(4)) { value in value &* 2 })
    }, expected: doubled),
  Scenario(
    "(0..<n).publisher.concurrentMap(maxTasks: 4)", group: "tasks", count: 50_000, goal: 650,
    work: .asynchronous { count in
      await total((0..<count).publisher.concurrentMap(maxTasks: 4) { value in value &* 2 })
    }, expected: doubled),
  Scenario(
    "(0..<n).publisher.task(maxPublishers: .max(4)).sink", group: "tasks", count: 50_000, goal: 550,
    work: .asynchronous { count in
      await totalOfSink((0..<count).publisher.task(maxPublishers: .max(4)) { value in value &* 2 })
    }, expected: doubled),
  Scenario(
    "(0..<n).publisher.concurrentMap(maxTasks: 4).sink", group: "tasks", count: 50_000, goal: 650,
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
    "(0..<n).publisher.sink(maxTasks: 1)", group: "tasks", count: 50_000, goal: 300,
    work: .asynchronous { count in
      await sumUntilCompletion { sum, complete in
        (0..<count).publisher.sink(maxTasks: 1) { _ in
          complete()
        } receiveValue: { value in
          sum.value &+= value
        }
      }
    }, expected: sumOfIndices),
  Scenario(
    "(0..<n).publisher.oneByOneSink", group: "tasks", count: 50_000, goal: 300,
    work: .asynchronous { count in
      await sumUntilCompletion { sum, complete in
        (0..<count).publisher.oneByOneSink { _ in
          complete()
        } receiveValue: { value in
          sum.value &+= value
        }
      }
    }, expected: sumOfIndices),
  Scenario(
    "subject.sink(maxTasks: 1, buffering: .unbounded)", group: "tasks", count: 50_000, goal: 300,
    work: .asynchronous { count in
      let subject = PassthroughSubject<Int, Never>()
      return await sumUntilCompletion { sum, complete in
        subject.sink(maxTasks: 1, buffering: .unbounded) { _ in
          complete()
        } receiveValue: { value in
          sum.value &+= value
        }
      } sending: {
        for index in 0..<count { subject.send(index) }
        subject.send(completion: .finished)
      }
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
      await sumUntilCompletion { sum, complete in
        (0..<count).publisher.sink(maxTasks: 1) { _ in
          complete()
        } receiveValue: { value in
          await Task.yield()
          sum.value &+= value
        }
      }
    }, expected: sumOfIndices),
]

@inline(__always)
private func total(_ publisher: some Publisher<Int, Never>) async -> Int {
  var sum = 0
  for await value in publisher.asyncValues(prefetch: 64) { sum &+= value }
  return sum
}

@inline(__always)
private func totalOfSink(_ publisher: some Publisher<Int, Never>) async -> Int {
  await sumUntilCompletion { sum, complete in
    publisher.sink(receiveCompletion: { _ in complete() }, receiveValue: { sum.value &+= $0 })
  }
}
