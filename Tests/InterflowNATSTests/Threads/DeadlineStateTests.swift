@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct DeadlineStateTests {
  private func takeAll(_ state: inout DeadlineState<Int>, at now: UInt64) -> [Int] {
    var taken: [Int] = []
    while let action = state.takeDue(at: now) { taken.append(action) }
    return taken
  }

  @Test func areTakenInTheOrderOfTheirTimes() {
    var state = DeadlineState<Int>()
    for time in [30, 10, 20] { _ = state.add(time, at: UInt64(time)) }
    #expect(state.next() == 10)
    #expect(takeAll(&state, at: 9).isEmpty)
    #expect(takeAll(&state, at: 20) == [10, 20])
    #expect(takeAll(&state, at: .max) == [30])
    #expect(state.next() == nil)
    #expect(state.count == 0)
  }

  @Test func ofOneTimeAreTakenInTheOrderInWhichTheyWereAdded() {
    var state = DeadlineState<Int>()
    for number in 0..<100 { _ = state.add(number, at: 5) }
    #expect(takeAll(&state, at: 5) == Array(0..<100))
  }

  @Test func saysWhetherOneIsTheNext() {
    var state = DeadlineState<Int>()
    #expect(state.add(0, at: 10).isNext)
    #expect(!state.add(1, at: 10).isNext)
    #expect(!state.add(2, at: 11).isNext)
    #expect(state.add(3, at: 9).isNext)
  }

  @Test func whatIsRemovedIsNotTaken() {
    var state = DeadlineState<Int>()
    let first = state.add(1, at: 1)
    _ = state.add(2, at: 2)
    #expect(state.remove(first.number) == 1)
    #expect(state.remove(first.number) == nil)
    #expect(state.next() == 2)
    #expect(takeAll(&state, at: 3) == [2])
  }

  @Test func whatIsRemovedEarlyUsesNoPlaces() {
    var state = DeadlineState<Int>()
    for number in 0..<10_000 {
      let added = state.add(number, at: UInt64(1_000_000 - number))
      _ = state.remove(added.number)
    }
    #expect(state.count == 0)
    #expect(state.placeCount <= 65)
  }

  @Test(arguments: 0..<20)
  func agreesWithAListInOrder(seed: UInt64) {
    var random = Random(seed)
    var state = DeadlineState<UInt64>()
    var list: [(time: UInt64, number: UInt64)] = []
    var now: UInt64 = 0
    for _ in 0..<500 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1:
        let time = now + UInt64.random(in: 0..<50, using: &random)
        let (number, isNext) = state.add(0, at: time)
        list.append((time, number))
        list.sort { $0 < $1 }
        #expect(isNext == (list[0].number == number))
        // The action is its own number.
        _ = state.remove(number)
        list.removeAll { $0.number == number }
        let again = state.add(number + 1, at: time)
        list.append((time, again.number))
        list.sort { $0 < $1 }
      case 2:
        guard let removed = list.randomElement(using: &random) else { continue }
        #expect(state.remove(removed.number) == removed.number)
        list.removeAll { $0.number == removed.number }
      default:
        now += UInt64.random(in: 0..<20, using: &random)
        while let action = state.takeDue(at: now) {
          #expect(list.first?.number == action)
          if list.isEmpty { return }
          list.removeFirst()
        }
        #expect(list.allSatisfy { $0.time > now })
      }
      #expect(state.next() == list.first?.time)
      #expect(state.count == list.count)
    }
  }
}
