import InterflowPrimitives
import InterflowTestSupport
import Testing

@Suite("PackedDemand")
struct PackedDemandTests {
  final class Holder: Sendable {
    let demand = PackedDemand(flags: PackedDemand.flag(3))

    func add(_ more: UInt, setting flags: UInt = 0, unless refusal: UInt = 0) -> UInt {
      demand.add(more, setting: flags, unless: refusal)
    }

    var word: UInt { demand.load() }
    var count: UInt { word & PackedDemand.mask }
  }

  @Test func demandAddsUpAndKeepsTheFlags() {
    let holder = Holder()
    #expect(holder.add(2) == PackedDemand.flag(3))
    #expect(holder.add(3, setting: PackedDemand.flag(0)) & PackedDemand.mask == 2)
    #expect(holder.count == 5)
    #expect(holder.word & ~PackedDemand.mask == PackedDemand.flag(3) | PackedDemand.flag(0))
  }

  @Test func noLimitStaysNoLimit() {
    let holder = Holder()
    _ = holder.add(UInt.max)
    #expect(holder.count == PackedDemand.unlimited)
    _ = holder.add(7)
    #expect(holder.count == PackedDemand.unlimited)
    #expect(PackedDemand.sum(PackedDemand.unlimited - 1, PackedDemand.unlimited - 1) == PackedDemand.unlimited)
  }

  @Test func aFlagRefusesMore() {
    let holder = Holder()
    #expect(holder.add(2, unless: PackedDemand.flag(3)) == PackedDemand.flag(3))
    #expect(holder.count == 0)
  }

  @Test func requestsOfSeveralThreadsAllCount() {
    let holder = Holder()
    inParallel(4) { thread in
      for _ in 0..<10_000 { _ = holder.add(1, setting: PackedDemand.flag(UInt(thread) + 4)) }
    }
    #expect(holder.count == 40_000)
    #expect((3...7).allSatisfy { holder.word & PackedDemand.flag($0) != 0 })
  }
}
