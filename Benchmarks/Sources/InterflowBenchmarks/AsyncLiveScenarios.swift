import AsyncOperators
import BenchmarkKit

/// Elements that come while the consumer waits, from producers in tasks of their own.
let asyncLiveScenarios = [
  Scenario(
    "async merge, two producers in tasks of their own", group: "live", count: 50_000,
    work: .asynchronous { count in await sumOfMerged(count, isolation: nil) }, expected: sumOfIndices),
  Scenario(
    "async merge, two producers, consumer on the main actor", group: "live", count: 50_000,
    work: .asynchronous { count in await sumOfMerged(count, isolation: MainActor.shared) }, expected: sumOfIndices),
  Scenario(
    "async zip, two producers in tasks of their own", group: "live", count: 50_000,
    work: .asynchronous { count in await sumOfZipped(count, isolation: nil) }, expected: sumOfIndices),
  Scenario(
    "async zip, two producers, consumer on the main actor", group: "live", count: 50_000,
    work: .asynchronous { count in await sumOfZipped(count, isolation: MainActor.shared) }, expected: sumOfIndices),
  Scenario(
    "async ping-pong, each element is answered before the next", group: "live", unit: .nanosecondsPerOperation,
    count: 50_000,
    work: .asynchronous { count in await sumOfAnswered(count, isolation: nil) }, expected: sumOfIndices),
  Scenario(
    "async ping-pong, consumer on the main actor", group: "live", unit: .nanosecondsPerOperation, count: 50_000,
    work: .asynchronous { count in await sumOfAnswered(count, isolation: MainActor.shared) }, expected: sumOfIndices),
]

private typealias Subject = AsyncPassthroughSubject<Int, Never>

private func sumOfMerged(_ count: Int, isolation: isolated (any Actor)?) async -> Int {
  let (even, odd) = (Subject(), Subject())
  // Made before the producers start, so that it misses nothing.
  var consumer = merge(even, odd).makeAsyncIterator()
  let producers = [
    producer(into: even, stride(from: 0, to: count, by: 2)), producer(into: odd, stride(from: 1, to: count, by: 2)),
  ]
  var sum = 0
  while let value = await consumer.next(isolation: isolation) { sum &+= value }
  for producer in producers { await producer.value }
  return sum
}

private func sumOfZipped(_ count: Int, isolation: isolated (any Actor)?) async -> Int {
  let (left, right) = (Subject(), Subject())
  var consumer = zip(left, right).makeAsyncIterator()
  let indices = stride(from: 0, to: count, by: 1)
  let producers = [producer(into: left, indices), producer(into: right, indices)]
  var sum = 0
  while let (first, second) = await consumer.next(isolation: isolation) {
    if first == second { sum &+= first }
  }
  for producer in producers { await producer.value }
  return sum
}

private func producer(into subject: Subject, _ indices: StrideTo<Int>) -> Task<Void, Never> {
  Task.detached {
    for index in indices { subject.send(index) }
    subject.finish()
  }
}

private func sumOfAnswered(_ count: Int, isolation: isolated (any Actor)?) async -> Int {
  let (questions, answers) = (Subject(), Subject())
  var consumer = questions.makeAsyncIterator()
  let producer = Task.detached {
    var answered = answers.makeAsyncIterator()
    var sum = 0
    for index in 0..<count {
      questions.send(index)
      guard let answer = await answered.next() else { break }
      sum &+= answer
    }
    questions.finish()
    return sum
  }
  while let question = await consumer.next(isolation: isolation) { answers.send(question) }
  return await producer.value
}
