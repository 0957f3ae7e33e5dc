import InterflowPrimitives

/// The state of several inputs that one consumer joins: from which of them an element has been requested, and
/// which have answered.
///
/// An input has room for one element. The next one is requested only after the consumer has taken the one before.
///
/// - `open`: there may be more elements. Followed by each of the others.
/// - `closing`: no input delivers anything more; what has arrived is delivered, then the failure, if any. Followed by
///   `ended`.
/// - `ended`: everything has been delivered, or the consumer has cancelled.
@usableFromInline
struct FanInStateMachine {
  /// What the consumer waits for.
  @usableFromInline
  enum Mode {
    /// An element of any input; the end is that of the last input.
    case any
    /// As `any`, but the end of the first input is that of all.
    case first
    /// As `any`, but an input that ends without an element ends all.
    case latest
    /// An element of each input; the end of one ends all.
    case all
  }

  enum Phase {
    case open
    case closing(failed: Int?)
    case ended
  }

  enum Input {
    /// No element has been requested since the last one was taken.
    case idle
    /// An element has been requested, and there is no answer.
    case requested
    /// Has answered; the element has not been taken.
    case arrived
    /// Has ended.
    case over
  }

  /// What the inputs have to do after a change.
  enum Order: Equatable {
    case nothing
    /// The consumer can go on.
    case resumeConsumer
    /// The consumer can go on, and all inputs stop.
    case stop
  }

  let mode: Mode
  private(set) var phase = Phase.open
  private(set) var inputs: ContiguousArray<Input>
  private var hasDelivered: ContiguousArray<Bool>
  /// The inputs whose elements have arrived, in this order.
  private var arrivals = RingBuffer<Int>()
  /// The idle inputs; the one that delivered longest ago is the first.
  private var idle = RingBuffer<Int>()
  private var live: Int

  /// A machine that has requested an element of each input.
  init(_ mode: Mode, count: Int) {
    self.mode = mode
    inputs = ContiguousArray(repeating: .requested, count: count)
    hasDelivered = ContiguousArray(repeating: false, count: count)
    live = count
    if count == 0 { phase = .ended }
  }

  // MARK: The inputs

  /// An input has delivered an element.
  ///
  /// - Returns: What to do; `nil` if the element is not wanted, and the input stops.
  mutating func received(_ input: Int) -> Order? {
    guard case .open = phase else { return nil }
    inputs[input] = .arrived
    hasDelivered[input] = true
    arrivals.append(input)
    return isReady ? .resumeConsumer : .nothing
  }

  /// An input has ended.
  mutating func finished(_ input: Int) -> Order {
    guard case .open = phase else { return .nothing }
    inputs[input] = .over
    live -= 1
    switch mode {
    case .all: phase = .ended
    case .latest where !hasDelivered[input]: phase = .ended
    case .first:
      if input > 0 { return .nothing }
      phase = .closing(failed: nil)
    case .any, .latest:
      if live > 0 { return .nothing }
      phase = .closing(failed: nil)
    }
    return .stop
  }

  /// An input has failed.
  mutating func failed(_ input: Int) -> Order {
    guard case .open = phase else { return .nothing }
    inputs[input] = .over
    // A part of a tuple will not be a whole one.
    if mode == .all { arrivals.removeAll() }
    phase = .closing(failed: input)
    return .stop
  }

  // MARK: The consumer

  /// The consumer has cancelled.
  mutating func cancelled() {
    phase = .ended
  }

  /// Whether there may be more elements.
  var isOpen: Bool {
    if case .open = phase { true } else { false }
  }

  /// Whether the consumer need not wait.
  var isReady: Bool {
    guard case .open = phase else { return true }
    return mode == .all ? arrivals.count == inputs.count : !arrivals.isEmpty
  }

  /// Takes what the consumer gets next.
  mutating func take() -> FanInEvent {
    guard isReady else { return .pending }
    switch phase {
    case .ended: return .end
    case .open where mode == .all:
      while let input = arrivals.popFirst() { release(input) }
      return .element(0)
    case .open, .closing: break
    }
    if let input = arrivals.popFirst() {
      release(input)
      return .element(input)
    }
    guard case .closing(let failed) = phase else { return .end }
    phase = .ended
    return failed.map { .failure($0) } ?? .end
  }

  private mutating func release(_ input: Int) {
    guard inputs[input] == .arrived else { return }
    inputs[input] = .idle
    idle.append(input)
  }

  /// Requests an element of the idle input that delivered longest ago.
  ///
  /// - Returns: The input; `nil` if none is idle.
  mutating func request() -> Int? {
    guard case .open = phase, let input = idle.popFirst() else { return nil }
    inputs[input] = .requested
    return input
  }
}

/// What a consumer of several inputs gets.
@usableFromInline
@frozen
enum FanInEvent: Equatable {
  /// An element of the input; where all inputs deliver together, of each.
  case element(Int)
  /// The failure of the input.
  case failure(Int)
  case end
  /// Nothing yet.
  case pending
}
