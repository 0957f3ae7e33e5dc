import Foundation
import InterflowTesting

/// Operators that deliver elsewhere or later.
let schedulingOperators: [VerificationRow] = (queued + timed + tasks).flatMap { $0 }

private let queue = DispatchQueue(label: "verification")
private let pool = DispatchQueue.global()

private let queued: [[VerificationRow]] = [
  rows("Publishers.ReceiveOn", "a serial queue") { $0.receive(on: queue) },
  rows("Publishers.ReceiveOn", "a concurrent queue") { $0.receive(on: pool) },
  rows("Publishers.ReceiveOn", "at once") { $0.receive(on: ImmediateScheduler.shared) },
  rows("Publishers.SubscribeOn", "a serial queue") { $0.subscribe(on: queue) },
  rows("Publishers.SubscribeOn", "a concurrent queue") { $0.subscribe(on: pool) },
  rows("Publishers.Delay") { $0.delay(for: .milliseconds(1), scheduler: pool) },
  rows("Publishers.Timeout") { $0.timeout(.seconds(3_600), scheduler: pool) },
  rows("Publishers.MeasureInterval") { $0.measureInterval(using: queue) },
]

private let timed: [[VerificationRow]] = [
  rows("Publishers.CollectByTime", feed: { 2 * $0 }) {
    $0.collect(.byTimeOrCount(pool, .seconds(3_600), 2))
  },
  rows("Publishers.Debounce", "at once") { $0.debounce(for: .zero, scheduler: ImmediateScheduler.shared) },
  rows("Publishers.Throttle", "at once") {
    $0.throttle(for: .zero, scheduler: ImmediateScheduler.shared, latest: true)
  },
  rows("Publishers.Throttle", "on a queue", .single) { $0.throttle(for: .seconds(3_600), scheduler: pool, latest: true) },
  [debounced],
]

/// A completion would drop the value that waits for quiet, so there is none.
private let debounced = VerificationRow("Publishers.Debounce", "on a queue", quiet) { _ in
  let subject = PassthroughSubject<Int, Broken>()
  return PublisherUnderTest(subject.debounce(for: .milliseconds(1), scheduler: pool)) {
    for number in 0..<3 { subject.send(number) }
  }
}

private let quiet: Facts = {
  var facts = endless
  facts.maximum = 1
  return facts
}()

private let tasks: [[VerificationRow]] = [
  rows("TaskPublisher") { $0.task { number async throws(Broken) in number } },
  rows("TaskPublisher", "one at a time") { $0.task(maxPublishers: .max(1)) { number async throws(Broken) in number } },
]
