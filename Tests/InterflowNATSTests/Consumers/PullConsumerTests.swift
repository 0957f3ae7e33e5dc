import CNATS
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// What the server's answers mean.
@Suite(.timeLimit(.minutes(60))) struct PullConsumerTests {
  private struct Answers {
    let fixture: Fixture
    let consumer: PullConsumer
    private let subscription: PullSubscription

    init() async throws {
      fixture = try await Fixture()
      consumer = try PullConsumer(
        fixture.connection, stream: "NUMBERS", durable: "reader", settings: NATSConsumerSettings())
      subscription = PullSubscription(
        consumer, PullSubscription.Receiver(receive: { _ in .none }, complete: { _ in }), .byHand)
    }

    /// What the consumer makes of an answer.
    func report(_ last: String, status: String? = nil, _ description: String = "", _ text: String = "") throws -> String
    {
      var created: OpaquePointer?
      try NATSError.check(
        natsMsg_Create(&created, "\(consumer.inbox).\(last)", nil, text, Int32(text.utf8.count)), while: "a test")
      let message = try #require(created)
      if let status { natsMsgHeader_Set(message, "Status", status) }
      natsMsgHeader_Set(message, "Description", description)
      return switch consumer.report(ReceivedMessage(message, subscription, returnsWhenReleased: false)) {
      case .ended(let id, let isFull): "ended \(id)\(isFull ? ", full" : "")"
      case .waiting(let count, let last): "\(count) waiting up to \(last)"
      case .refused(let id): "refused \(id)"
      case .confirmed: "confirmed"
      case .failed(let error, _): "failed: \(error.kind)"
      case .nothing: "nothing"
      }
    }
  }

  @Test func answersToRequests() async throws {
    let answers = try await Answers()
    #expect(try answers.report("7", status: "100", "FlowControl Request") == "nothing")
    #expect(try answers.report("7", status: "404", "No Messages") == "ended 7")
    #expect(try answers.report("7", status: "408", "Request Timeout") == "ended 7")
    #expect(try answers.report("7", status: "503") == "refused 7")
    #expect(try answers.report("7", status: "409", "Leadership Change") == "refused 7")
    #expect(try answers.report("7", status: "409", "Consumer Deleted") == "failed: notFound")
    #expect(try answers.report("7", status: "409", "Exceeded MaxRequestBatch of 2") == "failed: misuse")
    #expect(try answers.report("7", status: "400", "Bad Request") == "failed: misuse")
    #expect(try answers.report("x", status: "404") == "nothing")
    #expect(try answers.report("7", status: "409", "Message Size Exceeds MaxBytes") == "ended 7, full")
  }

  @Test func anAcknowledgementThatNoServerTookIsNotConfirmed() async throws {
    let answers = try await Answers()
    #expect(try answers.report("ack") == "confirmed")
    #expect(try answers.report("ack", status: "503") == "nothing")
  }

  @Test func aDurableThatOthersMakeAnewMeanwhileIsTriedAgain() {
    func isTriedAgain(_ code: UInt32, _ kind: NATSError.Kind = .other) -> Bool {
      NATSError(kind: kind, operation: "a test", message: "why", jetStreamCode: code).isOfDurableMadeAnewByOthers
    }
    // Its folder was deleted before it was written.
    #expect(isTriedAgain(10_012))
    #expect(isTriedAgain(10_014, .notFound))
    #expect(!isTriedAgain(10_012, .conflict))
    // There is no stream.
    #expect(!isTriedAgain(10_059, .notFound))
    #expect(!isTriedAgain(0))
  }

  @Test func informationSaysWhetherTheDurableExists() async throws {
    let answers = try await Answers()
    func report(_ code: Int) throws -> String {
      try answers.report("info", status: nil, "", #"{"error":{"code":404,"err_code":\#(code),"description":"why"}}"#)
    }
    #expect(try report(10_014) == "failed: notFound")
    #expect(try report(10_059) == "failed: notFound")
    #expect(try report(10_008) == "nothing")
    #expect(try answers.report("info", status: nil, "", #"{"stream_name":"NUMBERS","name":"reader"}"#) == "nothing")
    #expect(try answers.report("info", status: nil, "", "?") == "nothing")
    #expect(try answers.report("info12", status: nil, "", #"{"num_waiting":3}"#) == "3 waiting up to 12")
    #expect(try answers.report("info12", status: nil, "", #"{"num_waiting":1e99}"#) == "nothing")
    #expect(try answers.report("info", status: "503") == "nothing")
  }
}
