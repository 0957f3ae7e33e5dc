/// The workers of a ``TaskStateMachine`` that will take values soon, and so whether another is needed.
///
/// A *seeker* is a worker that was started, or has yielded, and has not tried to take a value since. If it leaves
/// values, it starts another worker, so none is needed while there is a seeker. Two other kinds of workers will take
/// one value each soon: those in a call of a subscriber that returns promptly, and a worker that makes the only call of
/// upstream's `request`. Without a seeker, a worker is needed if more values are ready than these will take.
@frozen
@usableFromInline
struct TaskWorkerCount {
  @usableFromInline var seekers = 0
  @usableFromInline var inPromptCall = 0
  /// How many calls of upstream's `request` have not returned.
  @usableFromInline private(set) var requests = 0
  @usableFromInline private(set) var onlyRequestIsByWorker = false

  @inlinable
  init() {}

  /// Whether a worker must be started, since no other will soon take all values that are ready.
  @inlinable
  func isNeeded(for ready: Int) -> Bool {
    seekers == 0 && ready > inPromptCall &+ (onlyRequestIsByWorker ? 1 : 0)
  }

  /// A call of upstream's `request` begins.
  ///
  /// During that call there may be another one, and then upstream may deliver the values of both from the outer call.
  /// That call does not return after its own value, so it is not certain that its caller takes a value soon.
  @inlinable
  mutating func beginRequest(byWorker: Bool) {
    requests &+= 1
    onlyRequestIsByWorker = byWorker && requests == 1
  }

  @inlinable
  mutating func endRequest() {
    requests &-= 1
    onlyRequestIsByWorker = false
  }
}
