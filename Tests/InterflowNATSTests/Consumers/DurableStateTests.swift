@testable import InterflowNATS
import Testing

@Suite struct DurableStateTests {
  private typealias Creation = DurableState.Creation

  /// A durable that exists, whose messages can arrive.
  private func present() -> DurableState {
    var state = DurableState()
    _ = state.needed()
    _ = state.beginsCreation(isRetry: false, wasDeleted: false)
    state.receives = true
    _ = state.created()
    return state
  }

  // MARK: Creation

  @Test func isCreatedOnceAndMayRequestThen() {
    var state = DurableState()
    #expect(!state.mayRequest)
    #expect(state.needed() == true)
    #expect(
      state.beginsCreation(isRetry: false, wasDeleted: false)
        == Creation(isAgain: false, isNew: true, isDeleted: false))
    #expect(!state.mayRequest)
    #expect(state.created() == false)
    #expect(state.isPresent && state.mayRequest)
  }

  @Test func onlyOneThatWasThereWaitsForJetStream() {
    func error(_ kind: NATSError.Kind) -> NATSError { NATSError(kind: kind, operation: "a test", message: "") }
    let first = Creation(isAgain: false, isNew: true, isDeleted: false)
    let again = Creation(isAgain: true, isNew: true, isDeleted: false)
    for creation in [first, again] {
      #expect(creation.isRepeated(after: error(.timeout)))
      #expect(!creation.isRepeated(after: error(.notFound)))
    }
    #expect(!first.isRepeated(after: error(.jetStreamDisabled)))
    #expect(again.isRepeated(after: error(.jetStreamDisabled)))
  }

  @Test func whatIsNeededDuringTheCreationIsCreatedAgain() {
    var state = present()
    #expect(state.needed() == true)
    #expect(!state.isPresent)
    _ = state.beginsCreation(isRetry: false, wasDeleted: false)
    #expect(state.needed() == false)
    #expect(state.needed() == false)
    #expect(state.created() == true)
    #expect(!state.isPresent)
    #expect(
      state.beginsCreation(isRetry: false, wasDeleted: false) == Creation(isAgain: true, isNew: true, isDeleted: false))
    #expect(state.created() == false)
    #expect(state.isPresent)
  }

  @Test func anAttemptAfterAFailureIsForTheSameDurable() {
    var state = present()
    _ = state.needed()
    _ = state.beginsCreation(isRetry: false, wasDeleted: false)
    #expect(
      state.beginsCreation(isRetry: true, wasDeleted: true) == Creation(isAgain: true, isNew: false, isDeleted: true))
    #expect(state.created() == false)
  }

  @Test func anAttemptForADurableThatIsNeededAgainIsForAnotherOne() {
    var state = present()
    _ = state.needed()
    _ = state.beginsCreation(isRetry: false, wasDeleted: false)
    #expect(state.needed() == false)
    // What the attempt before has deleted is not what exists now.
    #expect(
      state.beginsCreation(isRetry: true, wasDeleted: true) == Creation(isAgain: true, isNew: true, isDeleted: false))
    #expect(state.created() == false)
  }

  @Test func theFirstOneIsNoneThatIsMadeAgain() {
    var state = DurableState()
    _ = state.needed()
    _ = state.beginsCreation(isRetry: false, wasDeleted: false)
    let first = state.beginsCreation(isRetry: true, wasDeleted: false)
    state.receives = true
    let second = state.beginsCreation(isRetry: true, wasDeleted: false)
    #expect([first.isAgain, second.isAgain] == [false, true])
    state.receives = false
    #expect(!state.receives)
  }

  // MARK: Interruptions and pauses

  @Test func nothingIsRequestedDuringAnInterruption() {
    var state = present()
    let changes = [false, false, true, true].map { isConnected in
      [state.connectionChanged(isConnected: isConnected), state.mayRequest]
    }
    #expect(changes == [[false, false], [false, false], [true, true], [false, true]])
  }

  @Test func onePauseAtATime() {
    var state = present()
    #expect(state.pause() == .milliseconds(250))
    #expect(!state.mayRequest)
    #expect(state.pause() == nil)
    state.resume()
    #expect(state.mayRequest)
    #expect(state.pause() != nil)
  }

  @Test func pausesGrowUntilAServerServes() {
    var state = present()
    func pauses(_ count: Int) -> [Duration?] {
      (0..<count).map { _ in
        defer { state.resume() }
        return state.pause()
      }
    }
    let growing: [Duration?] = [.milliseconds(250), .milliseconds(500), .seconds(1)]
    #expect(pauses(5) == growing + [.seconds(1), .seconds(1)])
    _ = state.served()
    #expect(pauses(3) == growing)
    state.delivered()
    #expect(pauses(100).last == .seconds(1))
  }

  // MARK: The inbox

  @Test func nothingIsRequestedUntilTheNextInboxIsOpen() {
    var state = present()
    #expect(state.inbox == 0)
    #expect(state.leaveInbox() == true)
    #expect(state.inbox == 1)
    #expect(!state.mayRequest)
    // It is about to be opened.
    #expect(state.leaveInbox() == false)
    #expect(state.opened(1) == false)
    #expect(!state.mayRequest)
    #expect(state.opened(2) == true)
    #expect(state.mayRequest)
    #expect(state.leaveInbox() == true)
  }

  // MARK: What the server says

  @Test func afterARefusalTheDurableIsComparedOnce() {
    var state = present()
    #expect(state.served() == false)
    state.refused()
    state.refused()
    #expect(state.served() == true)
    #expect(state.served() == false)
  }

  @Test func aDurableThatIsMissingForLongIsGone() {
    var state = present()
    let mayBeMadeAgain = (0..<4).map { _ in state.reportedMissing() }
    #expect(mayBeMadeAgain == [true, true, true, false])
    state.reportedPresent()
    #expect(state.reportedMissing() == true)
  }

  @Test func aDurableThatServesIsNotMissing() {
    var state = present()
    for _ in 0..<3 { _ = state.reportedMissing() }
    _ = state.served()
    for _ in 0..<3 { #expect(state.reportedMissing() == true) }
    _ = state.created()
    #expect(state.reportedMissing() == true)
  }
}
