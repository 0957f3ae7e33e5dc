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

  @Test(arguments: [1, 2, 3], [true, false])
  func closureMayCancel(at last: Int, returnsValue: Bool) {
    let recorder = RecordingSubscriber<Int, Never>()
    let numbers = Publishers.Unfold(0) { number -> Int? in
      number += 1
      if number > last { recorder.cancel() }
      return number > last && !returnsValue ? nil : number
    }
    numbers.subscribe(recorder)
    #expect(recorder.log == (1..<last).map(String.init))
  }
}
