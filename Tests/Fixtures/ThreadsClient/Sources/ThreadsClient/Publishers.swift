import Foundation
import Interflow

/// A number that is not protected by anything but what the package promises: that a subscriber receives one value at a
/// time, and sees all that happened before that was sent.
final class Total: @unchecked Sendable {
  var sum = 0
}

private let threads = 4
private let values = 500

/// Sends what each of the threads sends: 500 ones.
private func send(_ sendOne: @escaping @Sendable () -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<threads {
      group.addTask {
        await withCheckedContinuation { continuation in
          Thread {
            for _ in 0..<values { sendOne() }
            continuation.resume()
          }.start()
        }
      }
    }
  }
}

/// What no publisher protects.
func sumWithRace() async -> Int {
  let total = Total()
  await send { total.sum += 1 }
  return total.sum
}

func sumOfSubjects() async -> Int {
  let total = Total()
  let subject = PassthroughSubject<Int, Never>()
  let latest = CurrentValueSubject<Int, Never>(0)
  let subscription = subject.scan(0, +).sink { value in
    total.sum = value
    latest.send(value)
  }
  await send { subject.send(1) }
  subscription.cancel()
  return total.sum == latest.value ? total.sum : -1
}

func sumOfMergedPublishers() async -> Int {
  let total = Total()
  let left = PassthroughSubject<Int, Never>()
  let right = PassthroughSubject<Int, Never>()
  let subscription = left.merge(with: right.map { $0 + 1 })
    .buffer(size: 100, prefetch: .byRequest, whenFull: .dropOldest)
    .flatMap { Just($0) }
    .sink { total.sum += $0 }
  await send {
    left.send(1)
    right.send(0)
  }
  subscription.cancel()
  return total.sum
}

func sumOfChannel() async throws -> Int {
  let total = Total()
  let channel = AsyncChannel<Int, Never>()
  let consumer = Task {
    for await value in channel.asyncValues { total.sum += value }
  }
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<threads {
      group.addTask { for _ in 0..<values { try await channel.send(1) } }
    }
    try await group.waitForAll()
  }
  channel.send(completion: .finished)
  await consumer.value
  return total.sum
}

func sumOfTasks() async -> Int {
  var sum = 0
  let results = (0..<values).publisher
    .task(maxPublishers: .max(threads)) { value in
      await Task.yield()
      return value * 0 + 1
    }
    .concurrentMap(maxTasks: threads) { $0 }
  for await value in results.asyncValues { sum += value }
  return sum
}

/// A class that is not `Sendable`, written by one thread and read by another after it.
private final class Box {
  var value: Int
  init(_ value: Int) { self.value = value }
}

func sumOfFutures() async -> Int {
  var sum = 0
  for _ in 0..<values {
    let future = Future<Box, Never> { promise in
      Task.detached { promise(.success(Box(1))) }
    }
    sum += await future.value.value
  }
  return sum
}

func sumOfStream() async -> Int {
  let subject = PassthroughSubject<Int, Never>()
  let stream = subject.asyncStream()
  let sender = Task.detached {
    await send { subject.send(1) }
    subject.send(completion: .finished)
  }
  var sum = 0
  for await value in stream { sum += value }
  await sender.value
  return sum
}

func sumOfSequencePublisher() async -> Int {
  let total = Total()
  let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
  let sender = Task.detached {
    await send { continuation.yield(1) }
    continuation.finish()
  }
  for await value in stream.publisher.map({ $0 }).asyncValues { total.sum += value }
  await sender.value
  return total.sum
}
