import Foundation
import InterflowTesting

/// Operators that deliver elsewhere or later.
let schedulingOperators: [VerificationRow] = (queued + timed + tasks).flatMap { $0 }

private let queue = DispatchQueue(label: "verification")
private let pool = DispatchQueue.global()

/// A subject sends the next value before the demand that the last one brings has come back from the scheduler.
private let lateDemand: [Rule: String] = [
  .requestsAddUp, .returnedDemandCounts, .requestInsideValue,
].reduce(into: [:]) { $0[$1] = "the subject goes on before the demand reaches it" }

private let queued: [[VerificationRow]] = [
  rows("Publishers.ReceiveOn", "a serial queue", exemptWhereDriven: lateDemand) { $0.receive(on: queue) },
  rows("Publishers.ReceiveOn", "a concurrent queue", exemptWhereDriven: lateDemand) { $0.receive(on: pool) },
  rows("Publishers.ReceiveOn", "at once") { $0.receive(on: ImmediateScheduler.shared) },
  // Not on a subject, which would be driven before the requests have reached it on the scheduler.
  rows("Publishers.SubscribeOn", "a serial queue", on: [.synchronous, .asynchronous]) { $0.subscribe(on: queue) },
  rows("Publishers.SubscribeOn", "a concurrent queue", on: [.synchronous, .asynchronous]) {
    $0.subscribe(on: pool)
  },
  rows("Publishers.Delay", exemptWhereDriven: lateDemand) {
    $0.delay(for: .microseconds(10), scheduler: pool)
  },
  rows("Publishers.Timeout", exemptWhereDriven: lateDemand) {
    $0.timeout(.seconds(3_600), scheduler: pool)
  },
  rows("Publishers.MeasureInterval") { $0.measureInterval(using: queue) },
]

/// Keeps the newest value that nobody has requested and drops the others, and requests all of them from its upstream.
private let latest = Facts.dropping

private let unasked: [Rule: String] = [.requestsFromAnyThread: "of what comes before the requests the newest is kept"]

private let timed: [[VerificationRow]] = [
  rows("Publishers.CollectByTime", feed: { 2 * $0 }, exemptWhereDriven: lateDemand) {
    $0.collect(.byTimeOrCount(pool, .seconds(3_600), 2))
  },
  rows("Publishers.Debounce", "at once", latest, exemptWhereSynchronous: unasked, exemptWhereAsynchronous: unasked) {
    $0.debounce(for: .zero, scheduler: ImmediateScheduler.shared)
  },
  rows("Publishers.Throttle", "at once", latest, exemptWhereSynchronous: unasked, exemptWhereAsynchronous: unasked) {
    $0.throttle(for: .zero, scheduler: ImmediateScheduler.shared, latest: true)
  },
  // Not on a subject, whose completion waits for the second value's time.
  rows("Publishers.Throttle", "on a queue", .single, on: [.synchronous, .asynchronous]) {
    $0.throttle(for: .seconds(3_600), scheduler: pool, latest: true)
  },
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
  rows("TaskPublisher", "one at a time", drivenSurplusWaits: true) {
    $0.task(maxPublishers: .max(1), buffering: .unbounded) { number async throws(Broken) in number }
  },
]
