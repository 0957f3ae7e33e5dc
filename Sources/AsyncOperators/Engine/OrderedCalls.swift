/// The state of calls that run at the same time, and whose results are delivered in the order in which they began.
///
/// Calls are numbered from zero. Those before ``end`` are wanted, and the others are not. The end is set by the base, which
/// begins no more calls, or by a call that has failed, and moves to an earlier call if that fails later.
@usableFromInline
struct OrderedCalls {
  let limit: Int
  private(set) var begun = 0
  @usableFromInline private(set) var delivered = 0
  /// How many results are delivered before the end; `Int.max` as long as the base may begin more calls.
  private(set) var end = Int.max
  /// Whether the consumer has cancelled, or has got the end.
  private(set) var isOver = false

  init(limit: Int) {
    self.limit = limit
  }

  /// Whether the base can begin more calls, now or later.
  var isOpen: Bool { !isOver && end == .max }

  /// Whether there is room for another call. One whose result has not been delivered takes room.
  var hasRoom: Bool { begun - delivered < limit }

  /// Whether all results before the end have been delivered.
  var isAtEnd: Bool { delivered == end }

  /// Whether the result of a call is wanted.
  func isWanted(_ call: Int) -> Bool { !isOver && call < end }

  /// A call begins.
  ///
  /// - Returns: Its number; `nil` if it must not begin.
  mutating func began() -> Int? {
    guard isOpen else { return nil }
    begun += 1
    return begun - 1
  }

  /// A call has failed.
  ///
  /// - Returns: How many calls from this one on have been wanted so far, and are not any more; `nil` if the failure is not
  ///   wanted.
  mutating func failed(_ call: Int) -> Int? {
    guard isWanted(call) else { return nil }
    let last = min(begun, end)
    end = call
    return last - call
  }

  /// The base has ended.
  ///
  /// - Returns: Whether it is the end, and not that of a call before.
  mutating func baseEnded() -> Bool {
    guard isOpen else { return false }
    end = begun
    return true
  }

  /// The result of the first call that has not been delivered is.
  mutating func deliver() {
    delivered += 1
  }

  /// The consumer has cancelled, or gets the end.
  mutating func finish() {
    isOver = true
  }
}
