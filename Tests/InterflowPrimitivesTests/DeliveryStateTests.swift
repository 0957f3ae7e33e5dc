import InterflowPrimitives
import InterflowTestSupport
import Testing

@Suite("DeliveryState")
struct DeliveryStateTests {
  private typealias State = DeliveryState<Int, String>

  private func requested(_ demand: UInt, _ elements: [Int] = []) -> State {
    var state = State(.open)
    for element in elements { state.append(element) }
    state.requested(demand)
    return state
  }

  @Test func anElementIsAdmittedAtOnceOnlyWhereItIsRequestedAndNothingGoesBeforeIt() {
    var state = requested(2)
    let outcome1 = state.takeDemandForImmediateDelivery()
    #expect(outcome1)
    state.append(1)
    let outcome2 = state.takeDemandForImmediateDelivery()
    #expect(!outcome2)
    let outcome3 = state.takeNext()
    #expect(outcome3 == 1)
    let outcome4 = state.takeDemandForImmediateDelivery()
    #expect(!outcome4)
    state.requested(1)
    _ = state.ended(with: "end")
    let outcome5 = state.takeDemandForImmediateDelivery()
    #expect(!outcome5)
  }

  @Test func elementsAreTakenInTheirOrderAndNeverMoreThanRequested() {
    var state = requested(2, [1, 2, 3])
    let outcome6 = state.takeNext()
    let outcome7 = state.takeNext()
    let outcome8 = state.takeNext()
    #expect([outcome6, outcome7, outcome8] == [1, 2, nil])
    #expect(!state.isDeliverable)
    state.requested(PackedDemand.unlimited)
    state.append(4)
    let outcome9 = state.takeNext()
    let outcome10 = state.takeNext()
    let outcome11 = state.takeNext()
    #expect([outcome9, outcome10, outcome11] == [3, 4, nil])
    #expect(state.isUnlimited)
  }

  @Test func noMoreIsWithdrawnThanHasBeenRequested() {
    var state = requested(3)
    state.withdraw(2)
    #expect(state.demand == 1)
    state.withdraw(5)
    #expect(state.demand == 0)
    #expect(!state.hasDemand)
    #expect(state.phase == .open)
    state.append(1)
    let outcome1 = state.takeNext()
    #expect(outcome1 == nil)
    state.requested(1)
    let outcome2 = state.takeNext()
    #expect(outcome2 == 1)
  }

  @Test func unlimitedDemandIsNotWithdrawn() {
    var state = requested(PackedDemand.unlimited, [1])
    state.withdraw(5)
    state.withdraw(PackedDemand.unlimited)
    #expect(state.isUnlimited)
    let outcome = state.takeNext()
    #expect(outcome == 1)
  }

  @Test func demandIsWithdrawnAfterTheEndAsBefore() {
    var state = requested(3, [1, 2])
    let outcome1 = state.ended(with: "end")
    #expect(outcome1)
    state.withdraw(2)
    let outcome2 = state.takeNext()
    let outcome3 = state.takeNext()
    #expect([outcome2, outcome3] == [1, nil])
    let outcome4 = state.takeTerminal()
    #expect(outcome4 == nil)
    _ = state.cancelled()
    state.withdraw(9)
    #expect(state.isOver)
    #expect(state.demand == 0)
  }

  @Test func withdrawingLeavesThePhaseAlone() {
    for phase in [DeliveryDemand.Phase.awaitingSubscription, .open, .over] {
      var demand = DeliveryDemand(phase)
      demand.add(4)
      demand.withdraw(9)
      #expect(demand.isNone)
      #expect(demand.phase == phase)
      demand.add(2)
      demand.withdraw(1)
      #expect(demand.count == 1)
      demand.add(PackedDemand.unlimited)
      demand.withdraw(1)
      #expect(demand.isUnlimited)
      #expect(demand.phase == phase)
    }
  }

  @Test func theTerminalComesLastAndOnce() {
    var state = requested(1, [1])
    let outcome12 = state.ended(with: "end")
    #expect(outcome12)
    let outcome13 = state.ended(with: "other")
    #expect(!outcome13)
    state.append(2)
    let outcome14 = state.takeTerminal()
    #expect(outcome14 == nil)
    let outcome15 = state.takeNext()
    #expect(outcome15 == 1)
    #expect(state.isDeliverable)
    let outcome16 = state.takeTerminal()
    #expect(outcome16 == "end")
    let outcome17 = state.takeTerminal()
    #expect(outcome17 == nil)
    #expect(state.isOver)
  }

  @Test func aTerminalThatNeedsDemandWaitsForIt() {
    var state = requested(1, [1])
    _ = state.ended(with: "end", needsDemand: true)
    let outcome18 = state.takeNext()
    #expect(outcome18 == 1)
    #expect(!state.isDeliverable)
    let outcome19 = state.takeTerminal()
    #expect(outcome19 == nil)
    state.requested(1)
    #expect(state.isDeliverable)
    let outcome20 = state.takeTerminal()
    #expect(outcome20 == "end")
  }

  @Test func everythingWaitsForTheSubscription() {
    var state = State(.awaitingSubscription)
    state.requested(PackedDemand.unlimited)
    let outcome21 = state.takeDemandForImmediateDelivery()
    #expect(!outcome21)
    state.append(1)
    _ = state.ended(with: "end")
    #expect(!state.isDeliverable)
    let outcome22 = state.takeNext()
    let outcome23 = state.takeTerminal()
    #expect(outcome22 == nil && outcome23 == nil)
    state.phase = .open
    let outcome24 = state.takeNext()
    #expect(outcome24 == 1)
    let outcome25 = state.takeTerminal()
    #expect(outcome25 == "end")
  }

  @Test func cancellationHandsOutWhatIsNotDelivered() {
    var state = requested(1, [1, 2])
    _ = state.ended(with: "end")
    let (elements, terminal) = state.cancelled()
    #expect(elements.count == 2)
    #expect(terminal == "end")
    #expect(state.isOver && state.buffer.isEmpty)
    state.append(3)
    let outcome26 = state.takeNext()
    let outcome27 = state.takeTerminal()
    #expect(outcome26 == nil && outcome27 == nil)
  }

  @Test func theNewestElementsThatNobodyHasRequestedAreCounted() {
    var state = requested(2, [1, 2, 3, 4, 5])
    #expect(state.unrequestedCount == 3)
    let outcome28 = state.takeNewest(3)
    #expect(outcome28 == [5, 4, 3])
    #expect(state.unrequestedCount == 0)
    state.requested(PackedDemand.unlimited)
    state.append(6)
    #expect(state.unrequestedCount == 0)
  }

  @Test func anElementIsInsertedBeforeThoseThatItPrecedes() {
    for seed in 0..<50 {
      var random = Random(UInt64(seed))
      var buffer = DeliveryBuffer<(key: Int, number: Int), Never>()
      var demand = DeliveryDemand(.open)
      var model: [(key: Int, number: Int)] = []
      for number in 0..<40 {
        if Int.random(in: 0..<4, using: &random) == 0 { demand.add(1) }
        if let taken = buffer.takeNext(&demand) {
          #expect(taken == model.removeFirst())
          continue
        }
        let element = (key: Int.random(in: 0..<5, using: &random), number: number)
        buffer.insert(element, demand) { $0.key < $1.key }
        model.insert(element, at: model.firstIndex { $0.key > element.key } ?? model.count)
      }
      demand.add(PackedDemand.unlimited)
      for element in model {
        let taken = buffer.takeNext(&demand)
        #expect(taken?.number == element.number)
      }
    }
  }

  @Test func demandAddsUpAndSaturates() {
    var state = requested(3)
    state.requested(PackedDemand.unlimited - 1)
    #expect(state.isUnlimited)
    state.requested(1)
    #expect(state.demand == PackedDemand.unlimited)
    let outcome29 = state.takeDemandForImmediateDelivery()
    #expect(outcome29)
    #expect(state.isUnlimited)
  }
}
