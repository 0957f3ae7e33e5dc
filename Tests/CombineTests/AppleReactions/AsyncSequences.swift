import Combine
import InterflowTesting

extension AppleReactions {
  /// `values`, where the publisher cannot fail and where it can.
  static let asyncSequences: [Reaction] = [
    iteration("requests one value for each next", ["upstream: request max(1)", "next: 1", "upstream: request max(1)"]) {
      $0.next()
      $0.send(1)
      $0.next()
    },
    iteration("next before the subscription, twice", subscribes: false, ["upstream: request max(2)"]) {
      $0.next()
      $0.next()
      $0.upstream.sendSubscription()
    },
    iteration(
      "a value before the subscription", subscribes: false, ["next: 1", "upstream: request max(2)"],
      departure: Reaction.Departure(
        apples: "the value is lost, both calls of next return nil, and the subscription is asked for max(2)",
        because: "a value is not lost while somebody waits for it")
    ) {
      $0.next()
      $0.next()
      $0.send(1)
      $0.upstream.sendSubscription()
    },
    iteration("a completion before the subscription", subscribes: false, ["next: nil", "upstream: cancel"]) {
      $0.next()
      $0.send(completion: .finished)
      $0.upstream.sendSubscription()
    },
    iteration("a cancellation before the subscription", subscribes: false, ["next: nil", "upstream: cancel"]) {
      $0.next()
      $0.cancelTasks()
      $0.upstream.sendSubscription()
    },
    iteration("a second subscription", ["upstream: request max(1)", "upstream#2: cancel"]) {
      $0.next()
      $0.upstream.sendSubscription()
    },
    iteration(
      "a value that nobody has requested",
      ["upstream: request max(1)", "next: 1", "next: 2", "upstream: request max(1)"],
      departure: Reaction.Departure(
        apples: "the program traps", because: "a publisher that sends too much is served as far as it can be")
    ) {
      $0.next()
      $0.send(1)
      $0.send(2)
      $0.next()
      $0.next()
    },
    iteration("a cancelled task", ["upstream: request max(1)", "upstream: cancel", "next: nil"]) {
      $0.next()
      $0.cancelTasks()
    },
    iteration("the completion, while next waits", ["upstream: request max(1)", "next: nil"]) {
      $0.next()
      $0.send(completion: .finished)
    },
    iteration("a value after the completion", ["next: nil"]) {
      $0.send(completion: .finished)
      $0.send(1)
      $0.next()
    },
    iteration("a second completion", ["next: nil", "next: nil"]) {
      $0.send(completion: .finished)
      $0.send(completion: .finished)
      $0.next()
      $0.next()
    },
    iteration(
      "a value after the cancellation", ["upstream: request max(1)", "upstream: cancel", "next: nil", "next: nil"]
    ) {
      $0.next()
      $0.cancelTasks()
      $0.send(1)
      $0.next()
    },
    Reaction(
      "AsyncThrowingPublisher", "a failure, while next waits", ["upstream: request max(1)", "failed", "next: nil"]
    ) {
      log in
      let upstream = LoggedUpstream<Int, ReactionError>(log)
      let iterator = Uncheckedly(upstream.values.makeAsyncIterator())
      let timeline = TestTimeline()
      let next: @Sendable () async -> Void = {
        var copy = iterator.value
        do { log.add("next: \(shown(try await copy.next()))") } catch { log.add("\(error)") }
      }
      Task(executorPreference: timeline) {
        await next()
        await next()
      }
      timeline.run()
      upstream.send(completion: .failure(ReactionError()))
      timeline.run()
    },
  ]

  private static func iteration(
    _ situation: String, subscribes: Bool = true, _ lines: [String], departure: Reaction.Departure? = nil,
    run: @escaping @Sendable (Iteration) -> Void
  ) -> Reaction {
    Reaction("AsyncPublisher", situation, lines, departure: departure) { run(Iteration($0, subscribes: subscribes)) }
  }
}

private struct ReactionError: Error, CustomStringConvertible {
  var description: String { "failed" }
}

private struct Uncheckedly<Value>: @unchecked Sendable {  // One thread uses it: the one that runs the timeline.
  let value: Value

  init(_ value: Value) { self.value = value }
}

private func shown(_ value: Int?) -> String { value.map { "\($0)" } ?? "nil" }

/// One iteration over a publisher's values, of which any number of tasks may wait for the next.
private final class Iteration: @unchecked Sendable {  // One thread uses it: the one that runs the timeline.
  let upstream: LoggedUpstream<Int, Never>
  private let log: EventLog
  private let timeline = TestTimeline()
  private let iterator: AsyncPublisher<LoggedUpstream<Int, Never>>.Iterator
  private var tasks: [Task<Void, Never>] = []

  init(_ log: EventLog, subscribes: Bool) {
    self.log = log
    upstream = LoggedUpstream(log, subscribes: subscribes)
    iterator = upstream.values.makeAsyncIterator()
  }

  /// Calls `next()` in a task of its own, as far as that gets.
  func next() {
    tasks.append(
      Task(executorPreference: timeline) {
        var iterator = self.iterator
        self.log.add("next: \(shown(await iterator.next()))")
      })
    timeline.run()
  }

  func cancelTasks() {
    for task in tasks { task.cancel() }
    timeline.run()
  }

  func send(_ value: Int) {
    upstream.send(value)
    timeline.run()
  }

  func send(completion: Subscribers.Completion<Never>) {
    upstream.send(completion: completion)
    timeline.run()
  }
}
