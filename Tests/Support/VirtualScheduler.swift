import Combine
import InterflowTesting

/// A scheduler whose time passes when the test says so.
///
/// Unlike `TestScheduler` it runs work in other orders too, or later or earlier than asked, records what is asked of
/// it, calls the test back, and lets several threads make time pass at once.
///
/// Scheduled closures run on the thread that lets time pass. Those that are due at the same time run in the order in
/// which they were scheduled, unless the test asks for another: a concurrent queue promises none.
package final class VirtualScheduler: Scheduler, @unchecked Sendable {
  // `state` guards everything mutable but the hooks.

  package typealias SchedulerTimeType = VirtualTime
  package typealias SchedulerOptions = String

  /// Which of the closures that are due at the same time runs first.
  package enum Order {
    case firstScheduled
    case lastScheduled
    case random(seed: UInt64)

    fileprivate var rank: (UInt64) -> UInt64 {
      switch self {
      case .firstScheduled: return { $0 }
      case .lastScheduled: return { .max - $0 }
      case .random(let seed):
        var random = Random(seed)
        return { _ in random.next() }
      }
    }
  }

  /// What the scheduler was asked to do; times in seconds.
  package enum Call: Equatable {
    case soon
    case after(Double)
    case again(after: Double, every: Double)
    case cancel(after: Double)
  }

  private struct State {
    var agenda: Agenda
    var options: [String?] = []
    var tolerances: [VirtualTime.Stride] = []
    var calls: [Call] = []
  }

  private let state: Shared<State>
  private let lateness: VirtualTime.Stride

  /// Called at the beginning of `schedule` and of `now`, and when a repetition has been cancelled. Set before several
  /// threads use the scheduler.
  package var onCancel: (() -> Void)?
  package var onSchedule: (() -> Void)?
  package var onNow: (() -> Void)?

  /// - Parameter lateness: How much later than asked every closure runs; earlier if it is negative.
  package init(order: Order = .firstScheduled, lateness: VirtualTime.Stride = 0) {
    state = Shared(State(agenda: Agenda(rank: order.rank)))
    self.lateness = lateness
  }

  // MARK: What the test does

  /// Lets time pass, and runs what becomes due, each closure at its time.
  package func advance(by stride: VirtualTime.Stride = 0) {
    let end = state.value.agenda.now.advanced(by: stride)
    while runNext(until: end) {}
    state.update { $0.agenda.move(to: end) }
  }

  /// Lets time pass until nothing is scheduled but repetitions that have begun.
  package func run() {
    while state.update({ $0.agenda.holdsNewWork }), runNext(until: .distantFuture) {}
  }

  private func runNext(until end: VirtualTime) -> Bool {
    let work = state.update { $0.agenda.takeNext(until: end) }
    work?.action()
    return work != nil
  }

  /// How many closures are scheduled; a repetition is one until it is cancelled.
  package var scheduled: Int { state.update { $0.agenda.count } }

  /// What was asked for, call by call.
  package var calls: [Call] { state.value.calls }

  /// What was asked for, closure by closure.
  package var options: [String?] { state.value.options }
  package var tolerances: [VirtualTime.Stride] { state.value.tolerances }

  // MARK: Scheduler

  package var now: VirtualTime {
    onNow?()
    return state.update { $0.agenda.now }
  }

  package var minimumTolerance: VirtualTime.Stride { .nanoseconds(1) }

  package func schedule(options: String?, _ action: @escaping () -> Void) {
    _ = add(.soon, after: nil, .once(name: options), tolerance: minimumTolerance, options, action)
  }

  package func schedule(
    after date: VirtualTime, tolerance: VirtualTime.Stride, options: String?, _ action: @escaping () -> Void
  ) {
    _ = add(.after(date.seconds), after: date, .once(name: options), tolerance: tolerance, options, action)
  }

  package func schedule(
    after date: VirtualTime, interval: VirtualTime.Stride, tolerance: VirtualTime.Stride, options: String?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    precondition(interval > 0, "a repetition needs an interval for time to pass")
    let id = add(
      .again(after: date.seconds, every: interval.seconds), after: date, .repetition(every: interval, name: options),
      tolerance: tolerance, options, action)
    return AnyCancellable { [state, onCancel] in
      let work = state.update { state in
        let work = state.agenda.remove(id)
        if work != nil { state.calls.append(.cancel(after: date.seconds)) }
        return work
      }
      withExtendedLifetime(work) {}
      onCancel?()
    }
  }

  private func add(
    _ call: Call, after date: VirtualTime?, _ kind: PendingWork.Kind, tolerance: VirtualTime.Stride, _ options: String?,
    _ action: @escaping () -> Void
  ) -> UInt64 {
    onSchedule?()
    return state.update { state in
      state.options.append(options)
      state.tolerances.append(tolerance)
      state.calls.append(call)
      return state.agenda.add(due: (date ?? state.agenda.now).advanced(by: lateness), kind, action: action)
    }
  }
}
