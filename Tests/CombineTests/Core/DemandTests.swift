import Combine
import Foundation
import Testing

private typealias Demand = Subscribers.Demand

@Suite("Demand")
struct DemandTests {
  @Suite("Arithmetic")
  struct Arithmetic {
    @Test func countsAddUp() {
      #expect(Demand.max(2) + .max(3) == .max(5))
      #expect(Demand.max(2) + 3 == .max(5))
      #expect(Demand.none + .none == .none)
      var demand = Demand.max(1)
      demand += .max(2)
      demand += 3
      #expect(demand == .max(6))
    }

    @Test func unlimitedStaysUnlimited() {
      #expect(Demand.unlimited + .max(1) == .unlimited)
      #expect(Demand.max(1) + .unlimited == .unlimited)
      #expect(Demand.unlimited + .unlimited == .unlimited)
      #expect(Demand.unlimited - .max(1) == .unlimited)
      #expect(Demand.unlimited - .unlimited == .unlimited)
      #expect(Demand.unlimited - 5 == .unlimited)
      #expect(Demand.unlimited + 5 == .unlimited)
      #expect(Demand.unlimited * 3 == .unlimited)
      var demand = Demand.unlimited
      demand += .unlimited
      demand -= .max(.max)
      demand *= 2
      demand += -1
      demand -= -1
      #expect(demand == .unlimited)
    }

    @Test func sumsTooLargeToCountAreUnlimited() {
      #expect(Demand.max(.max) + .max(1) == .unlimited)
      #expect(Demand.max(.max) + .max(.max) == .unlimited)
      #expect(Demand.max(.max) + 1 == .unlimited)
      #expect(Demand.max(.max) * 2 == .unlimited)
      #expect(Demand.max(.max) + .none == .max(.max))
      #expect(Demand.max(.max) * 1 == .max(.max))
      #expect(Demand.max(.max / 2) * 2 == .max(.max - 1))
    }

    @Test func differencesStopAtNone() {
      #expect(Demand.max(5) - .max(3) == .max(2))
      #expect(Demand.max(3) - .max(5) == .none)
      #expect(Demand.max(5) - .unlimited == .none)
      #expect(Demand.max(5) - 3 == .max(2))
      #expect(Demand.max(3) - 5 == .none)
      #expect(Demand.max(3) + -5 == .none)
      #expect(Demand.max(3) - -5 == .max(8))
      #expect(Demand.max(3) - .min == .unlimited)
      #expect(Demand.max(3) + .min == .none)
      var demand = Demand.max(4)
      demand -= .max(1)
      demand -= 1
      #expect(demand == .max(2))
    }

    @Test func productsCount() {
      #expect(Demand.max(3) * 4 == .max(12))
      #expect(Demand.max(3) * 0 == .none)
      #expect(Demand.none * 7 == .none)
      var demand = Demand.max(3)
      demand *= 2
      #expect(demand == .max(6))
    }
  }

  @Suite("Comparison")
  struct Comparison {
    @Test func ordersDemands() {
      #expect(Demand.none < .max(1))
      #expect(Demand.max(1) < .max(2))
      #expect(Demand.max(.max) < .unlimited)
      #expect(!(Demand.unlimited < .unlimited))
      #expect(Demand.unlimited <= .unlimited)
      #expect(Demand.unlimited >= .unlimited)
      #expect(!(Demand.unlimited > .unlimited))
      #expect(Demand.unlimited > .max(.max))
      #expect(Demand.max(2) >= .max(2))
      #expect(Demand.max(2) <= .max(2))
      #expect([Demand.unlimited, .max(2), .none, .max(1)].sorted() == [.none, .max(1), .max(2), .unlimited])
    }

    @Test func comparesWithNumbersOnTheRight() {
      #expect(Demand.max(2) == 2)
      #expect(Demand.max(2) != 3)
      #expect(Demand.unlimited != .max)
      #expect(!(Demand.unlimited == Int.max))
      #expect(Demand.max(2) < 3)
      #expect(!(Demand.max(2) < 2))
      #expect(Demand.max(2) <= 2)
      #expect(Demand.max(2) > 1)
      #expect(Demand.max(2) >= 2)
      #expect(!(Demand.max(2) >= 3))
      #expect(Demand.unlimited > Int.max)
      #expect(Demand.unlimited >= Int.max)
      #expect(!(Demand.unlimited < Int.max))
      #expect(!(Demand.unlimited <= Int.max))
      #expect(Demand.none > -1)
    }

    @Test func comparesWithNumbersOnTheLeft() {
      #expect(2 == Demand.max(2))
      #expect(3 != Demand.max(2))
      #expect(Int.max != Demand.unlimited)
      #expect(1 < Demand.max(2))
      #expect(!(2 < Demand.max(2)))
      #expect(2 <= Demand.max(2))
      #expect(3 > Demand.max(2))
      #expect(2 >= Demand.max(2))
      #expect(!(1 >= Demand.max(2)))
      #expect(Int.max < Demand.unlimited)
      #expect(Int.max <= Demand.unlimited)
      #expect(!(Int.max > Demand.unlimited))
      #expect(!(Int.max >= Demand.unlimited))
    }

    @Test func equalDemandsHashAlike() {
      #expect(Demand.max(0) == .none)
      #expect(Set([Demand.none, .max(0), .unlimited, .unlimited, .max(1)]).count == 3)
    }
  }

  @Test func maxIsTheCountAndNilWithoutLimit() {
    #expect(Demand.none.max == 0)
    #expect(Demand.max(7).max == 7)
    #expect(Demand.max(.max).max == .max)
    #expect(Demand.unlimited.max == nil)
  }

  @Test func describesItself() {
    #expect(Demand.none.description == "max(0)")
    #expect("\(Demand.max(42))" == "max(42)")
    #expect("\(Demand.unlimited)" == "unlimited")
  }

  @Test func codesAsASingleNumber() throws {
    for demand in [Demand.none, .max(1), .max(.max), .unlimited] {
      let data = try JSONEncoder().encode([demand])
      #expect(try JSONDecoder().decode([Demand].self, from: data) == [demand])
    }
    #expect(String(decoding: try JSONEncoder().encode([Demand.max(37)]), as: UTF8.self) == "[37]")
    let unlimited = try JSONEncoder().encode([Demand.unlimited])
    #expect(String(decoding: unlimited, as: UTF8.self) == "[9223372036854775808]")
    let tooLarge = Data("[18446744073709551615]".utf8)
    #expect(try JSONDecoder().decode([Demand].self, from: tooLarge) == [.unlimited])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Demand].self, from: Data("[-1]".utf8)) }
  }

  @Suite("Misuse")
  struct Misuse {
    @Test func aNegativeCountTraps() async {
      await #expect(processExitsWith: .failure) {
        _ = Subscribers.Demand.max(-1)
      }
    }

    @Test func aNegativeFactorTraps() async {
      await #expect(processExitsWith: .failure) {
        _ = Subscribers.Demand.max(1) * -1
      }
      await #expect(processExitsWith: .failure) {
        _ = Subscribers.Demand.max(.max) * .min
      }
    }

    @Test func nothingAndNoLimitStaySoByAnyFactor() {
      for factor in [-1, .min, 0, 3] {
        #expect(Subscribers.Demand.unlimited * factor == .unlimited)
        #expect(Subscribers.Demand.none * factor == .none)
      }
    }
  }
}
