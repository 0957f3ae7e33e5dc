import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

/// `receive(on:)` where a scheduled closure runs while the subscriber is receiving its subscription.
@Suite struct ReceiveOnStressTests {
  /// Keeps what is scheduled until somebody runs it.
  private struct HeldScheduler: Scheduler {
    typealias SchedulerTimeType = ImmediateScheduler.SchedulerTimeType
    typealias SchedulerOptions = Never

    struct Closure: @unchecked Sendable {  // Called once, by one thread.
      let call: () -> Void
    }

    let held = Shared<[Closure]>([])

    var now: SchedulerTimeType { ImmediateScheduler.shared.now }
    var minimumTolerance: SchedulerTimeType.Stride { 0 }

    func schedule(options: Never?, _ action: @escaping () -> Void) {
      held.update { $0.append(Closure(call: action)) }
    }

    func schedule(
      after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
      _ action: @escaping () -> Void
    ) {
      schedule(options: options, action)
    }

    func schedule(
      after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
      options: Never?, _ action: @escaping () -> Void
    ) -> any Cancellable {
      schedule(options: options, action)
      return AnyCancellable {}
    }

    /// Runs what is scheduled.
    ///
    /// - Returns: Whether there was anything.
    @discardableResult
    func run() -> Bool {
      let closures = held.update { held in
        defer { held = [] }
        return held
      }
      for closure in closures { closure.call() }
      return !closures.isEmpty
    }
  }

  /// Another thread runs the closure of a value at any moment around the one at which the subscriber has received its
  /// subscription. If that is too early, the value has a new closure.
  @Test func valueWhoseClosureRunsAsTheSubscriptionEndsIsDelivered() {
    let scheduler = HeldScheduler()
    let announced = Atomic(0)
    let done = Atomic(0)
    let rounds = 100 * stressRuns
    let lost = Shared(0)
    inParallel(2) { thread in
      for round in 1...rounds {
        if thread == 1 {
          while announced.load(ordering: .acquiring) != round { sched_yield() }
          scheduler.run()
          done.store(round, ordering: .releasing)
        } else {
          let received = Shared(0)
          let source = TestPublisher<Int, Never>(keepsSubscribers: true)
          let subscriber = AnySubscriber<Int, Never>(
            receiveSubscription: { _ in
              source.send(1)
              announced.store(round, ordering: .releasing)
              for _ in 0..<Int.random(in: 0..<400) { _ = announced.load(ordering: .relaxed) }
            },
            receiveValue: { value in
              received.update { $0 += value }
              return .none
            })
          source.receive(on: scheduler).subscribe(subscriber)
          while done.load(ordering: .acquiring) != round { sched_yield() }
          while scheduler.run() {}
          if received.value != 1 { lost.update { $0 += 1 } }
        }
      }
    }
    #expect(lost.value == 0)
  }
}
