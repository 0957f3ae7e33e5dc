import Testing

@testable import AsyncOperators

@Suite struct FanOutStateMachineTests {
  // MARK: One consumer's buffer

  @Test func withoutALimitAllIsAppended() {
    var inbox = FanOutInboxStateMachine(.wait, limit: .max)
    for _ in 0..<10 { #expect(inbox.received() == .append) }
    #expect(inbox.deliversBatches && inbox.fullnessChange() == 0 && inbox.droppedCount == 0)
    inbox.tookAll()
    #expect(inbox.buffered == 0)
  }

  @Test func theLatestReplaceTheOldest() {
    var inbox = FanOutInboxStateMachine(.dropOldest, limit: 1)
    #expect(inbox.received() == .append)
    #expect(inbox.received() == .replaceOldest)
    #expect(inbox.droppedCount == 1 && inbox.buffered == 1 && !inbox.deliversBatches)
    inbox.tookOne()
    #expect(inbox.received() == .append)
  }

  @Test func theNewestAreDropped() {
    var inbox = FanOutInboxStateMachine(.dropNewest, limit: 1)
    #expect(inbox.received() == .append)
    #expect(inbox.received() == .drop)
    #expect(inbox.droppedCount == 1 && inbox.buffered == 1)
  }

  @Test(arguments: [true, false]) func withoutABufferOnlyAConsumerThatWaitsGetsAnElement(keepsLatest: Bool) {
    var inbox = FanOutInboxStateMachine(keepsLatest ? .dropOldest : .dropNewest, limit: 0)
    #expect(inbox.received() == .drop)
    #expect(inbox.waited() == true)
    #expect(inbox.received() == .append)
    inbox.resumed()
    #expect(inbox.received() == .drop)
    #expect(inbox.buffered == 1 && inbox.droppedCount == 2)
  }

  @Test func fullnessIsReportedOnce() {
    var inbox = FanOutInboxStateMachine(.wait, limit: 1)
    #expect(inbox.fullnessChange() == 0)
    _ = inbox.received()
    #expect(inbox.fullnessChange() == 1)
    #expect(inbox.fullnessChange() == 0)
    inbox.tookOne()
    #expect(inbox.fullnessChange() == -1)
  }

  @Test func aLimitOfZeroHasRoomWhileTheConsumerWaits() {
    var inbox = FanOutInboxStateMachine(.wait, limit: 0)
    #expect(inbox.fullnessChange() == 1)
    #expect(inbox.waited() == true)
    #expect(inbox.fullnessChange() == -1)
    #expect(inbox.received() == .append)
    inbox.resumed()
    #expect(inbox.fullnessChange() == 1)
  }

  @Test func theEndComesAfterTheElementsAndOnce() {
    var inbox = FanOutInboxStateMachine(.wait, limit: .max)
    _ = inbox.received()
    #expect(inbox.takeEnd() == .notYet)
    inbox.finished()
    #expect(inbox.takeEnd() == .notYet)
    #expect(inbox.waited() == false)
    inbox.tookOne()
    #expect(inbox.takeEnd() == .first)
    #expect(inbox.takeEnd() == .again)
    #expect(inbox.left() == false)
  }

  @Test func whoLeavesIsAtTheEnd() {
    var inbox = FanOutInboxStateMachine(.wait, limit: .max)
    _ = inbox.received()
    #expect(inbox.left() == true)
    #expect(inbox.left() == false)
    #expect(inbox.takeEnd() == .again)
    #expect(inbox.buffered == 0)
    #expect(inbox.waited() == false)
    inbox.finished()
    #expect(inbox.takeEnd() == .again)
  }

  // MARK: All consumers

  @Test func theHistoryKeepsTheNewest() {
    var machine = FanOutStateMachine(historyLimit: 2, replaysAfterEnd: true)
    #expect(!machine.replays)
    #expect(machine.sent() == .append)
    #expect(machine.sent() == .append)
    #expect(machine.sent() == .replaceOldest)
    #expect(machine.replays)
    #expect(machine.finished() == true)
    #expect(machine.replays)
    var none = FanOutStateMachine(historyLimit: 0, replaysAfterEnd: true)
    #expect(none.sent() == .ignore)
    #expect(!none.replays)
    var current = FanOutStateMachine(historyLimit: 1, replaysAfterEnd: false, historyCount: 1)
    #expect(current.sent() == .replaceOldest)
    #expect(current.replays)
    #expect(current.finished() == true)
    #expect(current.finished() == false)
    #expect(!current.replays)
  }

  @Test func theBaseIsPulledOnRequestWhileAllHaveRoom() {
    var machine = FanOutStateMachine(historyLimit: 0, replaysAfterEnd: true)
    machine.joined()
    machine.joined()
    #expect(!machine.mayProduce)
    machine.requested()
    #expect(machine.mayProduce)
    machine.fullCount = 1
    #expect(!machine.mayProduce)
    #expect(machine.left(wasFull: true) == false)
    #expect(machine.mayProduce)
    #expect(machine.left(wasFull: false) == false)
    #expect(!machine.mayProduce)
    machine.joined()
    #expect(!machine.mayProduce)
  }

  @Test func itStopsWithTheOwnerAndTheLastConsumer() {
    var machine = FanOutStateMachine(historyLimit: 0, replaysAfterEnd: true)
    machine.joined()
    #expect(machine.released() == false)
    #expect(machine.left(wasFull: false) == true)
    #expect(machine.phase == .ended)
    machine = FanOutStateMachine(historyLimit: 0, replaysAfterEnd: true)
    machine.joined()
    #expect(machine.left(wasFull: false) == false)
    #expect(machine.released() == true)
    #expect(machine.finished() == false)
  }
}
