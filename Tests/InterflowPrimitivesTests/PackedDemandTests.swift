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

    func spend() { demand.spend() }
    func takeAll() -> UInt { demand.takeAll() }
    func update(_ change: (UInt) -> UInt?) -> UInt? { demand.update(change) }

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

  @Test func aValueTakesOneWhereThereIsALimit() {
    let holder = Holder()
    holder.spend()
    #expect(holder.count == 0)
    _ = holder.add(2)
    holder.spend()
    #expect(holder.count == 1)
    _ = holder.add(PackedDemand.unlimited)
    holder.spend()
    #expect(holder.count == PackedDemand.unlimited)
    #expect(holder.word & PackedDemand.flag(3) != 0)
  }

  @Test func whatIsLeftAfterAValueIncludesWhatItRequests() {
    #expect(PackedDemand.afterValue(3, requesting: 2) == 4)
    #expect(PackedDemand.afterValue(3, requesting: 0) == 2)
    #expect(PackedDemand.afterValue(1, requesting: PackedDemand.unlimited) == PackedDemand.unlimited)
    #expect(PackedDemand.afterValue(PackedDemand.unlimited, requesting: 1) == PackedDemand.unlimited)
  }

  @Test func allOfTheDemandIsTakenAndTheFlagsStay() {
    let holder = Holder()
    _ = holder.add(5)
    #expect(holder.takeAll() == 5)
    #expect(holder.takeAll() == 0)
    #expect(holder.word == PackedDemand.flag(3))
  }

  @Test func aChangeMayBeRefused() {
    let holder = Holder()
    #expect(holder.update { _ in nil } == nil)
    #expect(holder.word == PackedDemand.flag(3))
    #expect(holder.update { $0 | PackedDemand.flag(1) } == PackedDemand.flag(3))
    #expect(holder.word == PackedDemand.flag(3) | PackedDemand.flag(1))
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
