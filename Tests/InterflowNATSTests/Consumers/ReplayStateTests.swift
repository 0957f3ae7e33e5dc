import Dispatch
import Foundation
@testable import InterflowNATS
import Testing

@Suite struct ReplayStateTests {
  private let now = DispatchTime(uptimeNanoseconds: 1_000_000_000_000)

  private func state(from start: NATSConsumerSettings.Start = .all) -> ReplayState {
    ReplayState(from: start, pulls: PullState(window: 100))
  }

  /// A state with a consumer that begins behind a number.
  private func ready(from start: NATSConsumerSettings.Start = .all, behind last: UInt64 = 0) -> ReplayState {
    var state = state(from: start)
    #expect(state.begin() == true)
    #expect(state.created(behind: last) == false)
    return state
  }

  private func message(
    _ sequence: UInt64, _ delivery: UInt64, of generation: Int = 1, time: Int64 = 5
  ) -> ReplayState.Arrival {
    ReplayState.Arrival(generation: generation, sequence: sequence, delivery: delivery, time: time, size: 1)
  }

  private func request(_ state: inout ReplayState, _ demand: UInt) -> PullState.Pull? {
    state.request(demand: demand, buffered: 0, bufferedBytes: 0, at: now)
  }

  @Test func aConsumerIsCreatedOnce() {
    var state = state()
    #expect(state.position == .start(.all))
    #expect(state.begin() == true)
    #expect(state.begin() == false)
    #expect(request(&state, 5) == nil)
    #expect(state.created(behind: 0) == false)
    #expect(state.begin() == false)
    #expect(state.position == .sequence(1))
    #expect(request(&state, 5)?.count == 5)
  }

  @Test func theAnswerSaysWhereItBegins() {
    #expect(ready(from: .new, behind: 7).position == .sequence(8))
    #expect(ready(from: .last, behind: 7).position == .sequence(8))
    #expect(ready(from: .date(.distantPast), behind: 7).position == .sequence(8))
    #expect(ready(from: .sequence(5), behind: 7).position == .sequence(8))
    // Version 2.9 would begin at 8.
    #expect(ready(from: .sequence(20), behind: 7).position == .sequence(20))
    #expect(ready(behind: .max).position == .sequence(0))
  }

  @Test func messagesAreDeliveredInOrder() {
    var state = ready()
    #expect(request(&state, 10)?.count == 10)
    #expect(state.arrived(message(1, 1)) == .deliver)
    #expect(state.arrived(message(4, 2)) == .deliver)
    #expect(state.position == .sequence(5))
  }

  @Test func whatIsBeforeTheStartIsIgnoredAndRequestedAgain() {
    var state = ready(from: .sequence(20), behind: 7)
    #expect(request(&state, 2)?.count == 2)
    #expect(state.arrived(message(8, 1)) == .ignore)
    #expect(state.arrived(message(19, 2)) == .ignore)
    #expect(request(&state, 2)?.count == 2)
    #expect(state.arrived(message(20, 3)) == .deliver)
  }

  @Test func aGapGivesTheConsumerUp() {
    var state = ready()
    _ = request(&state, 10)
    #expect(state.arrived(message(1, 1)) == .deliver)
    #expect(state.arrived(message(3, 3)) == .gap)
    // What it sends afterwards is not delivered, also not by a name that comes again.
    #expect(state.arrived(message(4, 4)) == .ignore)
    #expect(state.generation == 2)
    #expect(state.begin() == true)
    #expect(state.position == .sequence(2))
    #expect(state.created(behind: 1) == false)
    #expect(state.arrived(message(2, 2, of: 1)) == .ignore)
    #expect(request(&state, 10)?.count == 10)
    #expect(state.arrived(message(2, 1, of: 2)) == .deliver)
  }

  @Test func aMessageThatComesTwiceIsAGap() {
    var state = ready()
    _ = request(&state, 10)
    #expect(state.arrived(message(1, 1)) == .deliver)
    #expect(state.arrived(message(1, 1)) == .gap)
  }

  @Test func whatIsGivenUpWhileItIsCreatedIsCreatedAgain() {
    var state = state(from: .new)
    #expect(state.begin() == true)
    state.giveUp()
    #expect(state.begin() == false)
    #expect(state.created(behind: 7) == true)
    // The server has said where "new" begins.
    #expect(state.position == .sequence(8))
    #expect(state.generation == 2)
    #expect(state.begin() == true)
  }

  /// The server may have created it, and what is sent from then on belongs to it.
  @Test(arguments: [NATSConsumerSettings.Start.new, .last])
  func withoutAnAnswerAConsumerOfTheMomentHasItsNameAgain(start: NATSConsumerSettings.Start) {
    var state = state(from: start)
    for _ in 0..<4 {
      #expect(state.begin() == true)
      state.giveUp()
      state.creationFailed()
    }
    #expect(state.generation == 1)
    #expect(state.begin() == true)
    state.creationFailed()
    // Its server does not come back.
    #expect(state.generation == 2)
    #expect(state.begin() == true)
    #expect(state.created(behind: 3) == false)
    state.giveUp()
    #expect(state.generation == 3)
  }

  @Test func withoutAnAnswerAnotherConsumerIsCreated() {
    var state = ready()
    state.giveUp()
    #expect(state.begin() == true)
    state.creationFailed()
    #expect(state.generation == 3)
    #expect(state.position == .sequence(1))
  }

  @Test func aStreamWhoseNumbersBeginAgainGoesOnByTime() {
    var state = ready()
    #expect(!state.hasSeenStream)
    _ = request(&state, 10)
    _ = state.arrived(message(9, 1, time: 77))
    #expect(state.hasSeenStream)
    state.giveUp()
    state.streamIs(at: 9)
    #expect(state.position == .sequence(10))
    state.streamIs(at: 8)
    #expect(state.position == .after(77))
    #expect(state.begin() == true)
    #expect(state.created(behind: 2) == false)
    #expect(state.position == .sequence(3))
  }

  @Test func aStreamThatHasAnotherMessageOfTheLastNumberGoesOnByTime() {
    var state = ready()
    #expect(state.lastArrival == nil)
    _ = request(&state, 10)
    _ = state.arrived(message(9, 1, time: 77))
    state.giveUp()
    state.streamIs(at: 12)
    #expect(state.lastArrival == 9)
    state.lastArrivalWasStored(at: 77)
    #expect(state.position == .sequence(10))
    state.lastArrivalWasStored(at: 78)
    #expect(state.position == .after(77))
    // It has been found out once.
    #expect(state.lastArrival == nil)
  }

  @Test func aStreamThatIsNewerThanTheLastMessageGoesOnByTime() {
    var state = ready(from: .new, behind: 8)
    // Without a message, there is nothing that it is newer than.
    state.streamWasCreated(at: .max)
    #expect(state.position == .sequence(9))
    _ = request(&state, 10)
    _ = state.arrived(message(9, 1, time: 77))
    state.giveUp()
    state.streamWasCreated(at: 77)
    #expect(state.position == .sequence(10))
    state.streamWasCreated(at: 78)
    #expect(state.position == .after(77))
  }

  @Test func aStreamThatIsAnotherOneBeforeAMessageIsReadFromItsBeginning() {
    for (start, position) in [
      (NATSConsumerSettings.Start.new, ReplayState.Position.start(.all)), (.last, .start(.all)), (.all, .start(.all)),
      // A number that the program names is waited for.
      (.sequence(20), .start(.sequence(20))), (.sequence(2), .start(.sequence(2))),
    ] {
      var state = ReplayState(from: start, pulls: PullState(window: 100))
      state.streamWasCreated(at: 50)
      #expect(state.begin() == true)
      #expect(state.created(behind: 9) == false)
      state.giveUp()
      state.streamWasCreated(at: 50)
      #expect(state.position == .sequence(start == .sequence(20) ? 20 : 10))
      // The clock of the server that has created it may be behind.
      state.streamWasCreated(at: 49)
      #expect(state.position == position)
      // It has been found out once.
      #expect(state.begin() == true)
      #expect(state.created(behind: 0) == false)
      let found = state.position
      state.giveUp()
      state.streamWasCreated(at: 49)
      #expect(state.position == found)
    }
  }

  @Test func aStreamThatIsAnotherOneBeforeAConsumerIsReadFromItsBeginning() {
    var state = ReplayState(from: .new, pulls: PullState(window: 100))
    state.streamWasCreated(at: 50)
    #expect(state.begin() == true)
    state.creationFailed()
    state.streamWasCreated(at: 60)
    #expect(state.position == .start(.all))
  }

  @Test func numbersThatBeginAgainBeforeAMessageLeadToAll() {
    for (start, position) in [
      (NATSConsumerSettings.Start.new, ReplayState.Position.start(.all)), (.last, .start(.all)), (.all, .start(.all)),
    ] {
      var state = ready(from: start, behind: 9)
      state.giveUp()
      state.streamIs(at: 0)
      #expect(state.position == position)
    }
    // A number that the program names is waited for.
    var state = ready(from: .sequence(20), behind: 9)
    state.giveUp()
    state.streamIs(at: 0)
    #expect(state.position == .sequence(20))
  }

  @Test func aLateServerIsAskedAndThenGivenUp() {
    var state = ready()
    let pull = request(&state, 10)
    func time(_ seconds: Double) -> DispatchTime { now + seconds }
    #expect(state.checkTime(at: now) == .none)
    for number in 1...4 { #expect(state.checkTime(at: time(10 * Double(number))) == .ask(pull?.id ?? 0)) }
    #expect(state.checkTime(at: time(50)) == .lost)
    #expect(state.checkTime(at: time(60)) == .none)
    #expect(state.generation == 2)
    #expect(!state.waits(for: pull?.id ?? 0))
  }

  /// Large messages on a slow network take longer than any answer should.
  @Test func aServerThatSendsIsNotGivenUp() {
    var state = ready()
    _ = request(&state, 100)
    for number in 1...50 {
      #expect(state.checkTime(at: now + 10 * Double(number)) == .ask(1))
      #expect(state.arrived(message(UInt64(number), UInt64(number))) == .deliver)
    }
  }

  @Test func aRequestThatTheServerDoesNotHaveIsLost() {
    var state = ready()
    let pull = request(&state, 10)
    #expect(state.checkTime(at: now + 10) == .ask(pull?.id ?? 0))
    state.reported(waiting: 0, upTo: pull?.id ?? 0, of: 2, at: now + 10)
    #expect(state.checkTime(at: now + 10.2) == .none)
    state.reported(waiting: 0, upTo: pull?.id ?? 0, of: 1, at: now + 10.3)
    #expect(state.checkTime(at: now + 11) == .lost)
  }

  @Test func timesAreTextsForServers() {
    #expect(ReplayConsumer.text(ofTime: 1_764_082_800_000_000_007) == "2025-11-25T15:00:00.000000007Z")
    #expect(ReplayConsumer.text(ofTime: 1_764_082_800_123_456_789) == "2025-11-25T15:00:00.123456789Z")
    #expect(ReplayConsumer.text(ofTime: NATSConsumerSettings.nanoseconds(of: .distantFuture)).hasPrefix("2255-"))
    #expect(ReplayConsumer.text(ofTime: NATSConsumerSettings.nanoseconds(of: .distantPast)).hasPrefix("1970-"))
  }

  /// A peer may say any time.
  @Test(arguments: [Int64.max, Int64.max - 1, 1]) func aConsumerBeginsBehindAnyTime(time: Int64) {
    let consumer = ReplayConsumer(prefix: "$JS.API", stream: "NUMBERS", filter: nil, inbox: "_INBOX.a")
    let request = String(decoding: consumer.creationRequest(1, from: .after(time)), as: UTF8.self)
    #expect(request.contains(ReplayConsumer.text(ofTime: max(time, time &+ 1))))
  }
}
