import Combine
import InterflowTestSupport
import Testing

@testable import InterflowNATS

@Suite struct SendingStateTests {
  private func name(_ action: SendingState<Int>.Action) -> String {
    switch action {
    case .none: "none"
    case .request(let upstream, let count): "request \(count) of \(upstream)"
    case .cancel(let upstream): "cancel \(upstream)"
    case .end(let upstream, .finished): "end \(upstream.map(String.init) ?? "") finished"
    case .end(let upstream, .failure(let error)): "end \(upstream.map(String.init) ?? "") \(error)"
    }
  }

  private func sending(_ count: Int, inFlight: Int = 2) -> SendingState<Int> {
    var state = SendingState<Int>(inFlight: inFlight)
    _ = state.began(1)
    for _ in 0..<count { _ = state.received() }
    return state
  }

  @Test func aSecondSubscriptionIsNotWanted() {
    var state = SendingState<Int>(inFlight: 1)
    let first = state.began(1)
    #expect(first)
    let second = state.began(2)
    #expect(!second)
  }

  @Test func eachStoredValueRequestsAnother() {
    var state = sending(2)
    #expect(name(state.valueStored()) == "request 1 of 1")
    #expect(name(state.valueStored()) == "request 1 of 1")
  }

  @Test func whereManyAreInFlightSeveralAreRequestedTogether() {
    var state = sending(8, inFlight: 8)
    #expect(name(state.valueStored()) == "none")
    #expect(name(state.valueStored()) == "request 2 of 1")
    #expect(name(state.valueStored()) == "none")
    #expect(name(state.valueStored()) == "request 2 of 1")
  }

  @Test func theCompletionWaitsForTheValues() {
    var state = sending(2)
    #expect(name(state.completed(.finished)) == "none")
    #expect(name(state.valueStored()) == "none")
    #expect(name(state.valueStored()) == "end  finished")
  }

  @Test func theFailureWaitsForTheValues() {
    var state = sending(1)
    #expect(name(state.completed(.failure(TestError()))) == "none")
    #expect(name(state.valueStored()) == "end  test error")
  }

  @Test func aCompletionWithoutValuesEndsAtOnce() {
    var state = sending(0)
    #expect(name(state.completed(.finished)) == "end  finished")
    #expect(name(state.completed(.finished)) == "none")
  }

  @Test func aValueThatIsNotStoredEndsAtOnce() {
    var state = sending(3)
    #expect(name(state.failed(TestError())) == "end 1 test error")
    #expect(name(state.failed(TestError("second"))) == "none")
    #expect(name(state.valueStored()) == "none")
    let isSent = state.received()
    #expect(!isSent)
  }

  @Test func aValueThatIsNotStoredEndsAfterTheCompletionToo() {
    var state = sending(2)
    _ = state.completed(.finished)
    #expect(name(state.failed(TestError())) == "end  test error")
    #expect(name(state.valueStored()) == "none")
  }

  @Test func cancellationEndsOnce() {
    var state = sending(1)
    #expect(name(state.cancelled()) == "cancel 1")
    #expect(name(state.cancelled()) == "none")
    #expect(name(state.valueStored()) == "none")
    #expect(name(state.completed(.finished)) == "none")
    let isSent = state.received()
    #expect(!isSent)
  }
}
