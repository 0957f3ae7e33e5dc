import Testing

@testable import AsyncOperators

@Suite struct BufferStateMachineTests {
  @Test func aBoundedBufferHasRoomForWhatIsDelivered() {
    var machine = BufferStateMachine(.wait, limit: 2)
    #expect(machine.hasRoom && !machine.isReady)
    #expect(machine.received() == .append)
    #expect(machine.hasRoom && machine.isReady)
    #expect(machine.received() == .append)
    #expect(!machine.hasRoom)
    machine.tookAll()
    #expect(!machine.hasRoom && !machine.isReady)
    machine.delivered(1)
    #expect(machine.hasRoom)
    #expect(machine.received() == .append)
    #expect(!machine.hasRoom)
    machine.tookAll()
    #expect(machine.hasRoom)
  }

  @Test func theLatestReplaceTheOldest() {
    var machine = BufferStateMachine(.dropOldest, limit: 1)
    #expect(machine.received() == .append)
    #expect(machine.received() == .replaceOldest)
    #expect(machine.hasRoom && machine.buffered == 1)
    machine.tookOne()
    #expect(machine.received() == .append)
  }

  @Test func theNewestAreDropped() {
    var machine = BufferStateMachine(.dropNewest, limit: 1)
    #expect(machine.received() == .append)
    #expect(machine.received() == .drop)
    #expect(machine.hasRoom && machine.buffered == 1)
  }

  @Test func theEndKeepsWhatIsBuffered() {
    var machine = BufferStateMachine(.wait, limit: 2)
    _ = machine.received()
    #expect(machine.finished() == true)
    #expect(machine.finished() == false)
    #expect(machine.received() == .stop)
    #expect(machine.isReady && machine.buffered == 1)
    machine.ended()
    #expect(machine.isReady && machine.buffered == 0)
    #expect(machine.finished() == false)
  }

  @Test func largeBuffersAreReportedInParts() {
    #expect(BufferStateMachine(.wait, limit: 1).reportInterval == 1)
    #expect(BufferStateMachine(.wait, limit: 15).reportInterval == 1)
    #expect(BufferStateMachine(.wait, limit: 64).reportInterval == 8)
  }
}
