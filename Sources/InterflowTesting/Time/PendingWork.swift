/// Something that a timeline has still to do.
public struct PendingWork: Hashable, Sendable, CustomStringConvertible {
  /// What it is.
  public enum Kind: Hashable, Sendable {
    /// A closure that a scheduler runs once, under the name that its options give it.
    case once(name: String?)
    /// A closure that a scheduler runs again and again, under the name that its options give it.
    case repetition(every: VirtualTime.Stride, name: String?)
    /// A task that sleeps on a clock.
    case sleep
    /// A task that is ready to go on.
    case task
    /// A task that waits for time to pass.
    case advance
  }

  /// When it is due.
  public let time: VirtualTime
  /// What it is.
  public let kind: Kind

  /// Makes a piece of work, for a test to compare with.
  public init(time: VirtualTime, kind: Kind) {
    self.time = time
    self.kind = kind
  }

  /// When it is due and what it is, as in `at 2 s: “retry”, again every 0.5 s`.
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

/// A test has ended, or cannot go on, while its timeline has still something to do.
public struct UnfinishedWork: Error, Hashable, CustomStringConvertible {
  /// The time on the timeline.
  public let time: VirtualTime
  /// What is left, in the order in which it would be done.
  public let pending: [PendingWork]

  /// What is left, a line for each.
  public var description: String {
    let count = pending.count == 1 ? "one thing is" : "\(pending.count) things are"
    return "at \(time), \(count) still scheduled:" + pending.map { "\n  \($0)" }.joined()
  }
}

/// An operation waits for something that nothing on its timeline will do.
public struct StalledOperation: Error, Hashable, CustomStringConvertible {
  /// The time on the timeline.
  public let time: VirtualTime

  /// What happened, and what may be the cause.
  public var description: String {
    """
    at \(time), the operation has not returned, and nothing is scheduled that could make it go on. It waits for a \
    value that nobody sends, or for work outside of the timeline
    """
  }
}
