import Testing

@testable import AsyncOperators

@Suite struct BoundedChannelStateMachineTests {
  private var machine = BoundedChannelStateMachine(lowWatermark: 1, highWatermark: 3)

  /// What `sent()` says, as text, since the action has no equality.
  private mutating func send() -> String { "\(machine.sent())" }

  @Test mutating func producersWaitFromTheHighWatermarkToTheLowOne() {
    for _ in 0..<3 {
      let action = send()
      #expect(action == "append")
    }
    for _ in 0..<4 {
      let action = send()
      #expect(action == "wait")
    }
    #expect(machine.tookOne() == 0)
    #expect(machine.tookOne() == 2)
    #expect(machine.buffered == 3 && machine.waiting == 2 && machine.isFull)
    machine.gaveUp()
    #expect(machine.tookOne() == 0)
    #expect(machine.tookOne() == 1)
    #expect(machine.buffered == 2 && machine.waiting == 0 && !machine.isFull)
    let action = send()
    #expect(action == "append")
    #expect(machine.isFull)
  }

  @Test mutating func theEndComesAfterThoseThatWait() {
    for _ in 0..<4 { _ = machine.sent() }
    #expect(machine.finished() == true)
    #expect(machine.finished() == false)
    let action = send()
    #expect(action == "refuse(AsyncOperators.AsyncBoundedChannelError.finished)")
    #expect(machine.takeEnd() == .notYet)
    #expect(machine.tookOne() == 0)
    #expect(machine.tookOne() == 1)
    #expect(machine.tookOne() == 0)
    #expect(machine.tookOne() == 0)
    #expect(machine.takeEnd() == .first)
    #expect(machine.takeEnd() == .again)
    machine.abandoned()
    #expect(machine.phase == .ended)
  }

  @Test mutating func withoutAConsumerAllAreRefused() {
    for _ in 0..<4 { _ = machine.sent() }
    machine.abandoned()
    #expect(machine.isReady && machine.buffered == 0 && machine.waiting == 0)
    let action = send()
    #expect(action == "refuse(AsyncOperators.AsyncBoundedChannelError.noConsumer)")
    #expect(machine.finished() == false)
    #expect(machine.takeEnd() == .again)
  }
}
