import CNATS
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowNATS

/// What a consumer does where a server has ended before it has answered.
@Suite struct FailoverTests {
  /// Whoever waits for the whole of a call's time waits for longer than any test.
  private var options: NATSOptions {
    var options = NATSOptions.reconnecting
    options.requestTimeout = .seconds(3_600)
    return options
  }

  private static let notFound = FakeServer.Answer(
    #"{"error":{"code":404,"err_code":10014,"description":"consumer not found"}}"#)
  private static let value = FakeServer.Answer("1", reply: "$JS.ACK.NUMBERS.reader.1.1.1.1764082800000000000.0")

  private func subscription(_ connection: NATSConnection, _ received: Signal) throws -> PullSubscription {
    let consumer = try PullConsumer(
      connection, stream: "NUMBERS", durable: "reader", settings: NATSConsumerSettings())
    return PullSubscription(consumer, firing: received)
  }

  // MARK: A server that answers as a test says

  @Test func aDurableIsAskedForAndCreatedUntilAServerAnswers() async throws {
    let counts = Shared((questions: 0, creations: 0))
    let server = try FakeServer { request in
      func has(_ text: String) -> Bool { request.subject.hasPrefix("$JS.API.CONSUMER.\(text)") }
      if has("INFO") {
        // There is no leader yet.
        return counts.update { counts in
          counts.questions += 1
          return counts.questions > 3
        } ? [Self.notFound] : []
      }
      if has("DURABLE.CREATE") {
        let isFirst = counts.update { counts in
          counts.creations += 1
          return counts.creations == 1
        }
        return isFirst ? [] : [FakeServer.Answer(#"{"stream_name":"NUMBERS","name":"reader"}"#)]
      }
      return has("MSG.NEXT") ? [Self.value] : []
    }
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let received = Signal()
    let subscription = try subscription(connection, received)
    subscription.start()
    subscription.request(.max(1))
    await received.wait()
    #expect(counts.value.creations == 2)
    // They are not many: three without an answer, one with, the first look and that after the lost creation, with one of its
    // own, and one for each of two comparisons with the stream.
    #expect(counts.value.questions < 12)
    subscription.cancel()
    await connection.close()
  }

  /// A request that waits at a server which is slow, or stopped, is ended before the same is requested again.
  @Test func whatIsGivenUpIsNotServedBesideTheNextRequest() async throws {
    let inboxes = Shared<[String]>([])
    let server = try FakeServer { request in
      func has(_ text: String) -> Bool { request.subject.hasPrefix("$JS.API.CONSUMER.\(text)") }
      let inbox = (request.reply ?? "").split(separator: ".").dropLast().joined(separator: ".")
      if has("DURABLE.CREATE") { return [FakeServer.Answer(#"{"stream_name":"NUMBERS","name":"reader"}"#)] }
      if has("INFO"), request.reply?.contains(".info") == true {
        // Of which none need be that of this consumer.
        return [FakeServer.Answer(#"{"num_waiting":3}"#)]
      }
      if has("INFO") { return [Self.notFound] }
      if has("MSG.NEXT") {
        inboxes.update { $0.append(inbox) }
        return inboxes.value.count == 1 ? [] : [Self.value]
      }
      return []
    }
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let received = Signal()
    let subscription = try subscription(connection, received)
    subscription.start()
    subscription.request(.max(1))
    await received.wait()
    #expect(Set(inboxes.value).count == 2)
    #expect(inboxes.value.count == 2)
    // Nobody waits for the answers to the first when the second is sent.
    let lines = String(decoding: server.received, as: UTF8.self).split(separator: "\r\n").map(String.init)
    let number = try #require(
      lines.first { $0.hasPrefix("SUB \(inboxes.value[0]).* ") }?.split(separator: " ").last)
    let end = try #require(lines.firstIndex { $0.hasPrefix("UNSUB \(number)") })
    let next = try #require(lines.firstIndex { $0.hasPrefix("PUB") && $0.contains(" \(inboxes.value[1]).") })
    #expect(end < next)
    subscription.cancel()
    await connection.close()
  }

  @Test func anAcknowledgementThatIsLostDelaysTheNextRequestNoLongerThanAQuestion() async throws {
    let questions = Shared(0)
    let server = try FakeServer { request in
      func has(_ text: String) -> Bool { request.subject.hasPrefix("$JS.API.CONSUMER.\(text)") }
      if has("DURABLE.CREATE") { return [FakeServer.Answer(#"{"stream_name":"NUMBERS","name":"reader"}"#)] }
      if has("INFO"), request.reply?.contains(".info") == true {
        questions.update { $0 += 1 }
        return [FakeServer.Answer(#"{"num_waiting":0}"#)]
      }
      if has("INFO") { return [Self.notFound] }
      // Acknowledgements have no answer.
      return has("MSG.NEXT") ? [Self.value] : []
    }
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let stream = try PullConsumer(connection, stream: "NUMBERS", durable: "reader", settings: NATSConsumerSettings())
    let received = Signal()
    let subscription = PullSubscription(
      stream,
      PullSubscription.Receiver(
        receive: { _ in
          received.fire()
          return .max(1)
        }, complete: { _ in }), .whenReceived)
    subscription.start()
    subscription.request(.max(1))
    await received.wait(3)
    #expect(questions.value >= 2)
    subscription.cancel()
    await connection.close()
  }

  // MARK: Servers

  /// What the server has is ended with the connection, also where it would wait longer.
  @Test(arguments: NATSServer.programs)
  func whatAConnectionHadRequestedIsNotServedToTheNext(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    let requests = Signal()
    let spy = try NATSSubject<Data>(
      fixture.connection, "$JS.API.CONSUMER.MSG.NEXT.NUMBERS.reader", coding: .data
    ).sink(receiveCompletion: { _ in }) { _ in requests.fire() }
    let proxy = try TCPProxy(to: fixture.server.port)
    defer { proxy.close() }
    let connection = try await NATSConnection(urls: [proxy.url], options: .reconnecting)
    let stream = try await NATSStream<Int>(connection, existing: "NUMBERS")
    let (received, interrupted) = (Signal(), Signal())
    let status = connection.status.sink { if case .reconnecting = $0 { interrupted.fire() } }
    let probe = RecordingSubscriber<NATSMessage<Int>, NATSError>(initialDemand: .max(1))
    probe.onValue = { _ in received.fire() }
    stream.messages(durable: "reader").subscribe(probe)
    // The second one waits for seconds.
    await requests.wait(2)
    proxy.cut()
    await interrupted.wait()
    let count = requests.count
    proxy.restore()
    await requests.wait(count + 1)
    try await fixture.send(0..<5)
    await received.wait()
    try await connection.flush()
    #expect(try fixture.state(of: "reader").unacknowledged == 1)
    probe.cancel()
    spy.cancel()
    status.cancel()
    await connection.close()
  }

  private enum Lost: CaseIterable { case look, request }

  /// The server that leads the durable ends before it has answered a worker, which is connected to another one.
  @Test(arguments: Lost.allCases)
  private func aConsumerIsServedWhenThereIsALeaderAgain(lost: Lost) async throws {
    let cluster = try NATSCluster()
    let connection = try await NATSConnection(urls: cluster.urls, options: .reconnecting)
    var settings = NATSStreamSettings()
    settings.replicas = 3
    var created: NATSStream<Int>?
    // The servers answer before they have found each other.
    while created == nil { created = try? await NATSStream(connection, "NUMBERS", settings: settings) }
    let numbers = try #require(created)
    var leader: NATSServer?
    let first = try PullConsumer(connection, stream: "NUMBERS", durable: "reader", settings: NATSConsumerSettings())
    while leader == nil {
      leader = try await connection.queue.run {
        .success(first.create() == nil ? Self.leader(of: first) : nil)
      }.flatMap { cluster.server(named: $0) }
    }
    let killed = try #require(leader)
    for value in 0..<3 { try await numbers.send(value, id: "\(value)", retrying: .untilStored) }

    let others = cluster.servers.filter { $0 !== killed }.map(\.url)
    let worker = try await NATSConnection(urls: others, options: options)
    let (looks, requests, received) = (Signal(), Signal(), Signal())
    let inboxes = Shared<[String]>([])
    let spies = [
      try NATSSubject<Data>(worker, "$JS.API.CONSUMER.INFO.NUMBERS.reader", coding: .data)
        .sink(receiveCompletion: { _ in }) { _ in looks.fire() },
      try NATSSubject<Data>(worker, "$JS.API.CONSUMER.MSG.NEXT.NUMBERS.reader", coding: .data).messages
        .sink(receiveCompletion: { _ in }) { message in
          inboxes.update { $0.append(message.reply ?? "") }
          requests.fire()
        },
    ]
    try await worker.flush()
    let subscription = try subscription(worker, received)
    if lost == .request {
      subscription.start()
      await until { subscription.isPresent }
      try await worker.flush()
    }
    killed.pause(true)
    if lost == .look {
      subscription.start()
      subscription.request(.max(1))
      await looks.wait()
    } else {
      subscription.request(.max(1))
      await requests.wait()
    }
    killed.kill()
    await received.wait()
    let usedInboxes = { Set(inboxes.value.map { $0.split(separator: ".").dropLast() }).count }
    // A request may be heard of after the value that answers it.
    await until { usedInboxes() >= (lost == .request ? 2 : 1) }
    // No more than one was served, and not many were sent.
    let sent = inboxes.value
    #expect(usedInboxes() == (lost == .request ? 2 : 1))
    #expect(sent.count < 6)
    #expect(received.count == 1)
    subscription.cancel()
    for spy in spies { spy.cancel() }
    await worker.close()
    await connection.close()
  }

  /// Blocks.
  private static func leader(of consumer: PullConsumer) -> String? {
    var information: UnsafeMutablePointer<jsConsumerInfo>?
    js_GetConsumerInfo(&information, consumer.context.pointer, consumer.stream, consumer.durable, nil, nil)
    defer { jsConsumerInfo_Destroy(information) }
    return information?.pointee.Cluster?.pointee.Leader.map { String(cString: $0) }
  }
}

extension PullSubscription {
  /// Whether there is a durable.
  fileprivate var isPresent: Bool {
    lock.lock()
    defer { lock.unlock() }
    return state.isPresent
  }
}
