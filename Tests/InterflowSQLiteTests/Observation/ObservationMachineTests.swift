import Testing

@testable import InterflowSQLite

@Suite struct ObservationMachineTests {
  private let read: Region
  private let other: Region

  init() {
    var read = Region()
    read.insert(table: "a")
    var other = Region()
    other.insert(table: "b")
    (self.read, self.other) = (read, other)
  }

  /// A machine whose first result has been delivered.
  private func delivered(demand: UInt) -> ObservationMachine {
    var machine = ObservationMachine()
    expect(machine.requested(demand) == .nothing)
    expect(machine.opened() == .fetch)
    expect(machine.fetched(read))
    expect(machine.beginsDelivery())
    expect(machine.delivered(requesting: 0) == .nothing)
    return machine
  }

  @Test func nothingIsFetchedWithoutDemand() {
    var machine = ObservationMachine()
    expect(machine.opened() == .nothing)
    expect(machine.committed(.everything) == .nothing)
    expect(machine.requested(1) == .fetch)
    expect(machine.requested(1) == .nothing)
  }

  @Test func aChangeWithoutDemandIsRemembered() {
    var machine = delivered(demand: 1)
    expect(machine.demand == 0)
    expect(machine.committed(other) == .nothing)
    expect(!machine.isOutdated)
    expect(machine.committed(read) == .nothing)
    expect(machine.committed(other) == .nothing)
    expect(machine.requested(1) == .fetch)
  }

  @Test func aChangeOfWhatIsReadFetches() {
    var machine = delivered(demand: 5)
    expect(machine.committed(other) == .nothing)
    expect(machine.committed(read) == .fetch)
  }

  @Test func aChangeWhileTheQueryRunsFetchesOnceMore() {
    for written in [read, .everything] {
      var machine = ObservationMachine()
      _ = machine.opened()
      expect(machine.requested(5) == .fetch)
      // What it reads is not known yet.
      expect(machine.committed(other) == .nothing)
      expect(machine.committed(written) == .nothing)
      expect(machine.fetched(read))
      expect(machine.beginsDelivery())
      expect(machine.delivered(requesting: 0) == .fetch)
      expect(machine.committed(other) == .nothing)
      expect(machine.fetched(read))
      expect(machine.beginsDelivery())
      expect(machine.delivered(requesting: 0) == .nothing)
    }
  }

  @Test func aChangeWhileTheSubscriberIsCalledFetchesAfterwards() {
    var machine = delivered(demand: 2)
    expect(machine.committed(read) == .fetch)
    expect(machine.fetched(read))
    expect(machine.beginsDelivery())
    expect(machine.committed(read) == .nothing)
    expect(machine.committed(read) == .nothing)
    expect(machine.requested(1) == .nothing)
    expect(machine.delivered(requesting: 0) == .fetch)
    expect(machine.demand == 1)
  }

  @Test func anEqualResultKeepsTheDemand() {
    var machine = delivered(demand: 2)
    expect(machine.committed(read) == .fetch)
    expect(machine.fetched(read))
    expect(machine.skipped() == .nothing)
    expect(machine.demand == 1)
    expect(machine.committed(read) == .fetch)
    expect(machine.committed(read) == .nothing)
    expect(machine.fetched(read))
    expect(machine.skipped() == .fetch)
  }

  @Test func nothingFollowsTheEnd() {
    var machine = delivered(demand: 2)
    expect(machine.committed(read) == .fetch)
    expect(machine.ended())
    expect(!machine.ended())
    expect(!machine.fetched(read))
    expect(!machine.beginsDelivery())
    expect(machine.committed(read) == .nothing)
    expect(machine.requested(1) == .nothing)
    expect(machine.abandoned() == .nothing)
  }

  @Test func aReleasedSubscriptionEndsWhenItsDemandIsServed() {
    var machine = delivered(demand: 2)
    expect(machine.abandoned() == .nothing)
    expect(machine.committed(read) == .fetch)
    expect(machine.fetched(read))
    expect(machine.beginsDelivery())
    expect(machine.delivered(requesting: 0) == .end)
    expect(machine.phase == .over)
  }

  @Test func unlimitedDemandStays() {
    var machine = delivered(demand: .max)
    expect(machine.committed(read) == .fetch)
    expect(machine.fetched(read))
    expect(machine.beginsDelivery())
    expect(machine.delivered(requesting: 3) == .nothing)
    expect(machine.committed(read) == .fetch)
  }
}

/// The macro cannot call a mutating function.
private func expect(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(condition, sourceLocation: sourceLocation)
}
