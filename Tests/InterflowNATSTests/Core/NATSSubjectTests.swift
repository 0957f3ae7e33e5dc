import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct NATSSubjectTests {
  private func connected() async throws -> (server: NATSServer, connection: NATSConnection) {
    let server = try NATSServer(jetStream: false)
    return (server, try await NATSConnection(urls: [server.url], options: .patient))
  }

  @Test func deliversInOrderToAllWhoListen() async throws {
    let (server, connection) = try await connected()
    let here = try NATSSubject<Int>(connection, "numbers")
    let there = try NATSSubject<Int>(try await NATSConnection(urls: [server.url], options: .patient), "numbers")
    let (first, second) = (Received(), Received())
    here.subscribe(first)
    there.subscribe(second)
    first.request(.unlimited)
    second.request(.unlimited)
    try await there.flush()
    for number in 0..<1_000 { try here.send(number) }
    await until { first.values.count == 1_000 && second.values.count == 1_000 }
    #expect(first.values == Array(0..<1_000))
    #expect(second.values == Array(0..<1_000))
    #expect(here.dropped + there.dropped + here.unsent == 0)
  }

  @Test func deliversNoMoreThanRequestedAndCountsWhatItDrops() async throws {
    let (server, connection) = try await connected()
    let numbers = try NATSSubject<Int>(connection, "numbers", capacity: 4)
    let received = Received()
    numbers.subscribe(received)
    for number in 0..<10 { try numbers.send(number) }
    await until { numbers.dropped == 6 }
    #expect(received.values == [])
    received.request(.max(3))
    await until { received.values.count == 3 }
    try numbers.send(10)
    received.request(.max(2))
    await until { received.values.count == 5 }
    #expect(received.values == [0, 1, 2, 3, 10])
    #expect(numbers.dropped == 6)
    withExtendedLifetime(server) {}
  }

  @Test func flushingDoesNotKeepTheConnectionFromSending() async throws {
    let server = try NATSServer(jetStream: false)
    var options = NATSOptions.patient
    options.requestTimeout = .seconds(3_600)
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let numbers = try NATSSubject<Int>(connection, "numbers")
    server.pause(true)
    let flushed = Shared(false)
    let flushing = Task {
      try await numbers.flush()
      flushed.update { $0 = true }
    }
    for number in 0..<100 {
      try numbers.send(number)
      await connection.outbox.finish()
    }
    #expect(!flushed.value)
    server.pause(false)
    try await flushing.value
  }

  @Test func cancellingEndsTheSubscriptionAndReleasesTheSubscriber() async throws {
    let (server, connection) = try await connected()
    let numbers = try NATSSubject<Int>(connection, "numbers")
    var received: Received? = Received()
    weak let released = received
    numbers.subscribe(received!)
    received?.request(.unlimited)
    try numbers.send(1)
    await until { released?.values == [1] }
    received?.cancel()
    received = nil
    await until { released == nil }
    withExtendedLifetime(server) {}
  }

  @Test func cancellingBeforeItHasBegun() async throws {
    let (server, connection) = try await connected()
    let numbers = try NATSSubject<Int>(connection, "numbers")
    let received = Received()
    received.cancelsAtOnce = true
    numbers.subscribe(received)
    try numbers.send(1)
    try await numbers.flush()
    #expect(received.values == [])
    #expect(received.completion == nil)
    withExtendedLifetime(server) {}
  }

  @Test func closingTheConnectionFailsAndSendingThrows() async throws {
    let (server, connection) = try await connected()
    let numbers = try NATSSubject<Int>(connection, "numbers")
    let stream = numbers.asyncStream()
    try await numbers.flush()
    await connection.close()
    #expect(await collect(stream).error?.kind == .closed)
    #expect(await natsError { try numbers.send(1) }?.kind == .closed)
    #expect(await collect(numbers.asyncStream()).error?.kind == .closed)
    #expect(await natsError { try await numbers.flush() }?.kind == .closed)
    withExtendedLifetime(server) {}
  }

  @Test func wildcardsReceiveAndMessagesNameTheirSubject() async throws {
    let (server, connection) = try await connected()
    let all = try NATSSubject<Int>(connection, "prices.*.>")
    let messages = all.messages.asyncStream()
    try all.send(1, to: "prices.fruit.apple")
    try all.send(2, to: "prices.fruit.pear.green")
    try all.send(3, to: "prices.fruit")
    try all.send(4, to: "prices.nuts.almond")
    var seen: [String] = []
    for try await message in messages.prefix(3) { seen.append("\(message.subject) \(message.value)") }
    #expect(seen == ["prices.fruit.apple 1", "prices.fruit.pear.green 2", "prices.nuts.almond 4"])
    #expect(await natsError { try all.send(1) }?.kind == .misuse)
    withExtendedLifetime(server) {}
  }

  @Test func aQueueGroupSharesTheValues() async throws {
    let (server, connection) = try await connected()
    let subjects = try (0..<3).map { _ in try NATSSubject<Int>(connection, "numbers", queue: "workers") }
    let received = subjects.map { _ in Received() }
    for (subject, subscriber) in zip(subjects, received) {
      subject.subscribe(subscriber)
      subscriber.request(.unlimited)
    }
    for number in 0..<300 { try subjects[0].send(number) }
    await until { received.map(\.values.count).reduce(0, +) == 300 }
    #expect(received.flatMap(\.values).sorted() == Array(0..<300))
    #expect(received.allSatisfy { !$0.values.isEmpty })
    withExtendedLifetime(server) {}
  }

  @Test func undecodableFailsAfterWhatCameBefore() async throws {
    let (server, connection) = try await connected()
    let numbers = try NATSSubject<Int>(connection, "numbers")
    let texts = try NATSSubject<String>(connection, "numbers")
    let stream = numbers.asyncStream()
    try numbers.send(1)
    try texts.send("secret")
    try numbers.send(2)
    let (values, error) = await collect(stream)
    #expect(values == [1])
    #expect(error?.kind == .undecodable)
    #expect(error.map { "\($0)" }?.contains("secret") == false)
    withExtendedLifetime(server) {}
  }

  @Test func undecodableIsSkippedWithoutUsingDemand() async throws {
    let (server, connection) = try await connected()
    let numbers = try NATSSubject<Int>(connection, "numbers", undecodable: .skip)
    let texts = try NATSSubject<String>(connection, "numbers")
    let received = Received()
    numbers.subscribe(received)
    received.request(.max(2))
    try numbers.send(1)
    try texts.send("none")
    try numbers.send(2)
    try numbers.send(3)
    await until { received.values.count == 2 }
    #expect(received.values == [1, 2])
    withExtendedLifetime(server) {}
  }

  @Test func undecodableIsSentOn() async throws {
    let (server, connection) = try await connected()
    let numbers = try NATSSubject<Int>(connection, "numbers", undecodable: .deadLetter(subject: "letters"))
    let texts = try NATSSubject<String>(connection, "numbers")
    let letters = try NATSSubject<Data>(connection, "letters", coding: .data).asyncStream()
    let values = numbers.asyncStream()
    try texts.send("none")
    try numbers.send(2)
    for try await letter in letters.prefix(1) { #expect(letter == Data("\"none\"".utf8)) }
    for try await value in values.prefix(1) { #expect(value == 2) }
    withExtendedLifetime(server) {}
  }

  @Test func valuesAreForALoop() async throws {
    let (server, connection) = try await connected()
    let numbers = try NATSSubject<Int>(connection, "numbers")
    let sender = Task {
      // Whoever begins to listen gets what follows.
      var number = 0
      while !Task.isCancelled {
        try numbers.send(number)
        try await numbers.flush()
        number += 1
      }
    }
    var last: Int?
    var count = 0
    for try await number in numbers.values {
      if let last { #expect(number == last + 1) }
      last = number
      count += 1
      if count == 20 { break }
    }
    sender.cancel()
    _ = await sender.result
    withExtendedLifetime(server) {}
  }

  @Test func aValueThatIsTooLargeIsCounted() async throws {
    let server = try NATSServer(jetStream: false, configuration: "max_payload: 1024")
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let bytes = try NATSSubject<Data>(connection, "bytes", coding: .data)
    try bytes.send(Data(count: 2_000))
    try await bytes.flush()
    #expect(bytes.unsent == 1)
  }

  @Test func listensAgainAfterTheRestartOfTheServer() async throws {
    let server = try NATSServer()
    var options = NATSOptions.patient
    options.reconnection = .always(pause: .milliseconds(200))
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let numbers = try NATSSubject<Int>(connection, "numbers")
    let received = Received()
    numbers.subscribe(received)
    received.request(.unlimited)
    try numbers.send(1)
    await until { received.values == [1] }
    var statuses = connection.statuses.makeAsyncIterator()
    server.kill()
    while let status = await statuses.next() {
      if case .reconnecting = status { break }
    }
    try server.restart()
    while let status = await statuses.next() {
      if case .connected = status { break }
    }
    try numbers.send(2)
    await until { received.values == [1, 2] }
    #expect(received.completion == nil)
  }

  @Test func theConnectionIsReleasedWithTheLastSubscription() async throws {
    let server = try NATSServer(jetStream: false)
    var connection: NATSConnection? = try await NATSConnection(urls: [server.url], options: .patient)
    weak let released = connection
    let received = Received()
    try NATSSubject<Int>(connection!, "numbers").subscribe(received)
    try await NATSSubject<Int>(connection!, "numbers").flush()
    connection = nil
    #expect(released != nil)
    received.cancel()
    await until { released == nil }
  }

  @Test(arguments: ["", "a b", "a..b", ">.a", "a."]) func subjectsThatAreNone(subject: String) async throws {
    let (server, connection) = try await connected()
    #expect(await natsError { _ = try NATSSubject<Int>(connection, subject) }?.kind == .misuse)
    let numbers = try NATSSubject<Int>(connection, "numbers")
    #expect(await natsError { try numbers.send(1, to: subject) }?.kind == .misuse)
    withExtendedLifetime(server) {}
  }
}

/// A subscriber whose demand a test decides.
private final class Received: Subscriber, @unchecked Sendable {
  var cancelsAtOnce = false
  private let lock = NSLock()
  private var all: [Int] = []
  private var end: Subscribers.Completion<NATSError>?
  private var subscription: (any Subscription)?

  var values: [Int] { lock.withLock { all } }
  var completion: Subscribers.Completion<NATSError>? { lock.withLock { end } }

  func request(_ demand: Subscribers.Demand) { lock.withLock { subscription }?.request(demand) }

  func cancel() {
    let subscription = lock.withLock {
      defer { self.subscription = nil }
      return self.subscription
    }
    subscription?.cancel()
  }

  func receive(subscription: any Subscription) {
    if cancelsAtOnce { return subscription.cancel() }
    lock.withLock { self.subscription = subscription }
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    lock.withLock { all.append(input) }
    return .none
  }

  func receive(completion: Subscribers.Completion<NATSError>) { lock.withLock { end = completion } }
}
