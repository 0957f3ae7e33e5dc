import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

@testable import InterflowNATS

@Suite struct RequestReplyTests {
  private struct Refused: Error, CustomStringConvertible { let description: String }

  /// A subject on two connections to a server: of those who ask, and of those who answer.
  private struct Parties {
    let server: NATSServer
    let asking: NATSSubject<Int>
    let answering: NATSSubject<Int>

    /// - Parameter configuration: Lines of a configuration file.
    init(
      program: String? = nil, subject: String = "numbers", queue: String? = nil, capacity: Int = 100,
      undecodable: NATSUndecodable = .fail,
      configuration: String = "", requestTimeout: Duration = .seconds(3_600)
    ) async throws {
      server = try NATSServer(program: program, configuration: configuration)
      var options = NATSOptions.patient
      // What does not end before is a defect.
      options.requestTimeout = requestTimeout
      asking = try NATSSubject(try await NATSConnection(urls: [server.url], options: options), subject)
      answering = try NATSSubject(
        try await NATSConnection(urls: [server.url], options: .patient), subject, queue: queue, capacity: capacity,
        undecodable: undecodable)
    }
  }

  /// Subscribes without demand, and returns when requests arrive.
  private func subscribed(
    _ parties: Parties, demand: Subscribers.Demand = .none
  ) async throws -> RecordingSubscriber<NATSRequest<Int>, NATSError> {
    let recorder = RecordingSubscriber<NATSRequest<Int>, NATSError>(initialDemand: demand)
    parties.answering.requests.subscribe(recorder)
    try await parties.answering.flush()
    return recorder
  }

  // MARK: Answers

  @Test(arguments: NATSServer.programs)
  func theAnswerComesWithItsHeaders(program: String?) async throws {
    let parties = try await Parties(program: program)
    let cancellable = parties.answering.requests.sink(
      receiveCompletion: { _ in },
      receiveValue: { request in
        let headers: NATSHeaders = ["A": request.headers["A"] ?? "", "A": "second", "Subject": request.subject]
        try? request.respond("\(request.value)", headers: headers)
      })
    try await parties.answering.flush()
    let answer = try await parties.asking.requestMessage(7, answer: NATSCoding<String>.json, headers: ["A": "first"])
    #expect(answer.value == "7")
    #expect(answer.headers == ["A": "first", "A": "second", "Subject": "numbers"])
    let text: String = try await parties.asking.request(8, headers: ["A": "b"])
    #expect(text == "8")
    cancellable.cancel()
  }

  @Test func manyRequestsHaveTheirOwnAnswers() async throws {
    let parties = try await Parties(capacity: 1_000)
    let cancellable = parties.answering.reply(concurrency: 8) { $0.value * 2 }
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    try await parties.answering.flush()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<500 {
        group.addTask { [asking = parties.asking] in
          try await asking.request(number, for: Int.self) == number * 2
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(parties.answering.dropped == 0)
    cancellable.cancel()
  }

  @Test func aQueueGroupAnswersEachRequestOnce() async throws {
    let parties = try await Parties(queue: "answering")
    let answers = Shared(0)
    func answering() -> AnyCancellable {
      parties.answering.reply {
        answers.update { $0 += 1 }
        return $0.value
      }
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    }
    let cancellables = [answering(), answering(), answering()]
    try await parties.answering.flush()
    for number in 0..<30 { #expect(try await parties.asking.request(number, for: Int.self) == number) }
    #expect(answers.value == 30)
    for cancellable in cancellables { cancellable.cancel() }
  }

  @Test func onlyTheFirstAnswerIsSent() async throws {
    let parties = try await Parties()
    let recorder = try await subscribed(parties, demand: .unlimited)
    let received = Signal()
    recorder.onValue = { request in
      try? request.respond(1)
      try? request.respond(2)
      request.refuse("no")
      received.fire()
    }
    let answers = try NATSSubject<Data>(parties.asking.connection, "answers", coding: .data).asyncStream()
    parties.asking.connection.outbox.post { $0.publish(Data("5".utf8), to: "numbers", reply: "answers") }
    await received.wait()
    try await parties.answering.flush()
    parties.answering.connection.outbox.post { $0.publish(Data("last".utf8), to: "answers") }
    var seen: [String] = []
    for try await answer in answers.prefix(2) { seen.append(String(decoding: answer, as: UTF8.self)) }
    #expect(seen == ["1", "last"])
  }

  @Test func aValueThatIsJustSentIsDeliveredToo() async throws {
    let parties = try await Parties()
    let recorder = try await subscribed(parties, demand: .unlimited)
    try parties.asking.send(1)
    await until { recorder.values.count == 1 }
    #expect(recorder.values.first?.isAnswerExpected == false)
    try recorder.values.first?.respond(1)
    recorder.values.first?.refuse("no")
    recorder.cancel()
  }

  // MARK: No answer

  @Test(arguments: NATSServer.programs)
  func nobodyIsAnErrorAtOnce(program: String?) async throws {
    let parties = try await Parties(program: program)
    let error = await natsError { let _: Int = try await parties.asking.request(1) }
    #expect(error?.kind == .noResponder)
  }

  @Test func theTimeLimitEndsTheCall() async throws {
    let parties = try await Parties()
    let recorder = try await subscribed(parties)
    let error = await natsError { let _: Int = try await parties.asking.request(1, timeout: .milliseconds(50)) }
    #expect(error?.kind == .timeout)
    recorder.cancel()
  }

  @Test func theTimeLimitEndsTheCallWhereTheServerHasStopped() async throws {
    let parties = try await Parties()
    parties.server.pause(true)
    defer { parties.server.pause(false) }
    // Behind what the network does not take.
    let bytes = try NATSSubject<Data>(parties.asking.connection, "bytes", coding: .data)
    for _ in 0..<20 { try bytes.send(Data(count: 900_000)) }
    let errors = await withTaskGroup(of: NATSError?.self) { group in
      for number in 0..<100 {
        group.addTask { [asking = parties.asking] in
          await natsError { let _: Int = try await asking.request(number, timeout: .milliseconds(100)) }
        }
      }
      return await group.reduce(into: []) { $0.append($1?.kind) }
    }
    #expect(errors.count == 100 && errors.allSatisfy { $0 == .timeout })
  }

  @Test func cancellingEndsTheCallAtOnce() async throws {
    let parties = try await Parties()
    let recorder = try await subscribed(parties)
    let task = Task { [asking = parties.asking] in await refusal(asking) }
    await until { parties.asking.connection.requests.waitingCount == 1 }
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
    #expect(parties.asking.connection.requests.waitingCount == 0)
    recorder.cancel()
  }

  @Test func closingTheConnectionEndsTheCall() async throws {
    let parties = try await Parties()
    let recorder = try await subscribed(parties)
    let task = Task { [asking = parties.asking] in await refusal(asking) }
    await until { parties.asking.connection.requests.waitingCount == 1 }
    await parties.asking.connection.close()
    #expect(await task.value?.kind == .closed)
    #expect(await natsError { let _: Int = try await parties.asking.request(1) }?.kind == .closed)
    recorder.cancel()
  }

  @Test func aWrongCallIsRefused() async throws {
    let parties = try await Parties()
    #expect(await natsError { let _: Int = try await parties.asking.request(1, to: "a.*") }?.kind == .misuse)
    let bytes = try NATSSubject<Data>(parties.asking.connection, "bytes", coding: .data)
    let large = Data(count: parties.asking.connection.maxPayload + 1)
    #expect(await natsError { let _: Int = try await bytes.request(large) }?.kind == .tooLarge)
  }

  // MARK: Refusals

  private func refusal(_ asking: NATSSubject<Int>, _ value: Int = 1) async -> NATSError? {
    await natsError { let _: Int = try await asking.request(value) }
  }

  @Test func anErrorOfTheClosureReachesTheSender() async throws {
    let parties = try await Parties()
    let answered = Signal()
    let cancellable = parties.answering.reply { request in
      if request.value < 0 { throw Refused(description: "no\r\nNats-Service-Error-Code: 7\0 negative \u{1b}") }
      return request.value
    }
    .sink(receiveCompletion: { _ in }, receiveValue: { _ in answered.fire() })
    try await parties.answering.flush()
    let error = await refusal(parties.asking, -1)
    #expect(error?.kind == .rejected(code: 500))
    #expect(error?.message == "no Nats-Service-Error-Code: 7 negative")
    #expect(try await parties.asking.request(2, for: Int.self) == 2)
    await answered.wait(2)
    cancellable.cancel()
  }

  @Test func aTextOfAnyLengthIsRefusedWith() {
    #expect(Refusal(code: 1, String(repeating: "é", count: 1_000_000)).message.count == 1_000)
    #expect(Refusal(code: 1, " \r\n\u{2028}").message == "the request was refused")
    for text in ["a\u{85}b", "a\u{2029}\tb ", "\r\n\0a", String(repeating: "e\u{301}", count: 5_000)] {
      #expect(NATSHeaders.isValue(Refusal(code: 1, text).message))
    }
  }

  @Test func anAnswerThatIsTooLargeIsAnError() async throws {
    let parties = try await Parties(configuration: "max_payload: 1024")
    let cancellable = parties.answering.reply { String(repeating: "a", count: $0.value) }
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    try await parties.answering.flush()
    let error = await natsError { let _: String = try await parties.asking.request(1_023) }
    #expect(error?.kind == .rejected(code: 500))
    // With its quotation marks.
    #expect(try await parties.asking.request(1_022, for: String.self).count == 1_022)
    cancellable.cancel()
  }

  @Test func anAnswerThatCannotBeEncodedIsAnError() async throws {
    let parties = try await Parties()
    let cancellable = parties.answering.reply { _ in Double.nan }
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    try await parties.answering.flush()
    #expect(await refusal(parties.asking)?.kind == .rejected(code: 500))
    cancellable.cancel()
  }

  @Test func whoSendsNoValueCannotEndThePublisher() async throws {
    let parties = try await Parties(undecodable: .fail)
    let recorder = try await subscribed(parties, demand: .max(1))
    recorder.onValue = { try? $0.respond($0.value) }
    let texts = try NATSSubject<String>(parties.asking.connection, "numbers")
    let error = await natsError { let _: Int = try await texts.request("secret") }
    #expect(error?.kind == .rejected(code: 400))
    #expect(error?.message.contains("secret") == false)
    // It has used no demand.
    #expect(try await parties.asking.request(3, for: Int.self) == 3)
    #expect(recorder.completions == 0)
    recorder.cancel()
  }

  @Test func requestsThatNobodyTakesAreRefused() async throws {
    let parties = try await Parties(capacity: 2)
    let recorder = try await subscribed(parties)
    let waiting = (0..<2).map { number in Task { [asking = parties.asking] in await refusal(asking, number) } }
    // They have arrived when a third one is too many.
    while true {
      let error = await natsError { let _: Int = try await parties.asking.request(2, timeout: .milliseconds(200)) }
      if error?.kind == .rejected(code: 429) { break }
      #expect(error?.kind == .timeout)
    }
    #expect(parties.answering.dropped > 0)
    #expect(recorder.values.isEmpty)
    recorder.cancel()
    for task in waiting {
      let kind = await task.value?.kind
      #expect(kind == .rejected(code: 503) || kind == .rejected(code: 429))
    }
    // The subscription has ended, or is about to.
    var kind: NATSError.Kind?
    while kind != .noResponder {
      kind = await refusal(parties.asking)?.kind
      #expect(kind == .rejected(code: 503) || kind == .noResponder)
    }
  }

  @Test func aRequestThatIsReleasedIsRefused() async throws {
    let parties = try await Parties()
    let cancellable = parties.answering.requests.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    try await parties.answering.flush()
    #expect(await refusal(parties.asking)?.kind == .rejected(code: 503))
    cancellable.cancel()
  }

  @Test func noMoreClosuresRunThanPermitted() async throws {
    let parties = try await Parties()
    let running = Shared((now: 0, most: 0))
    let (begun, mayEnd) = (Signal(), Signal())
    let cancellable = parties.answering.reply(concurrency: 3) { request in
      running.update {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      begun.fire()
      await mayEnd.wait()
      running.update { $0.now -= 1 }
      return request.value
    }
    .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    try await parties.answering.flush()
    let tasks = (0..<12).map { number in
      Task { [asking = parties.asking] in try await asking.request(number, for: Int.self) }
    }
    await begun.wait(3)
    mayEnd.fire()
    for (number, task) in tasks.enumerated() { #expect(try await task.value == number) }
    #expect(running.value.most == 3)
    cancellable.cancel()
  }

  @Test func cancellingCancelsTheClosuresAndRefusesTheirRequests() async throws {
    let parties = try await Parties(requestTimeout: .seconds(20))
    let begun = Signal()
    let cancellable = parties.answering.reply { request -> Int in
      begun.fire()
      try await Task.sleep(for: .seconds(86_400))
      return request.value
    }
    .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    try await parties.answering.flush()
    let tasks = (0..<3).map { number in Task { [asking = parties.asking] in await refusal(asking, number) } }
    await begun.wait()
    cancellable.cancel()
    var kinds: [NATSError.Kind?] = []
    for task in tasks { kinds.append(await task.value?.kind) }
    #expect(kinds.contains(.rejected(code: 503)))
    // What was on its way at the cancellation may be lost.
    #expect(kinds.allSatisfy { $0 == .rejected(code: 503) || $0 == .noResponder || $0 == .timeout })
    #expect(begun.count == 1)
  }

  @Test func aCancelledClosureIsRefusedWhateverItThrows() async throws {
    struct Stopped: Error {}
    let parties = try await Parties()
    let begun = Signal()
    let cancellable = parties.answering.reply { request in
      begun.fire()
      do { try await Task.sleep(for: .seconds(3_600)) } catch { throw Stopped() }
      return request.value
    }
    .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    try await parties.answering.flush()
    let task = Task { [asking = parties.asking] in await refusal(asking) }
    await begun.wait()
    cancellable.cancel()
    #expect(await task.value?.kind == .rejected(code: 503))
  }

  // MARK: Hostile peers

  @Test(arguments: [
    ("$JS.API.STREAM.DELETE.ORDERS", false), ("hub.API.STREAM.DELETE.ORDERS", false), ("hub.APIS.a", true),
    ("_INBOX.a.1", true),
  ])
  func whereAnAnswerMayGo(reply: String, isAnswered: Bool) {
    let message = SubjectBytes(subject: "a", reply: reply, bytes: Data(), headers: [:], jetStreamPrefix: "hub.API")
    #expect((message.answerSubject != nil) == isAnswered)
  }

  /// A server ends the connection of whoever sends to a subject that is longer.
  @Test(arguments: NATSServer.programs)
  func aRequestThatWantsItsAnswerAtALongSubject(program: String?) async throws {
    let parties = try await Parties(program: program, subject: "q")
    let recorder = try await subscribed(parties, demand: .unlimited)
    recorder.onValue = { $0.refuse("no") }
    let reply = String(repeating: "r", count: 4_092)
    parties.asking.connection.outbox.post { $0.publish(Data("1".utf8), to: "q", reply: reply) }
    #expect(await refusal(parties.asking)?.kind == .rejected(code: 500))
    #expect(recorder.values.map(\.isAnswerExpected) == [false, true])
    recorder.cancel()
  }

  /// Whoever may send requests could make the program that answers use its own rights.
  @Test(arguments: NATSServer.programs)
  func anAnswerIsNoRequestToTheServers(program: String?) async throws {
    let parties = try await Parties(program: program)
    _ = try await NATSStream<Int>(parties.answering.connection, "ORDERS")
    let recorder = try await subscribed(parties, demand: .unlimited)
    recorder.onValue = { $0.refuse("no") }
    let subject = "$JS.API.STREAM.DELETE.ORDERS"
    for text in ["1", "no number"] {
      parties.asking.connection.outbox.post { $0.publish(Data(text.utf8), to: "numbers", reply: subject) }
    }
    #expect(await refusal(parties.asking)?.kind == .rejected(code: 500))
    #expect(recorder.values.map(\.isAnswerExpected) == [false, true])
    try await parties.answering.flush()
    _ = try await NATSStream<Int>(parties.answering.connection, existing: "ORDERS")
    recorder.cancel()
  }

  @Test(arguments: [
    ("NATS/1.0 503\r\n\r\n", "", NATSError.Kind.noResponder), ("NATS/1.0 503\r\n\r\n", "1", nil),
    ("NATS/1.0\r\nNats-Service-Error: a\r\n\r\n", "1", .rejected(code: 500)),
    ("NATS/1.0\r\nNats-Service-Error-Code: 99999999999999999999\r\n\r\n", "1", .rejected(code: 500)),
    ("NATS/1.0\r\nNats-Service-Error-Code: 7\r\nNats-Service-Error: a\r\n\r\n", "", .rejected(code: 7)),
    ("NATS/1.0\r\n\r\n", "", .undecodable), ("nonsense", "[]", .undecodable),
  ]) func answersOfOthers(headers: String, bytes: String, kind: NATSError.Kind?) async throws {
    let server = try FakeServer { _ in [FakeServer.Answer(bytes, headers: headers)] }
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let numbers = try NATSSubject<Int>(connection, "numbers")
    let error = await natsError { let _: Int = try await numbers.request(1, timeout: .seconds(3_600)) }
    #expect(error?.kind == kind)
    await connection.close()
  }
}
