import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct NATSStreamValuesTests {
  private var quick: NATSConsumerSettings {
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = .seconds(1)
    return settings
  }

  @Test(arguments: [1, 7, 64]) func deliversInTheStreamsOrder(prefetch: Int) async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<200)
    var received: [Int] = []
    for try await value in fixture.stream.values(durable: "reader", prefetch: prefetch) {
      received.append(value)
      if received.count == 200 { break }
    }
    #expect(received == Array(0..<200))
  }

  @Test func fetchesNothingBeforeTheFirstNext() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<10)
    var iterator = fixture.stream.values(durable: "reader").makeAsyncIterator()
    await until { (try? fixture.state(of: "reader")) != nil }
    #expect(try fixture.state(of: "reader").undelivered == 10)
    let next1 = try await iterator.next()
    #expect(next1 == 0)
    #expect(try fixture.state(of: "reader").undelivered == 9)
  }

  @Test func acknowledgesWhenTheNextIsAskedFor() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<3)
    var iterator = fixture.stream.values(durable: "reader").makeAsyncIterator()
    for number in 0..<3 {
      let next2 = try await iterator.next()
      #expect(next2 == number)
      #expect(
        try fixture.state(of: "reader")
          == ConsumerState(unacknowledged: 1, undelivered: 2 - number, redelivered: 0))
    }
  }

  @Test func breakGivesBackWhatWasTakenAndNotAcknowledged() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<10)
    for try await value in fixture.stream.values(durable: "reader", settings: quick, prefetch: 5) where value == 2 {
      break
    }
    var rest: Set<Int> = []
    for try await value in fixture.stream.values(durable: "reader", settings: quick) {
      // An acknowledgement that was late lets a value come again, too.
      if value > 1 { rest.insert(value) }
      if rest.count == 8 { break }
    }
  }

  @Test func cancellingTheTaskEndsTheIteration() async throws {
    let fixture = try await Fixture()
    let stream = fixture.stream
    let received = Signal()
    let task = Task {
      var values: [Int] = []
      for try await value in stream.values(durable: "reader") {
        values.append(value)
        received.fire()
      }
      return values
    }
    try await fixture.stream.send(1)
    await received.wait()
    task.cancel()
    #expect(try await task.value == [1])
  }

  @Test func closingTheConnectionThrows() async throws {
    let fixture = try await Fixture()
    var iterator = fixture.stream.values(durable: "reader").makeAsyncIterator()
    try await fixture.stream.send(1)
    _ = try await iterator.next()
    await fixture.connection.close()
    let error = await natsError { _ = try await iterator.next() }
    #expect(error?.kind == .closed)
    let next3 = try await iterator.next()
    #expect(next3 == nil)
  }

  @Test func aCancelledLoopGivesBackTheValueItWorksOn() async throws {
    let fixture = try await Fixture()
    let stream = fixture.stream
    try await stream.send(1)
    let (begun, givenUp) = (Signal(), Signal())
    let task = Task {
      for try await _ in stream.values(durable: "reader") {
        begun.fire()
        await givenUp.wait()
      }
    }
    await begun.wait()
    task.cancel()
    givenUp.fire()
    try await task.value
    for try await value in stream.values(durable: "reader") {
      #expect(value == 1)
      break
    }
  }

  @Test func loopsInSeveralTasksShareTheValues() async throws {
    let fixture = try await Fixture()
    let stream = fixture.stream
    try await fixture.stream.send(contentsOf: (0..<300).publisher)
    let counted = Signal()
    let all = try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<3 {
        group.addTask {
          var values: [Int] = []
          for try await value in stream.values(durable: "shared", prefetch: 4) {
            values.append(value)
            counted.fire()
          }
          return values
        }
      }
      await counted.wait(300)
      // What a loop works on when it is cancelled comes again.
      await until { (try? fixture.state(of: "shared").unacknowledged) == 0 }
      group.cancelAll()
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(all.sorted() == Array(0..<300))
  }
}
