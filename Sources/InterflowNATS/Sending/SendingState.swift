import Combine

/// What a stream's subscriber waits for. This is a state machine, without threads.
struct SendingState<Upstream> {
  enum Action {
    case none
    /// So many more values can be sent.
    case request(Upstream, Int)
    case cancel(Upstream)
    /// Nothing is on its way any more, or something has failed.
    case end(Upstream?, Subscribers.Completion<any Error>)
  }

  private enum Phase {
    case idle
    case sending(Upstream)
    /// Upstream has completed, and values are on their way.
    case completing(Subscribers.Completion<any Error>)
    case over
  }

  private var phase = Phase.idle
  private var onTheirWay = 0
  private let inFlight: Int
  /// How many values have been stored since more were requested.
  private var stored = 0

  init(inFlight: Int) {
    self.inFlight = inFlight
  }

  /// - Returns: Whether the subscription is the first, and is wanted.
  mutating func began(_ upstream: Upstream) -> Bool {
    guard case .idle = phase else { return false }
    phase = .sending(upstream)
    return true
  }

  /// - Returns: Whether the value is to be sent.
  mutating func received() -> Bool {
    guard case .sending = phase else { return false }
    onTheirWay += 1
    return true
  }

  mutating func valueStored() -> Action {
    onTheirWay -= 1
    switch phase {
    case .sending(let upstream):
      stored += 1
      // Values that are requested together are sent together, so that several share a packet.
      guard stored >= inFlight / 4 else { return .none }
      defer { stored = 0 }
      return .request(upstream, stored)
    case .completing(let completion) where onTheirWay == 0:
      phase = .over
      return .end(nil, completion)
    case .idle, .completing, .over: return .none
    }
  }

  mutating func failed(_ error: any Error) -> Action {
    onTheirWay -= 1
    defer { phase = .over }
    switch phase {
    case .sending(let upstream): return .end(upstream, .failure(error))
    // The values' failure is the first.
    case .completing: return .end(nil, .failure(error))
    case .idle, .over: return .none
    }
  }

  mutating func completed(_ completion: Subscribers.Completion<any Error>) -> Action {
    guard case .sending = phase else { return .none }
    if onTheirWay > 0 {
      phase = .completing(completion)
      return .none
    }
    phase = .over
    return .end(nil, completion)
  }

  mutating func cancelled() -> Action {
    defer { phase = .over }
    if case .sending(let upstream) = phase { return .cancel(upstream) }
    return .none
  }
}
