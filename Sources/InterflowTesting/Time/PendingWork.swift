/// Work that is scheduled on a timeline.
public struct PendingWork: Hashable, Sendable, CustomStringConvertible {
  /// The kind of work.
  public enum Kind: Hashable, Sendable {
    /// A closure that a scheduler runs once, with the name from its options.
    case once(name: String?)
    /// A closure that a scheduler runs repeatedly, with the name from its options.
    case repetition(every: VirtualTime.Stride, name: String?)
    /// A task that sleeps on a clock.
    case sleep
    /// A task that is ready to run.
    case task
    /// A task that waits for time to pass.
    case advance
  }

  /// The time at which it is due.
  public let time: VirtualTime
  /// The kind of work.
  public let kind: Kind

  /// Makes a description of work, for a test to compare with.
  public init(time: VirtualTime, kind: Kind) {
    self.time = time
    self.kind = kind
  }

  /// The time and the kind, as in `at 2 s: “retry”, again every 0.5 s`.
  public var description: String { "at \(time): \(title)" }

  private var title: String {
    switch kind {
    case .once(let name): Self.title(name)
    case .repetition(let interval, let name): "\(Self.title(name)), again every \(interval)"
    case .sleep: "a task that sleeps"
    case .task: "a task that is ready to go on"
    case .advance: "a task that waits for time to pass"
    }
  }

  private static func title(_ name: String?) -> String { name.map { "“\($0)”" } ?? "work without a name" }
}

/// Thrown if work is still scheduled on a timeline at the end of a test.
public struct UnfinishedWork: Error, Hashable, CustomStringConvertible {
  /// The current time of the timeline.
  public let time: VirtualTime
  /// The scheduled work, in the order in which it would run.
  public let pending: [PendingWork]

  /// The scheduled work, one item on each line.
  public var description: String {
    let count = pending.count == 1 ? "one thing is" : "\(pending.count) things are"
    return "at \(time), \(count) still scheduled:" + pending.map { "\n  \($0)" }.joined()
  }
}

/// Thrown if an operation waits, and nothing is scheduled on its timeline that could resume it, or only work that repeats
/// itself.
public struct StalledOperation: Error, Hashable, CustomStringConvertible {
  /// The time on the timeline.
  public let time: VirtualTime

  /// The work that would run next: after so many steps, it probably repeats itself without end.
  let next: PendingWork?

  let steps: Int

  /// What happened, and possible causes.
  public var description: String {
    guard let next, next.time < .distantFuture else {
      return """
        at \(time), the operation has not returned, and nothing is scheduled that could make it go on. It waits for a \
        value that nobody sends, or for work outside of the timeline
        """
    }
    return """
      at \(time), the operation has not returned after \(steps) steps, each scheduled by the one before. Either it \
      needs so many, or it waits for what does not happen, and other work repeats itself. Next comes the work \(next)
      """
  }
}
