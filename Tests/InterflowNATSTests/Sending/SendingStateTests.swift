import Combine
import InterflowTestSupport
import Testing

@testable import InterflowNATS

@Suite struct SendingStateTests {
  private func name(_ action: SendingState<Int>.Action) -> String {
    switch action {
    case .none: "none"
    case .request(let upstream): "request \(upstream)"
    case .cancel(let upstream): "cancel \(upstream)"
    case .end(let upstream, .finished): "end \(upstream.map(String.init) ?? "") finished"
    case .end(let upstream, .failure(let error)): "end \(upstream.map(String.init) ?? "") \(error)"
    }
  }

  private func sending(_ count: Int) -> SendingState<Int> {
    var state = SendingState<Int>()
    _ = state.began(1)
    for _ in 0..<count { _ = state.received() }
    return state
  }

  @Test func aSecondSubscriptionIsNotWanted() {
    var state = SendingState<Int>()
    let first = state.began(1)
    #expect(first)
    let second = state.began(2)
    #expect(!second)
  }

  @Test func eachStoredValueRequestsAnother() {
    var state = sending(2)
    #expect(name(state.stored()) == "request 1")
    #expect(name(state.stored()) == "request 1")
  }

  @Test func theCompletionWaitsForTheValues() {
    var state = sending(2)
    #expect(name(state.completed(.finished)) == "none")
    #expect(name(state.stored()) == "none")
    #expect(name(state.stored()) == "end  finished")
  }

  @Test func theFailureWaitsForTheValues() {
    var state = sending(1)
    #expect(name(state.completed(.failure(TestError()))) == "none")
    #expect(name(state.stored()) == "end  test error")
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
    #expect(name(state.stored()) == "none")
    let isSent = state.received()
    #expect(!isSent)
  }

  @Test func aValueThatIsNotStoredEndsAfterTheCompletionToo() {
    var state = sending(2)
    _ = state.completed(.finished)
    #expect(name(state.failed(TestError())) == "end  test error")
    #expect(name(state.stored()) == "none")
  }

  @Test func cancellationEndsOnce() {
    var state = sending(1)
    #expect(name(state.cancelled()) == "cancel 1")
    #expect(name(state.cancelled()) == "none")
    #expect(name(state.stored()) == "none")
    #expect(name(state.completed(.finished)) == "none")
    let isSent = state.received()
    #expect(!isSent)
  }
}
