internal import CInterflowPrimitives
import InterflowPrimitives
import Synchronization

/// What one traced subscription, or one iteration, reports to its recorder.
@usableFromInline
final class TracedLane: @unchecked Sendable {  // `lock` guards the variables; the atomic protects itself.
  @usableFromInline let recorder: TraceRecorder
  let name: String

  private let lock = Lock()
  /// The recording that it was last a part of. A stream that is quiet may keep one that is over: its events are gone.
  private var recording: Recording?
  private var subscription: UInt32 = 0
  private var nameNumber: UInt16 = 0
  private var valueCount: UInt32 = 0
  private var hasEnded = false
  /// The subscription that the lane got, where that is an object. Only its identity is used.
  private(set) var source: ObjectIdentifier?
  /// Noted also while the recorder is off, for a recording that begins later.
  private let requested = Atomic(false)

  @usableFromInline
  init(_ name: String, _ recorder: TraceRecorder) {
    self.name = name
    self.recorder = recorder
  }

  @inlinable var isOn: Bool { recorder.isOn }

  var hasRequested: Bool { requested.load(ordering: .relaxed) }

  // MARK: Signals

  @usableFromInline
  func subscribed(to subscription: (any Subscription)? = nil) {
    if let subscription, type(of: subscription as Any) is AnyClass {
      lock.lock()
      source = ObjectIdentifier(subscription as AnyObject)
      lock.unlock()
    }
    guard isOn else { return }
    record(.subscription)
  }

  /// Also while the recorder is off.
  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    if !hasRequested, demand > .none { requested.store(true, ordering: .relaxed) }
    guard isOn else { return }
    record(.request, .signed(demand.max ?? .max))
  }

  /// Records a value, and delivers it: what is recorded meanwhile on this thread came of it.
  @usableFromInline
  func deliver<Result>(_ value: RecordedValue, _ deliver: () -> Result) -> Result {
    guard let own = record(.value, value) else { return deliver() }
    let outer = interflow_exchange_delivered_value(own)
    defer { _ = interflow_exchange_delivered_value(outer) }
    return deliver()
  }

  /// Records a value that is returned to whoever has asked for it.
  @usableFromInline
  func returned(_ value: RecordedValue) { record(.value, value) }

  /// The subject had a value for which there was no demand.
  func dropped() { record(.drop) }

  @usableFromInline
  func finished() {
    if isOn { record(.finished) }
    end()
  }

  @usableFromInline
  func failed(_ error: any Error) {
    if isOn { record(.failure, recorder.recordsValues ? .text("\(error)") : .none) }
    end()
  }

  /// It is about to be cancelled.
  ///
  /// - Returns: Whether that is its end. Subscribers may cancel after it.
  func cancels() -> Bool {
    lock.lock()
    defer { lock.unlock() }
    defer { hasEnded = true }
    return !hasEnded
  }

  func wasCancelled() {
    if isOn { record(.cancellation) }
    end()
  }

  /// Nothing can come any more.
  @usableFromInline
  func released() {
    lock.lock()
    let isLoss = !hasEnded && recording != nil
    lock.unlock()
    if isLoss, isOn { record(.release) }
    end()
  }

  // MARK: The recording

  /// Adds an event.
  ///
  /// - Returns: The identity of a value; nil where nothing is recorded.
  @discardableResult
  private func record(_ kind: EventRecord.Kind, _ value: RecordedValue = .none) -> interflow_delivered_value? {
    let generation = recorder.current.load(ordering: .acquiring)
    guard generation != 0 else { return nil }
    lock.lock()
    let joins = recording?.number != generation
    if joins { join(generation) }
    guard let recording, recording.number == generation else {
      lock.unlock()
      return nil
    }
    if kind == .value { valueCount &+= 1 }
    let (subscription, name, number) = (subscription, nameNumber, valueCount)
    lock.unlock()

    // Not with the lock: it reads the clock, which may be anybody's.
    if joins, kind != .subscription {
      recording.record(.joined, subscription: subscription, name: name, .boolean(hasRequested))
    }
    let delivered = interflow_exchange_delivered_value(interflow_delivered_value())
    _ = interflow_exchange_delivered_value(delivered)
    // Numbers are those of one recording.
    let owner = UnsafeRawPointer(Unmanaged.passUnretained(recording).toOpaque())
    let cause = kind == .value && delivered.owner == owner ? delivered.number : 0
    recording.record(
      kind, subscription: subscription, name: name, recorder.recordsValues || kind != .value ? value : .none,
      number: kind == .value ? number : 0, cause: cause)
    return interflow_delivered_value(
      owner: owner, number: EventRecord.identity(subscription: subscription, number: number))
  }

  /// Begins to be part of a recording. Called with the lock.
  private func join(_ generation: UInt32) {
    lock.assertHeld()
    guard let active = recorder.active, active.number == generation, let place = active.register(self) else { return }
    recording = active
    (subscription, nameNumber, valueCount) = (place.subscription, place.name, 0)
    if hasEnded { active.forget(subscription, of: source) }
  }

  private func end() {
    lock.lock()
    hasEnded = true
    let (recording, subscription, source) = (recording, subscription, source)
    lock.unlock()
    recording?.forget(subscription, of: source)
  }
}
