import Testing

@testable import InterflowSQLite

@Suite struct PoolStateTests {
  @Test func elementsAreGivenAndThenWaitedForInOrder() {
    var state = PoolState<Int, String>([1, 2])
    expect(state.give("a") == 2)
    expect(state.give("b") == 1)
    expect(state.give("c") == nil)
    expect(state.give("d") == nil)
    guard case .serve("c") = state.returned(1) else { return #expect(Bool(false)) }
    guard case .serve("d") = state.returned(2) else { return #expect(Bool(false)) }
    guard case .none = state.returned(2) else { return #expect(Bool(false)) }
    #expect(state.idle == [2])
  }

  @Test func aWaiterThatHasGivenUpIsNotServed() {
    var state = PoolState<Int, String>([1])
    _ = state.give("a")
    _ = state.give("b")
    _ = state.give("c")
    let removed = state.removeWaiter { $0 == "b" }
    #expect(removed == "b")
    let none = state.removeWaiter { $0 == "b" }
    #expect(none == nil)
    guard case .serve("c") = state.returned(1) else { return #expect(Bool(false)) }
  }

  @Test func closingRefusesAndClosesWhatComesBack() {
    var state = PoolState<Int, String>([1, 2])
    expect(state.give("a") == 2)
    expect(state.give("b") == 1)
    expect(state.give("c") == nil)
    expect(state.refused() == ["c"])
    guard case .closed = state.requested() else { return #expect(Bool(false)) }
    // It may be used for the closing itself.
    guard case .none = state.returned(1) else { return #expect(Bool(false)) }
    expect(state.closing() == [1])
    expect(!state.closedElement())
    guard case .close = state.returned(2) else { return #expect(Bool(false)) }
    expect(state.closedElement())
  }

  @Test func observationsLeaveOneElement() {
    var state = PoolState<Int, String>([1, 2, 3])
    expect(state.give("a", .observation) == 3)
    expect(state.give("b", .observation) == 2)
    expect(state.give("c", .observation) == nil)
    expect(state.give("d") == 1)
    expect(state.give("e") == nil)
    guard case .serve("e") = state.returned(1) else { return #expect(Bool(false)) }
    guard case .none = state.returned(1) else { return #expect(Bool(false), "that is the one that is kept") }
    guard case .serve("c") = state.returned(2, .observation) else { return #expect(Bool(false)) }
    expect(state.give("f", .observation) == nil)
    guard case .serve("f") = state.returned(3, .observation) else { return #expect(Bool(false)) }
    guard case .none = state.returned(2, .observation) else { return #expect(Bool(false)) }
    expect(state.give("g", .observation) == 2)
  }

  @Test func whoCameFirstIsServedFirstWhateverItIsFor() {
    var state = PoolState<Int, String>([1, 2])
    expect(state.give("a") == 2)
    expect(state.give("b") == 1)
    expect(state.give("c", .observation) == nil)
    expect(state.give("d") == nil)
    guard case .serve("c") = state.returned(1) else { return #expect(Bool(false)) }
  }

  @Test func oneElementServesEverything() {
    var state = PoolState<Int, String>([1])
    expect(state.give("a", .observation) == 1)
    expect(state.give("b") == nil)
    guard case .serve("b") = state.returned(1, .observation) else { return #expect(Bool(false)) }
  }
}

/// The macro cannot call a mutating function.
private func expect(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(condition, sourceLocation: sourceLocation)
}

extension PoolState {
  /// What somebody who wants an element gets; nil if it has to wait or gets none.
  fileprivate mutating func give(_ waiter: Waiter, _ purpose: PoolPurpose = .awaited) -> Element? {
    switch requested(purpose) {
    case .use(let element): return element
    case .wait: wait(waiter, purpose)
    case .closed: break
    }
    return nil
  }
}
