import InterflowPrimitives
import Synchronization

/// Records what traced publishers and sequences do, while it is on.
///
/// A recorder keeps the newest events, at most as many as its capacity; what was dropped is counted. An event takes 56
/// bytes, and refers to nothing of the program: values are written down when they are recorded, and not kept alive.
/// While a recorder is off, a traced stream reads one variable for each value.
///
/// ```swift
/// TraceRecorder.shared.start()
/// let cancellable = [1, 2, 3].publisher
///   .traced("numbers")
///   .map { $0 * 2 }
///   .traced("doubled")
///   .sink { print($0) }
/// let recording = TraceRecorder.shared.recording()
/// print(recording.lanes.map { "\($0.name): \($0.valueCount)" })  // ["numbers: 3", "doubled: 3"]
/// ```
///
/// - Thread: A recorder can be used from any thread. Recording an event takes a lock that few threads share, for some
///   nanoseconds; while a recording is read, for as long as it takes to copy the newest few thousand events.
public final class TraceRecorder: Sendable {
  /// The recorder of streams that name no other.
  public static let shared = TraceRecorder()

  /// The most events that are kept.
  public let capacity: Int
  /// Whether values and errors are recorded, or only that there was one.
  public let recordsValues: Bool

  private let now: @Sendable () -> UInt64
  /// Whether times are those of a clock of its own.
  let hasOwnClock: Bool
  /// The number of the recording that is under way, or 0. What a traced stream reads for each signal.
  @usableFromInline let current = Atomic<UInt32>(0)
  private let recordings: Recordings

  /// Makes a recorder, which is off.
  ///
  /// - Parameters:
  ///   - capacity: The most events that are kept, each of 56 bytes. Memory is taken as events come.
  ///   - recordsValues: Whether values and errors are recorded. Pass `false` where they could be secret.
  public init(capacity: Int = 1_000_000, recordsValues: Bool = true) {
    precondition(capacity > 0, "a recorder for \(capacity) events; say 1 or more")
    self.capacity = capacity
    self.recordsValues = recordsValues
    now = { monotonicNanoseconds() }
    hasOwnClock = false
    recordings = Recordings()
  }

  /// Makes a recorder, which is off, whose times are those of a clock: virtual ones, in a test.
  ///
  /// Events of one time are in the order in which they were recorded; for that, all threads share a lock.
  ///
  /// - Parameters:
  ///   - capacity: The most events that are kept, each of 56 bytes.
  ///   - recordsValues: Whether values and errors are recorded.
  ///   - clock: The clock. It is read for each event.
  public init<C: Clock>(capacity: Int = 1_000_000, recordsValues: Bool = true, clock: C) where C.Duration == Duration {
    precondition(capacity > 0, "a recorder for \(capacity) events; say 1 or more")
    self.capacity = capacity
    self.recordsValues = recordsValues
    let epoch = clock.now
    now = { epoch.duration(to: clock.now).wholeNanoseconds }
    hasOwnClock = true
    recordings = Recordings()
  }

  /// Whether events are recorded.
  @inlinable
  public var isOn: Bool { current.load(ordering: .relaxed) != 0 }

  /// Begins a new recording, and forgets the one before. Does nothing while the recorder is on.
  ///
  /// Streams that were subscribed before appear with their next signal, and not before: one that waits for ever is found
  /// only if the recorder was on when it was subscribed.
  public func start() {
    // The clock is called without a lock: it may be anybody's.
    let start = RecordingStart(clock: now)
    let forgotten = recordings.withLock { latest -> Recording? in
      if isOn { return nil }
      let forgotten = latest
      let number = (latest?.number ?? 0) &+ 1
      // Where time stands still, only the order says what came first.
      latest = Recording(number: number, capacity: capacity, isOrdered: hasOwnClock, start: start, now: now)
      current.store(number, ordering: .releasing)
      return forgotten
    }
    // It may be ending on another thread.
    forgotten?.end()
    forgotten?.discard()
  }

  /// Ends the recording. It can still be read, until another begins. Does nothing while the recorder is off.
  ///
  /// What other threads record at this moment may still be in it.
  public func stop() {
    let ended = recordings.withLock { latest in
      current.store(0, ordering: .relaxed)
      return latest
    }
    ended?.end()
  }

  /// What has been recorded: in the recording that is under way, or else in the last one.
  ///
  /// Threads that record wait for it only as long as it takes to copy the newest few thousand events.
  ///
  /// - Complexity: O(*n* log *n*) for *n* events.
  public func recording() -> TraceRecording {
    latest?.snapshot() ?? TraceRecording()
  }

  /// The newest events, at most so many.
  func recording(limit: Int) -> TraceRecording {
    latest?.snapshot(limit: limit) ?? TraceRecording()
  }

  /// The recording that is under way.
  var active: Recording? { latest.flatMap { $0.isUnderWay ? $0 : nil } }

  /// The recording that is under way, or else the last one.
  var latest: Recording? { recordings.withLock { $0 } }

  /// Guards the last recording.
  private final class Recordings: @unchecked Sendable {  // `lock` guards `latest`.
    private let lock = Lock()
    private var latest: Recording?

    func withLock<Result>(_ body: (inout Recording?) -> Result) -> Result {
      lock.lock()
      defer { lock.unlock() }
      return body(&latest)
    }
  }
}

extension Duration {
  /// Rounded down; zero if it is negative, and the largest number if it is too long.
  var wholeNanoseconds: UInt64 {
    if self < .zero { return 0 }
    let (seconds, attoseconds) = components
    let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : product &+ UInt64(attoseconds / 1_000_000_000)
  }
}
