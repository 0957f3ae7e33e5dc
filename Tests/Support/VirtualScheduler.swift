import Combine

/// A scheduler whose time passes when the test says so.
///
/// A job runs on the thread that lets time pass. Jobs that are due at the same time run in the order in which they were
/// scheduled, unless the test asks for another: a concurrent queue promises none.
package final class VirtualScheduler: Scheduler, @unchecked Sendable {
  // `state` guards everything mutable but the hooks.

  package struct SchedulerTimeType: Strideable, Hashable, Sendable {
    package var nanoseconds: Int

    package init(nanoseconds: Int) { self.nanoseconds = nanoseconds }

    package func distance(to other: SchedulerTimeType) -> Stride {
      Stride(nanoseconds: other.nanoseconds - nanoseconds)
    }

    package func advanced(by n: Stride) -> SchedulerTimeType {
      SchedulerTimeType(nanoseconds: nanoseconds + n.nanoseconds)
    }

    /// A length of time; a literal is a number of seconds.
    package struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Hashable, Sendable {
      package var nanoseconds: Int

      package init(nanoseconds: Int) { self.nanoseconds = nanoseconds }

      package init(integerLiteral value: Int) { self = .seconds(value) }

      package init?<T: BinaryInteger>(exactly source: T) {
        guard let nanoseconds = Int(exactly: source) else { return nil }
        self.nanoseconds = nanoseconds
      }

      package var magnitude: Int { nanoseconds }

      package var seconds: Double { Double(nanoseconds) / 1_000_000_000 }

      package static func < (a: Stride, b: Stride) -> Bool { a.nanoseconds < b.nanoseconds }
      package static func + (a: Stride, b: Stride) -> Stride { Stride(nanoseconds: a.nanoseconds + b.nanoseconds) }
      package static func - (a: Stride, b: Stride) -> Stride { Stride(nanoseconds: a.nanoseconds - b.nanoseconds) }
      package static func * (a: Stride, b: Stride) -> Stride { Stride(nanoseconds: a.nanoseconds * b.nanoseconds) }
      package static func *= (a: inout Stride, b: Stride) { a = a * b }

      package static func seconds(_ s: Int) -> Stride { Stride(nanoseconds: s * 1_000_000_000) }
      package static func seconds(_ s: Double) -> Stride { Stride(nanoseconds: Int((s * 1_000_000_000).rounded())) }
      package static func milliseconds(_ ms: Int) -> Stride { Stride(nanoseconds: ms * 1_000_000) }
      package static func microseconds(_ us: Int) -> Stride { Stride(nanoseconds: us * 1_000) }
      package static func nanoseconds(_ ns: Int) -> Stride { Stride(nanoseconds: ns) }
    }
  }

  package typealias SchedulerOptions = String

  /// Which of the jobs that are due at the same time runs first.
  package enum Order {
    case firstScheduled
    case lastScheduled
    case random(seed: UInt64)
  }

  /// What the scheduler was asked to do; times in seconds.
  package enum Call: Equatable {
    case soon
    case after(Double)
    case again(after: Double, every: Double)
    case cancel(after: Double)
  }

  private struct Job {
    let due: Int
    let rank: UInt64
    let interval: Int?
    var isRepeated = false
    let action: () -> Void
  }

  private struct State {
    var now = 0
    var jobs: [UInt64: Job] = [:]
    var heap = Heap()
    var count: UInt64 = 0
    var repetitions = 0
    var random = Random(0)
    var options: [String?] = []
    var tolerances: [SchedulerTimeType.Stride] = []
    var calls: [Call] = []
  }

  private let state: Shared<State>
  private let order: Order
  private let lateness: Int

  /// Called at the beginning of `schedule` and of `now`. Set before several threads use the scheduler.
  package var onSchedule: (() -> Void)?
  package var onNow: (() -> Void)?

  /// - Parameter lateness: How much later than asked every job runs; earlier if it is negative.
  package init(order: Order = .firstScheduled, lateness: SchedulerTimeType.Stride = 0) {
    var state = State()
    if case .random(let seed) = order { state.random = Random(seed) }
    self.state = Shared(state)
    self.order = order
    self.lateness = lateness.nanoseconds
  }

  // MARK: What the test does

  /// Lets time pass, and runs what becomes due, each job at its time.
  package func advance(by stride: SchedulerTimeType.Stride = 0) {
    let end = state.value.now + stride.nanoseconds
    while runNext(until: end) {}
    state.update { $0.now = Swift.max($0.now, end) }
  }

  /// Lets time pass until nothing is scheduled but repetitions that have begun.
  package func run() {
    while state.update({ $0.jobs.count > $0.repetitions }), runNext(until: .max) {}
  }

  /// How many jobs are scheduled; a repetition is one until it is cancelled.
  package var scheduled: Int { state.update { $0.jobs.count } }

  /// What was asked for, call by call.
  package var calls: [Call] { state.update { $0.calls } }

  /// What was asked for, job by job.
  package var options: [String?] { state.update { $0.options } }
  package var tolerances: [SchedulerTimeType.Stride] { state.update { $0.tolerances } }

  private func runNext(until end: Int) -> Bool {
    let job: Job? = state.update { state in
      while let next = state.heap.first, next.due <= end {
        state.heap.removeFirst()
        guard let job = state.jobs[next.id] else { continue }
        state.now = Swift.max(state.now, job.due)
        if let interval = job.interval {
          if !job.isRepeated { state.repetitions += 1 }
          add(due: job.due + interval, interval: interval, isRepeated: true, id: next.id, job.action, to: &state)
        } else {
          state.jobs[next.id] = nil
        }
        return job
      }
      return nil
    }
    job?.action()
    return job != nil
  }

  private func add(
    due: Int, interval: Int?, isRepeated: Bool = false, id: UInt64, _ action: @escaping () -> Void,
    to state: inout State
  ) {
    state.count += 1
    let rank =
      switch order {
      case .firstScheduled: state.count
      case .lastScheduled: UInt64.max - state.count
      case .random: state.random.next()
      }
    state.jobs[id] = Job(due: due, rank: rank, interval: interval, isRepeated: isRepeated, action: action)
    state.heap.insert(Heap.Entry(due: due, rank: rank, id: id))
  }

  private func add(
    after date: SchedulerTimeType?, interval: SchedulerTimeType.Stride?, tolerance: SchedulerTimeType.Stride,
    options: String?, _ action: @escaping () -> Void
  ) -> UInt64 {
    onSchedule?()
    return state.update { state in
      let id = state.count
      state.options.append(options)
      state.tolerances.append(tolerance)
      state.calls.append(Self.call(after: date, interval: interval))
      let due = Swift.max(state.now, (date?.nanoseconds ?? state.now) + lateness)
      add(due: due, interval: interval?.nanoseconds, id: id, action, to: &state)
      return id
    }
  }

  private static func call(after date: SchedulerTimeType?, interval: SchedulerTimeType.Stride?) -> Call {
    guard let date else { return .soon }
    let seconds = Double(date.nanoseconds) / 1_000_000_000
    return interval.map { .again(after: seconds, every: $0.seconds) } ?? .after(seconds)
  }

  // MARK: Scheduler

  package var now: SchedulerTimeType {
    onNow?()
    return SchedulerTimeType(nanoseconds: state.update { $0.now })
  }

  package var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(1) }

  package func schedule(options: String?, _ action: @escaping () -> Void) {
    _ = add(after: nil, interval: nil, tolerance: minimumTolerance, options: options, action)
  }

  package func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: String?,
    _ action: @escaping () -> Void
  ) {
    _ = add(after: date, interval: nil, tolerance: tolerance, options: options, action)
  }

  package func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: String?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    precondition(interval > 0, "a repetition needs an interval for time to pass")
    let id = add(after: date, interval: interval, tolerance: tolerance, options: options, action)
    return AnyCancellable { [state] in
      let job = state.update { state in
        let job = state.jobs.removeValue(forKey: id)
        if job?.isRepeated == true { state.repetitions -= 1 }
        if job != nil { state.calls.append(.cancel(after: Double(date.nanoseconds) / 1_000_000_000)) }
        return job
      }
      withExtendedLifetime(job) {}
    }
  }
}

/// The jobs by the time and rank at which they are due, the first on top.
private struct Heap {
  struct Entry {
    let due: Int
    let rank: UInt64
    let id: UInt64

    func precedes(_ other: Entry) -> Bool { (due, rank) < (other.due, other.rank) }
  }

  private var entries: [Entry] = []

  var first: Entry? { entries.first }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var index = entries.count - 1
    while index > 0, entries[index].precedes(entries[(index - 1) / 2]) {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
        if entries[child].precedes(entries[least]) { least = child }
      }
      if least == index { return }
      entries.swapAt(index, least)
      index = least
    }
  }
}
