import Combine
import InterflowPrimitives

/// The state of a ``OneByOneSink`` with a closure that is not async.
///
/// - `unlinked`: there is no upstream yet.
/// - `requested`: one value has been requested, and has not arrived.
/// - `handling`: there is a current value, which is not done.
/// - `ended`: the completion has been delivered, or the sink was cancelled.
struct OneByOneStateMachine<Input, Failure: Error> {
  /// What the caller does after releasing the lock.
  enum Order {
    case nothing
    case handle(Input)
    /// Requests one value from upstream.
    case request
    case complete(Subscribers.Completion<Failure>)
  }

  private enum Phase {
    case unlinked
    case requested
    case handling
    case ended
  }

  private var phase = Phase.unlinked
  /// Values that upstream has sent without demand, against the rules.
  private var surplus = RingBuffer<Input>()
  private var completion: Subscribers.Completion<Failure>?
  /// Whether the closure is being called, and whether `resume()` was called during that call.
  private var isInClosure = false
  private var wasResumed = false

  // MARK: Upstream

  /// Upstream has sent its subscription.
  ///
  /// - Returns: `nil` if the caller cancels it.
  mutating func linked() -> Order? {
    guard phase == .unlinked else { return nil }
    return next()
  }

  /// A value has arrived.
  mutating func received(_ input: Input) -> Order {
    guard completion == nil else { return .nothing }
    switch phase {
    case .requested:
      return handle(input)
    case .unlinked, .handling:
      surplus.append(input)
      return .nothing
    case .ended:
      return .nothing
    }
  }

  /// Upstream has completed.
  mutating func received(_ completion: Subscribers.Completion<Failure>) -> Order {
    guard phase != .ended, self.completion == nil else { return .nothing }
    self.completion = completion
    // After the closure, which another thread may be in.
    return surplus.isEmpty && !isInClosure ? complete(completion) : .nothing
  }

  // MARK: The current value

  /// The closure has returned. The value is done only if `resume()` has been called. A completion that has arrived
  /// meanwhile is due.
  mutating func returned() -> Order {
    guard phase == .handling else { return .nothing }
    isInClosure = false
    if wasResumed { return next() }
    if let completion, surplus.isEmpty { return complete(completion) }
    return .nothing
  }

  /// `resume()` was called: the current value is done. Ignored if there is none, and after the first call for a value.
  mutating func resumed() -> Order {
    guard phase == .handling else { return .nothing }
    wasResumed = isInClosure
    return isInClosure ? .nothing : next()
  }

  mutating func cancelled() {
    phase = .ended
    completion = nil
    surplus.removeAll()
  }

  private mutating func next() -> Order {
    if let input = surplus.popFirst() { return handle(input) }
    if let completion { return complete(completion) }
    phase = .requested
    return .request
  }

  private mutating func handle(_ input: Input) -> Order {
    phase = .handling
    isInClosure = true
    wasResumed = false
    return .handle(input)
  }

  private mutating func complete(_ completion: Subscribers.Completion<Failure>) -> Order {
    phase = .ended
    self.completion = nil
    return .complete(completion)
  }
}
