import BenchmarkKit
import Combine
import Dispatch

let asyncScenarios = [
  Scenario(
    "(0..<n).publisher.values, for await", group: "async", count: 500_000, goal: 60,
    work: .asynchronous { count in await sum(of: (0..<count).publisher.values) }, expected: sumOfIndices),
  Scenario(
    "subject, buffer, values, producer in another task", group: "async", count: 50_000, goal: 80,
    work: .asynchronous { count in
      let subject = PassthroughSubject<Int, Never>()
      let values = subject.buffer(size: count, prefetch: .byRequest, whenFull: .dropOldest).values
      var iterator = values.makeAsyncIterator()
      // The iterator has subscribed, so no value is sent without a subscriber.
      let producer = Task.detached {
        for index in 0..<count { subject.send(index) }
        subject.send(completion: .finished)
      }
      var sum = 0
      while let value = await iterator.next() { sum &+= value }
      await producer.value
      return sum
    }, expected: sumOfIndices),
  Scenario(
    "Future.value", group: "async", unit: .nanosecondsPerOperation, count: 50_000, goal: 250,
    work: .asynchronous { count in
      var sum = 0
      for index in 0..<count { sum &+= await Future<Int, Never> { $0(.success(index)) }.value }
      return sum
    }, expected: sumOfIndices),
  Scenario(
    "receive(on: DispatchQueue)", group: "async", count: 500_000, goal: 170,
    work: .asynchronous { count in
      let subject = PassthroughSubject<Int, Never>()
      let queue = DispatchQueue(label: "receiver")
      return await sumUntilCompletion { sum, complete in
        subject.receive(on: scheduler(for: queue)).sink(
          receiveCompletion: { _ in complete() }, receiveValue: { sum.value &+= $0 })
      } sending: {
        for index in 0..<count { subject.send(index) }
        subject.send(completion: .finished)
      }
    }, expected: sumOfIndices),
]
