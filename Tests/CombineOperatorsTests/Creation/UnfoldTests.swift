import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct UnfoldTests {
  private let countdown = Publishers.Unfold(3) { number -> Int? in
    defer { number -= 1 }
    return number > 0 ? number : nil
  }

  @Test func valuesAreMadeFromTheState() {
    #expect(
      [countdown.recorded(), countdown.recorded()].map(\.log)
        == Array(repeating: ["3", "2", "1", "finished"], count: 2))
  }

  @Test func closureIsCalledOnRequest() {
    var calls = 0
    let endless = Publishers.Unfold(0) { number -> Int? in
      calls += 1
      number += 1
      return number
    }
    let recorder = endless.recorded(demand: .max(2))
    #expect(recorder.values == [1, 2])
    #expect(calls <= 3)
  }
}
