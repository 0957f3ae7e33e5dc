import BenchmarkKit
import Combine
import Dispatch
import Foundation
import InterflowNATS
import Synchronization

/// None where there is no server.
let natsScenarios = BenchmarkServer.program == nil ? [] : publishScenarios + pullScenarios

private let inFlight = 256
private let names = Atomic(0)

private func uniqueName() -> String { "BENCHMARK\(names.wrappingAdd(1, ordering: .relaxed).newValue)" }

private let numbers = NATSCoding<Int>(
  encode: { number in withUnsafeBytes(of: number) { Data($0) } },
  decode: { data in data.withUnsafeBytes { $0.loadUnaligned(as: Int.self) } })

/// Measures asynchronous work over a stream of its own, from a thread that waits for it.
private func nanoseconds(
  for count: Int, stored: Bool, _ work: @escaping @Sendable (NATSStream<Int>, Int) async throws -> Void
) -> Double {
  let finished = DispatchSemaphore(value: 0)
  let figure = Mutex(0.0)
  Task.detached {
    let connection = try! await NATSConnection(urls: [BenchmarkServer.shared!.url])
    var settings = NATSStreamSettings()
    settings.storage = .memory
    let stream = try! await NATSStream(connection, uniqueName(), settings: settings, coding: numbers)
    if stored { try! await stream.send(contentsOf: (0..<count).publisher, inFlight: inFlight) }
    let start = ContinuousClock.now
    try! await work(stream, count)
    let duration = start.duration(to: .now)
    try! await stream.delete()
    await connection.close()
    figure.withLock { $0 = duration.nanoseconds / Double(count) }
    finished.signal()
  }
  finished.wait()
  return figure.withLock { $0 }
}

private func nanosecondsInC(for count: Int, stored: Bool, _ work: (CNATSStream, Int) -> Void) -> Double {
  let stream = CNATSStream(BenchmarkServer.shared!.url, uniqueName(), inFlight: inFlight)
  if stored { stream.publishAsynchronously(count) }
  let start = ContinuousClock.now
  work(stream, count)
  return start.duration(to: .now).nanoseconds / Double(count)
}

private func total(_ count: Int) -> Int { count * (count - 1) / 2 }

// MARK: Publishing

private let publishScenarios = [
  Scenario(
    "NATS: publish, 1 in flight, C", group: "NATS", count: 2_000,
    work: .measuring { nanosecondsInC(for: $0, stored: false) { $0.publish($1) } }, expected: { $0 }),
  Scenario(
    "NATS: publish, 1 in flight", group: "NATS", count: 2_000,
    work: .measuring {
      nanoseconds(for: $0, stored: false) { stream, count in
        for number in 0..<count { try await stream.send(number) }
      }
    }, expected: { $0 }),
  Scenario(
    "NATS: publish, 256 in flight, C", group: "NATS", count: 50_000,
    work: .measuring { nanosecondsInC(for: $0, stored: false) { $0.publishAsynchronously($1) } }, expected: { $0 }),
  Scenario(
    "NATS: publish, 256 in flight", group: "NATS", count: 50_000,
    relativeGoal: .init(to: "NATS: publish, 256 in flight, C", times: 1.25),
    work: .measuring {
      nanoseconds(for: $0, stored: false) { stream, count in
        try await stream.send(contentsOf: (0..<count).publisher, inFlight: inFlight)
      }
    }, expected: { $0 }),
]

// MARK: Pulling

/// Requests so many values first, and one more for each.
private final class Consumer: Subscriber {
  private let demand: Subscribers.Demand
  private let count: Int
  private let end: @Sendable (Int) -> Void
  // Only the deliveries use them, one at a time.
  private var subscription: (any Subscription)?
  private var received = 0
  private var sum = 0

  init(_ demand: Subscribers.Demand, _ count: Int, _ end: @escaping @Sendable (Int) -> Void) {
    self.demand = demand
    self.count = count
    self.end = end
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(demand)
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    received += 1
    sum &+= input
    if received == count {
      subscription?.cancel()
      end(sum)
    }
    return demand == .unlimited ? .none : .max(1)
  }

  func receive(completion: Subscribers.Completion<NATSError>) { fatalError("\(completion)") }
}

private func pull(_ demand: Subscribers.Demand) -> @Sendable (NATSStream<Int>, Int) async throws -> Void {
  { stream, count in
    let sum = await withCheckedContinuation { continuation in
      stream.publisher(durable: "reader").subscribe(Consumer(demand, count) { continuation.resume(returning: $0) })
    }
    precondition(sum == total(count))
  }
}

private let pullScenarios = [
  ("demand of 1", Subscribers.Demand.max(1), 1, 2_000, nil as Double?),
  ("demand of 64", .max(64), 64, 50_000, 1.25),
  ("unlimited", .unlimited, 512, 50_000, 1.25),
].flatMap { name, demand, batch, count, times in
  [
    Scenario(
      "NATS: pull, \(name), C", group: "NATS", count: count,
      work: .measuring {
        nanosecondsInC(for: $0, stored: true) { stream, count in
          precondition(stream.pull(count, batch: batch, confirms: batch < 8) == total(count))
        }
      }, expected: { $0 }),
    Scenario(
      "NATS: pull, \(name)", group: "NATS", count: count,
      relativeGoal: times.map { .init(to: "NATS: pull, \(name), C", times: $0) },
      work: .measuring { nanoseconds(for: $0, stored: true, pull(demand)) }, expected: { $0 }),
  ]
}
