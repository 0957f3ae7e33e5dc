import AsyncOperators
import InterflowTestSupport
import Testing

/// Subjects with several senders, and consumers that join, leave, break and are cancelled at random moments.
@Suite struct SubjectStressTests {
  typealias Item = RandomSource.Item

  @Test func passingThrough() async {
    await withRandomSchedules { random in
      let subject = AsyncPassthroughSubject<Item, TestError>()
      await stress(&random, subject) { subject.values(bufferingPolicy: $0) }
      #expect(subject.consumerCount == 0)
    }
  }

  @Test func holdingAValue() async {
    await withRandomSchedules { random in
      let subject = AsyncCurrentValueSubject<Item, TestError>(Item(base: 0, number: -1))
      await stress(&random, subject) { subject.values(bufferingPolicy: $0) }
      #expect(subject.consumerCount == 0)
    }
  }

  @Test func replaying() async {
    await withRandomSchedules { random in
      let size = Int.random(in: 0...4, using: &random)
      let subject = AsyncReplaySubject<Item, TestError>(bufferSize: size)
      await stress(&random, subject) { subject.values(bufferingPolicy: $0) }
      #expect(subject.consumerCount == 0)
    }
  }

  private func stress<Subject: AsyncSubject<Item, TestError> & Sendable>(
    _ random: inout Random, _ subject: Subject,
    _ values: @Sendable (AsyncSubjectBufferingPolicy) -> AsyncSubjectValues<Item, TestError>
  ) async {
    let senders = Int.random(in: 1...3, using: &random)
    let counts = (0..<senders).map { _ in Int.random(in: 0...25, using: &random) }
    let failure = Bool.random(using: &random) ? TestError("end") : nil
    let seeds = (0..<senders).map { _ in random.next() }
    let consumerSeeds = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.next() }
    await withTaskGroup(of: Void.self) { group in
      for seed in consumerSeeds {
        var random = Random(seed)
        let limit = Int.random(in: 1...4, using: &random)
        let kind = Int.random(in: 0..<3, using: &random)
        let sequence = values([.unbounded, .bufferingLatest(limit), .bufferingOldest(limit)][kind])
        group.addTask { [random] in
          var random = random
          await randomPause(&random, isolation: nil)
          let outcome = await randomOutcome(&random, sequence)
          check(outcome, kind, counts, failure)
        }
      }
      await withTaskGroup(of: Void.self) { group in
        for sender in 0..<senders {
          group.addTask {
            var random = Random(seeds[sender])
            for number in 0..<counts[sender] {
              await randomPause(&random, isolation: nil)
              subject.send(Item(base: sender, number: number))
            }
          }
        }
      }
      if let failure { subject.finish(throwing: failure) } else { subject.finish() }
    }
  }

  private func check(_ outcome: RandomOutcome<Item>, _ kind: Int, _ counts: [Int], _ failure: TestError?) {
    if !outcome.wasStopped { #expect(outcome.failure == failure, "the end is wrong") }
    for (sender, count) in counts.enumerated() {
      let numbers = outcome.elements.filter { $0.base == sender }.map(\.number)
      let steps = zip(numbers, numbers.dropFirst())
      if kind == 0 {
        #expect(steps.allSatisfy { $1 == $0 + 1 }, "lost, twice or out of order")
        if !outcome.wasStopped, let last = numbers.last { #expect(last == count - 1, "the last are lost") }
      } else {
        #expect(steps.allSatisfy { $0 < $1 }, "twice or out of order")
      }
    }
  }
}

/// Channels whose producers are cancelled, and whose consumer is slow, stops or is cancelled.
@Suite struct BoundedChannelStressTests {
  @Test func sending() async {
    await withRandomSchedules { random in
      let high = Int.random(in: 1...5, using: &random)
      let low = Int.random(in: 0..<high, using: &random)
      let (channel, source) = AsyncBoundedChannel<RandomSource.Item, TestError>.makeChannel(
        lowWatermark: low, highWatermark: high)
      let seeds = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.next() }
      let producers = seeds.enumerated().map { producer, seed in
        var random = Random(seed)
        let isCancelled = Int.random(in: 0..<4, using: &random) == 0
        let task = Task { [random] () -> (sent: Int, error: (any Error)?) in
          var random = random
          let count = Int.random(in: 0...20, using: &random)
          for number in 0..<count {
            await randomPause(&random, isolation: nil)
            do { try await source.send(.init(base: producer, number: number)) } catch { return (number, error) }
          }
          return (count, nil)
        }
        return (task, isCancelled)
      }
      let seed = random.next()
      let finisher = Task { () -> Bool in
        var random = Random(seed)
        for (task, isCancelled) in producers where isCancelled {
          await randomPause(&random, isolation: nil)
          task.cancel()
        }
        var isWhole = true
        for (task, _) in producers {
          let error = await task.value.error
          if error is AsyncBoundedChannelError { isWhole = false }
        }
        source.finish()
        return isWhole
      }
      let outcome = await randomOutcome(&random, consume channel)
      let isWhole = await finisher.value
      for (producer, (task, _)) in producers.enumerated() {
        let numbers = outcome.elements.filter { $0.base == producer }.map(\.number)
        let sent = await task.value.sent
        #expect(numbers == Array(0..<numbers.count), "lost, twice or out of order")
        #expect(numbers.count <= sent, "an element whose send threw was delivered")
        if !outcome.wasStopped {
          #expect(isWhole && numbers.count == sent, "an element that was taken is lost")
        }
      }
    }
  }
}
