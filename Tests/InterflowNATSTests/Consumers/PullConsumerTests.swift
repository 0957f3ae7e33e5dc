import CNATS
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// What the server's answers mean.
@Suite struct PullConsumerTests {
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
        natsMsg_Create(&created, "\(consumer.inbox(0)).\(last)", nil, text, Int32(text.utf8.count)), while: "a test")
      let message = try #require(created)
      if let status { natsMsgHeader_Set(message, "Status", status) }
      natsMsgHeader_Set(message, "Description", description)
      return switch consumer.report(ReceivedMessage(message, subscription, returnsWhenReleased: false)) {
      case .ended(let id, let isFull): "ended \(id)\(isFull ? ", full" : "")"
      case .waiting(let count, let last): "\(count) waiting up to \(last)"
      case .refused(let id): "refused \(id)"
      case .confirmed(let id): "confirmed up to \(id)"
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
    #expect(try answers.report("7", status: "409", "Batch Completed") == "ended 7")
  }

  @Test func anAcknowledgementThatNoServerTookIsNotConfirmed() async throws {
    let answers = try await Answers()
    #expect(try answers.report("ack7") == "confirmed up to 7")
    #expect(try answers.report("ack") == "nothing")
    #expect(try answers.report("ack7", status: "503") == "nothing")
  }

  @Test func aDurableThatOthersRecreateMeanwhileIsTriedAgain() {
    func isTriedAgain(_ code: UInt32, _ kind: NATSError.Kind = .other) -> Bool {
      NATSError(kind: kind, operation: "a test", message: "why", jetStreamCode: code).isOfDurableRecreatedByOthers
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

  // MARK: Creation

  private func create(
    _ connection: NATSConnection, _ change: (inout NATSConsumerSettings) -> Void = { _ in }
  ) async throws -> NATSError? {
    var settings = NATSConsumerSettings()
    change(&settings)
    let consumer = try PullConsumer(connection, stream: "NUMBERS", durable: "reader", settings: settings)
    return try await connection.queue.run { .success(consumer.create()) }
  }

  @Test func aDurableThatAnotherClientCreatesAtTheSameMomentIsNotChanged() async throws {
    let creations = Shared<[String]>([])
    let server = try FakeServer { request in
      if request.subject.hasPrefix("$JS.API.CONSUMER.DURABLE.CREATE.") {
        creations.update { $0.append(String(decoding: request.bytes, as: UTF8.self)) }
        return [FakeServer.Answer(#"{"error":{"code":400,"err_code":10148,"description":"consumer already exists"}}"#)]
      }
      if creations.value.isEmpty {
        return [FakeServer.Answer(#"{"error":{"code":404,"err_code":10014,"description":"consumer not found"}}"#)]
      }
      return [
        FakeServer.Answer(
          """
          {"stream_name":"NUMBERS","name":"reader","config":{"durable_name":"reader","deliver_policy":"all",\
          "ack_policy":"explicit","ack_wait":1000000000,"max_deliver":-1,"max_ack_pending":1000,\
          "replay_policy":"instant"}}
          """)
      ]
    }
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let error = try await create(connection)
    #expect(error?.kind == .conflict)
    #expect(error?.message.contains("acknowledgementWait") == true)
    #expect(creations.value.count == 1)
    #expect(creations.value.first?.contains(#""action":"create""#) == true)
    #expect(try await create(connection) { $0.acknowledgementWait = .seconds(1) } == nil)
    await connection.close()
  }

  @Test(arguments: NATSServer.programs)
  func onlyCurrentServersRefuseToCreateOneThatExists(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    #expect(try await create(fixture.connection) == nil)
    struct Created: Decodable {}
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = .seconds(1)
    let request = settings.creation(of: "reader", inStream: "NUMBERS")
    let error = await natsError {
      _ = try await fixture.connection.jetStream(
        Created.self, "CONSUMER.DURABLE.CREATE.NUMBERS.reader", request, while: "a test")
    }
    #expect(error?.jetStreamCode == (program == nil ? nil : 10_148))
  }

  /// The second time, it is compared with what the library would have created.
  @Test(
    arguments: [
      { _ in }, { $0.start = .new }, { $0.start = .last }, { $0.start = .sequence(7) },
      { $0.start = .date(Date(timeIntervalSince1970: 1_764_082_800.25)) }, { $0.filter = "numbers.*" },
      { $0.maxDeliveries = 3 }, { $0.maxUnacknowledged = 5 }, { $0.acknowledgementWait = .milliseconds(1_500) },
      { $0.inactiveThreshold = .seconds(60) },
    ] as [@Sendable (inout NATSConsumerSettings) -> Void])
  func whatWasCreatedHasTheSettings(change: @Sendable (inout NATSConsumerSettings) -> Void) async throws {
    for program in NATSServer.programs {
      let fixture = try await Fixture(program: program)
      #expect(try await create(fixture.connection, change) == nil)
      var settings = NATSConsumerSettings()
      change(&settings)
      let (durable, context) = (settings, fixture.connection.context)
      let isSame = try await fixture.connection.queue.run { () -> Result<Bool, NATSError> in
        var information: UnsafeMutablePointer<jsConsumerInfo>?
        defer { jsConsumerInfo_Destroy(information) }
        let status = js_GetConsumerInfo(&information, context.pointer, "NUMBERS", "reader", nil, nil)
        guard status == NATS_OK, let configuration = information?.pointee.Config?.pointee else {
          return .failure(NATSError(status, while: "a test"))
        }
        return .success(
          durable.differences(from: configuration).isEmpty && durable.beginsAndSettles(as: configuration))
      }
      #expect(isSame)
    }
  }

  // MARK: The first request

  /// Servers that have not agreed on a durable yet may lose it.
  @Test func aFirstRequestThatIsLostIsSentAgainSoon() async throws {
    let sent = Shared<[String]>([])
    let server = try FakeServer { request in
      func has(_ text: String) -> Bool { request.subject.hasPrefix("$JS.API.CONSUMER.\(text)") }
      if has("DURABLE.CREATE") { return [FakeServer.Answer(#"{"stream_name":"NUMBERS","name":"reader"}"#)] }
      if has("MSG.NEXT") {
        let isFirst = sent.value.isEmpty
        sent.update { $0.append(String(decoding: request.bytes, as: UTF8.self)) }
        return isFirst ? [] : [FakeServer.Answer("1", reply: "$JS.ACK.NUMBERS.reader.1.1.1.1764082800000000000.0")]
      }
      if has("INFO"), request.reply?.contains(".info") == true {
        sent.update { $0.append("question") }
        return [FakeServer.Answer(#"{"num_waiting":0}"#)]
      }
      return [FakeServer.Answer(#"{"error":{"code":404,"err_code":10014,"description":"consumer not found"}}"#)]
    }
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let consumer = try PullConsumer(
      connection, stream: "NUMBERS", durable: "reader", settings: NATSConsumerSettings())
    let received = Signal()
    let subscription = PullSubscription(consumer, firing: received)
    subscription.start()
    subscription.request(.max(1))
    await received.wait()
    // It is not the long time for servers that have answered, after which it would be asked for.
    #expect(sent.value.first?.contains(#""expires":250000000,"#) == true, "\(sent.value)")
    #expect(sent.value.dropFirst().first == "question")
    subscription.cancel()
    await connection.close()
  }
}
