public import Combine

/// A scheduler whose time passes only when a test lets it pass.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let input = PassthroughSubject<String, Never>()
/// var output: [String] = []
/// let cancellable = input.debounce(for: 2, scheduler: scheduler).sink { output.append($0) }
///
/// input.send("a")
/// scheduler.advance(by: 1)
/// input.send("b")
/// scheduler.advance(by: 1)
/// #expect(output == [])
/// scheduler.advance(by: 1)
/// #expect(output == ["b"])
/// cancellable.cancel()
/// ```
///
/// Closures run on the thread that lets time pass, one at a time, each at its time. Closures that are due at the same
/// time run in the order in which they were scheduled. Literals are seconds; `.milliseconds(20)` and the like work too.
///
/// A scheduler refers to its ``timeline``: copies share their time.
///
/// - Thread: All members may be used from any thread.
public struct TestScheduler: Scheduler, Sendable {
  /// A point in virtual time.
  public typealias SchedulerTimeType = VirtualTime

  /// Options for a scheduled closure.
  public struct SchedulerOptions: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name of the closure in errors and in ``TestTimeline/pending``.
    public var name: String?

    /// Makes options.
    public init(name: String? = nil) {
      self.name = name
    }

    /// Makes options that name a closure.
    public init(stringLiteral value: String) {
      self.init(name: value)
    }
  }

  /// The timeline whose time the scheduler uses.
  public let timeline: TestTimeline

  /// Makes a scheduler with a timeline of its own.
  public init() {
    self.init(timeline: TestTimeline())
  }

  /// Makes a scheduler that shares a timeline.
  public init(timeline: TestTimeline) {
    self.timeline = timeline
  }

  // MARK: Actions of the test

  /// Lets time pass, and runs the work that becomes due, at its time; without a stride, the work that is due now.
  public func advance(by stride: VirtualTime.Stride = 0) { timeline.advance(by: stride) }

  /// Lets time pass up to a time, and runs the work that becomes due, at its time.
  public func advance(to time: VirtualTime) { timeline.advance(to: time) }

  /// Lets time pass until nothing is scheduled but repetitions that have begun; see ``TestTimeline/run()``.
  public func run() { timeline.run() }

  /// Throws if work is still scheduled, with an error that lists it: for the end of a test.
  public func verifyFinished() throws(UnfinishedWork) { try timeline.verifyFinished() }

  // MARK: Scheduler

  /// The current time.
  public var now: VirtualTime { timeline.now }

  /// Zero: everything runs exactly at its time.
  public var minimumTolerance: VirtualTime.Stride { 0 }

  /// Runs a closure at the current time, after the work that is scheduled for it already.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    _ = timeline.add(due: nil, .once(name: options?.name), action: action)
  }

  /// Runs a closure at a time; at the current time if that has passed.
  public func schedule(
    after date: VirtualTime, tolerance: VirtualTime.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
  ) {
    _ = timeline.add(due: date, .once(name: options?.name), action: action)
  }

  /// Runs a closure at a time, and then repeatedly at an interval, which must be longer than zero.
  ///
  /// - Returns: A cancellable that ends the repetition, also when it is deallocated.
  public func schedule(
    after date: VirtualTime, interval: VirtualTime.Stride, tolerance: VirtualTime.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    precondition(interval > 0, "an interval of \(interval): a repetition needs time to pass in between")
    let id = timeline.add(due: date, .repetition(every: interval, name: options?.name), action: action)
    return AnyCancellable { [timeline] in timeline.remove(id) }
  }
}

extension TestScheduler: CustomStringConvertible {
  /// The current time, and the number of scheduled items.
  public var description: String { "TestScheduler(now: \(now), scheduled: \(timeline.pending.count))" }
}
