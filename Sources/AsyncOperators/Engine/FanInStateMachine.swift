import InterflowPrimitives

/// The state of several inputs that one consumer joins: from which of them an element has been requested, and
/// which have answered.
///
/// An input has room for one element. The next one is requested only when the consumer takes the one before (if
/// ``FanInRule/requestsAhead`` says so), or after that, when the consumer waits.
///
/// - `open`: there may be more elements. Followed by each of the others.
/// - `closing`: no input delivers anything more; what has arrived is delivered, then the failure, if any. Followed by
///   `ended`.
/// - `ended`: everything has been delivered, or the consumer has cancelled.
@usableFromInline
struct FanInStateMachine {
  enum Phase {
    case open
    case closing(failed: Bool)
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
    /// An element has been requested, and there is no answer; it is not wanted anymore.
    case dismissed
  }

  /// What the inputs have to do after a change.
  enum Order: Equatable {
    case nothing
    /// The consumer can go on.
    case resumeConsumer
    /// The consumer can go on, and all inputs stop.
    case stop
    /// The consumer can go on, and all inputs stop but the one that has answered.
    case stopOthers
    /// There is room for another inner input.
    case resumeFirstInput
  }

  let rule: FanInRule
  private(set) var phase = Phase.open
  private(set) var inputs: ContiguousArray<Input>
  private var hasDelivered: ContiguousArray<Bool>
  /// The inputs whose elements have arrived, in this order.
  private var arrivals = RingBuffer<Int>()
  /// The idle inputs; the one that delivered longest ago is the first.
  private var idle = RingBuffer<Int>()
  private var live: Int
  /// How many inner inputs there are at most.
  private let limit: Int
  /// The indices of inner inputs that have ended, to be used again.
  private var vacant: [Int] = []
  /// The inner input that a new one replaces.
  private var replaceable: Int?
  /// The input that has won the race.
  private var winner: Int?

  /// A machine that has requested an element of each input.
  ///
  /// - Parameter limit: How many inner inputs there are at most.
  init(_ rule: FanInRule, count: Int, limit: Int = .max) {
    self.rule = rule
    self.limit = limit
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
    guard isWanted(input), !leaves(input) else { return nil }
    inputs[input] = .arrived
    hasDelivered[input] = true
    arrivals.append(input)
    if rule.isRace, winner == nil {
      winner = input
      return .stopOthers
    }
    return isReady ? .resumeConsumer : .nothing
  }

  /// An input has ended.
  mutating func finished(_ input: Int) -> Order {
    guard isWanted(input), !leaves(input) else { return .nothing }
    inputs[input] = .over
    live -= 1
    if !hasDelivered[input], rule.requires == .each || rule.requires == .first && input == 0 {
      phase = .ended
      return .stop
    }
    guard isEnd(input) else { return rule.inner == .none ? .nothing : innerFinished(input) }
    close(failed: false)
    return .stop
  }

  /// An input has failed.
  mutating func failed(_ input: Int) -> Order {
    guard isWanted(input), !leaves(input) else { return .nothing }
    inputs[input] = .over
    close(failed: true)
    return .stop
  }

  /// Whether the end of this input is that of all.
  private func isEnd(_ input: Int) -> Bool {
    switch rule.end {
    case .any: true
    case .all: live == 0
    case .first: input == 0
    case .last: input == inputs.count - 1
    }
  }

  private mutating func close(failed: Bool) {
    // A part of a tuple will not be a whole one.
    if rule.delivers == .all { arrivals.removeAll() }
    phase = .closing(failed: failed)
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

  /// Whether an answer of this input counts.
  func isWanted(_ input: Int) -> Bool {
    isOpen && (winner == nil || winner == input)
  }

  /// Whether the consumer need not wait.
  var isReady: Bool {
    guard case .open = phase else { return true }
    return rule.delivers == .all ? arrivals.count == inputs.count : !arrivals.isEmpty
  }

  /// Takes what the consumer gets next.
  mutating func take() -> FanInEvent {
    guard isReady else { return .pending }
    switch phase {
    case .ended: return .end
    case .open where rule.delivers == .all:
      while let input = arrivals.popFirst() { release(input) }
      return .element(0)
    case .open, .closing: break
    }
    if let input = takeArrived() { return .element(input) }
    guard case .closing(let failed) = phase else { return .end }
    phase = .ended
    return failed ? .failure : .end
  }

  /// Takes an element that has arrived, where the consumer gets one of any input at a time.
  ///
  /// - Returns: Its input.
  mutating func takeArrived() -> Int? {
    guard let input = arrivals.popFirst() else { return nil }
    release(input)
    return input
  }

  private mutating func release(_ input: Int) {
    guard inputs[input] == .arrived else { return }
    if rule.requestsAhead, isOpen {
      inputs[input] = .requested
      return
    }
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

  // MARK: Inner inputs

  private var innerCount: Int { inputs[0] == .over ? live : live - 1 }

  /// Whether an element of the first input becomes an inner input.
  var wantsInner: Bool {
    isOpen && (rule.inner != .first || innerCount == 0)
  }

  /// The first input has a new element.
  ///
  /// - Returns: The inner input that ends because of it.
  mutating func replaced() -> Int? {
    guard rule.inner == .latest, isOpen, let input = replaceable.take() else { return nil }
    live -= 1
    // No other input has an element, or waits for a request.
    arrivals.removeAll()
    idle.removeAll()
    if inputs[input] == .requested {
      inputs[input] = .dismissed
    } else {
      vacate(input)
    }
    return input
  }

  /// The first input starts an inner input, of which an element has been requested.
  ///
  /// - Returns: The index of the inner input; `nil` if it is not wanted.
  mutating func started() -> Int? {
    guard wantsInner else { return nil }
    live += 1
    let input = vacant.popLast() ?? inputs.count
    if input == inputs.count {
      inputs.append(.requested)
      hasDelivered.append(false)
    } else {
      inputs[input] = .requested
    }
    if rule.inner == .latest { replaceable = input }
    return input
  }

  /// The first input can start another one.
  ///
  /// - Returns: Whether there is room for it now. Otherwise, the order `resumeFirstInput` follows.
  mutating func waitsForRoom() -> Bool {
    if innerCount < limit { return true }
    inputs[0] = .idle
    return false
  }

  private mutating func innerFinished(_ input: Int) -> Order {
    if input == 0 { return .nothing }
    vacate(input)
    if replaceable == input { replaceable = nil }
    guard inputs[0] == .idle else { return .nothing }
    inputs[0] = .requested
    return .resumeFirstInput
  }

  /// An input has answered. If it had been dismissed, that was its last answer.
  private mutating func leaves(_ input: Int) -> Bool {
    guard inputs[input] == .dismissed else { return false }
    vacate(input)
    return true
  }

  private mutating func vacate(_ input: Int) {
    inputs[input] = .over
    vacant.append(input)
  }
}

/// What a consumer of several inputs gets.
@usableFromInline
@frozen
enum FanInEvent: Equatable {
  /// An element of the input; where all inputs deliver together, of each.
  case element(Int)
  /// The failure of an input.
  case failure
  case end
  /// Nothing yet.
  case pending
}
