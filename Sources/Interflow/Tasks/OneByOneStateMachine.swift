import Combine
import InterflowPrimitives

/// Which value a subscriber that takes one at a time is working on, and what it does when that is done.
struct OneByOneStateMachine<Input, Failure: Error> {
  /// What the caller does once the lock is free.
  enum Order {
    case nothing
    case handle(Input)
    /// Asks upstream for one more.
    case request
    case complete(Subscribers.Completion<Failure>)
  }

  private enum Phase {
    case unlinked
    /// Upstream owes a value.
    case asked
    case handling
    case ended
  }

  private var phase = Phase.unlinked
  /// Values without demand, which a publisher that breaks the rules sends.
  private var surplus = RingBuffer<Input>()
  private var completion: Subscribers.Completion<Failure>?
  /// Whether a closure that works on a value has not returned yet, and whether `resume()` was called meanwhile.
  private var isInside = false
  private var wasResumed = false

  // MARK: Upstream

  /// Upstream has sent its subscription.
  ///
  /// - Returns: `nil` where it is to be cancelled.
  mutating func linked() -> Order? {
    guard phase == .unlinked else { return nil }
    return next()
  }

  /// A value has come.
  mutating func received(_ input: Input) -> Order {
    guard completion == nil else { return .nothing }
    switch phase {
    case .asked:
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
    return surplus.isEmpty ? complete(completion) : .nothing
  }

  // MARK: The work

  /// The closure that works on a value has returned, but the value may not be done.
  mutating func returned() -> Order {
    guard phase == .handling else { return .nothing }
    isInside = false
    if wasResumed { return next() }
    if let completion, surplus.isEmpty { return complete(completion) }
    return .nothing
  }

  /// Somebody says that the value at hand is done. Without one, and for a second time, this says nothing.
  mutating func resumed() -> Order {
    guard phase == .handling else { return .nothing }
    wasResumed = isInside
    return isInside ? .nothing : next()
  }

  mutating func cancelled() {
    phase = .ended
    completion = nil
    surplus.removeAll()
  }

  private mutating func next() -> Order {
    if let input = surplus.popFirst() { return handle(input) }
    if let completion { return complete(completion) }
    phase = .asked
    return .request
  }

  private mutating func handle(_ input: Input) -> Order {
    phase = .handling
    isInside = true
    wasResumed = false
    return .handle(input)
  }

  private mutating func complete(_ completion: Subscribers.Completion<Failure>) -> Order {
    phase = .ended
    self.completion = nil
    return .complete(completion)
  }
}
