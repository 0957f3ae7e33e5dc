import Combine
import InterflowNATS
import InterflowTestSupport
import Testing

private struct Order: Codable, Sendable { var number: Int }

/// The examples of *Streams that span machines*, as written there; what they print is compared with what the page says.
// swift-format-ignore
@Suite struct StreamArticleExamplesTests {
  private let print = ExampleOutput()

  private func orders(
    _ server: NATSServer, _ count: Int = 0, options: NATSOptions = NATSOptions()
  ) async throws -> NATSStream<Order> {
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let orders = try await setUp { try await NATSStream<Order>(connection, "ORDERS") }
    for number in 0..<count { try await orders.send(Order(number: number + 1)) }
    return orders
  }

  @Test func sendingWithAnIdentifier() async throws {
    let server = try NATSServer()
    let orders = try await orders(server)
    let first = try await orders.send(Order(number: 1), id: "order-1")
    let again = try await orders.send(Order(number: 1), id: "order-1")
    print(first.sequence, first.isDuplicate)  // 1 false
    print(again.sequence, again.isDuplicate)  // 1 true
    #expect(print.lines == ["1 false", "1 true"])
  }

  @Test func sendingAgain() async throws {
    let server = try NATSServer()
    var options = NATSOptions()
    options.requestTimeout = .seconds(1)
    let orders = try await orders(server, options: options)

    server.pause(true)
    let order = Order(number: 1)
    let storing = Task {
      try await orders.send(order, id: "order-\(order.number)", retrying: .untilStored)
    }
    // The process does not stop at once.
    var number = 1
    var error: NATSError?
    while error == nil {
      number += 1
      error = await natsError { try await orders.send(Order(number: number), id: "order-\(number)") }
    }
    #expect(error?.kind == .timeout)
    server.pause(false)
    #expect(try await storing.value.sequence > 0)
    try await orders.send(Order(number: number), id: "order-\(number)", retrying: .untilStored)
    #expect(try await setUp { try await orders.state().messageCount } == number)
  }

  @Test func answersOfAMessage() async throws {
    let server = try NATSServer()
    let orders = try await orders(server, 1)
    for try await message in orders.messages(durable: "billing").asyncValues {
      print(message.value.number, "delivery", message.deliveryCount)
      if message.deliveryCount == 2 {
        message.ack()
        break
      }
      message.nak()
    }
    // 1 delivery 1, 1 delivery 2
    #expect(print.line == "1 delivery 1, 1 delivery 2")
  }

  @Test func demandIsTheSizeOfThePull() async throws {
    let server = try NATSServer()
    let orders = try await orders(server, 3)
    var iterator = orders.values(durable: "billing").makeAsyncIterator()
    _ = try await iterator.next()
    let state = try await orders.state(ofConsumer: "billing")
    print(state.unacknowledgedCount, state.undeliveredCount)  // 1 2
    #expect(print.lines == ["1 2"])
    #expect(try await iterator.next()?.number == 2)
  }

  /// What the picture shows, with a subscription that is released in the place of a process that is killed.
  @Test func whatIsNotAcknowledgedReachesAnotherConsumer() async throws {
    let server = try NATSServer()
    let orders = try await orders(server, 1)
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = .milliseconds(100)
    var machineA: AsyncValues<NATSMessagePublisher<Order>>.Iterator? =
      orders.messages(durable: "billing", settings: settings).asyncValues.makeAsyncIterator()
    let message = try #require(try await machineA?.next())
    #expect(message.deliveryCount == 1)
    machineA = nil
    var machineB = try await self.orders(server).messages(durable: "billing", settings: settings).asyncValues
      .makeAsyncIterator()
    let again = try #require(try await machineB.next())
    #expect(again.sequence == message.sequence)
    #expect(again.deliveryCount >= 2)
  }
}

/// The examples of *Work spread over machines*, as written there.
// swift-format-ignore
@Suite struct WorkArticleExamplesTests {
  private struct Nameless: Error {}

  private let print = ExampleOutput()

  /// - Returns: The work, and a task that does it.
  private func work(_ server: NATSServer) async throws -> (NATSWork<String, Int>, Task<Void, any Error>) {
    var settings = NATSWorkSettings()
    settings.maxDeliveries = 2
    settings.retryPause = .milliseconds(10)
    let work = try await NATSWork<String, Int>(NATSConnection(urls: [server.url], options: .patient), "SIZES", settings: settings)
    let elsewhere = try await NATSWork<String, Int>(NATSConnection(urls: [server.url], options: .patient), "SIZES", settings: settings)
    let worker = Task {
      try await elsewhere.work(concurrency: 4) { name in
        if name.isEmpty { throw Nameless() }
        return name.count
      }
    }
    return (work, worker)
  }

  @Test func inOrder() async throws {
    let server = try NATSServer()
    let (work, worker) = try await work(server)
    let names = ["a", "bc"]
    for try await size in names.publisher.distribute(over: work, inOrder: true).asyncValues {
      print(size)  // 1, 2
    }
    #expect(print.line == "1, 2")
    worker.cancel()
    try await worker.value
  }

  @Test func failuresAsValues() async throws {
    let server = try NATSServer()
    let (work, worker) = try await work(server)
    let names = ["", "bc"]
    let results = names.publisher.distributeResults(over: work, inOrder: true)
    for try await result in results.asyncValues {
      switch result {
      case .success(let size): print(size)
      case .failure(let failure): print(failure.reason, "in delivery", failure.deliveryCount)
      }
    }
    // threw in delivery 2, 2
    #expect(print.line == "threw in delivery 2, 2")
    worker.cancel()
    try await worker.value
  }
}

/// The examples of *Running a server*, as written there.
// swift-format-ignore
@Suite struct ServerArticleExamplesTests {
  @Test func aStreamOnThreeServers() async throws {
    func create(_ connection: NATSConnection) async throws -> NATSStream<Order> {
      var settings = NATSStreamSettings()
      settings.replicas = 3
      let orders = try await NATSStream<Order>(connection, "ORDERS", settings: settings)
      return orders
    }

    let cluster = try NATSCluster()
    let connection = try await NATSConnection(urls: cluster.urls, options: .patient)
    var orders: NATSStream<Order>?
    // The servers answer before they have found each other.
    while orders == nil { orders = try? await create(connection) }
    var receipt: NATSReceipt?
    while receipt == nil { receipt = try? await orders?.send(Order(number: 1), id: "order-1") }
    #expect(receipt?.sequence == 1)
    await connection.close()
  }

  /// Compiled only: there are no such hosts.
  private func severalAddresses() async throws -> NATSConnection {
    var options = NATSOptions()
    options.name = "billing"
    options.reconnection = .always(pause: .seconds(1))
    let connection = try await NATSConnection(
      urls: ["nats://host1", "nats://host2", "nats://host3"], options: options)
    return connection
  }

  @Test func aPassword() async throws {
    let server = try NATSServer(
      configuration: """
        authorization { users: [ { user: billing, password: "a secret" } ] }
        """)
    let secret = "a secret"
    var options = NATSOptions()
    options.credentials = .user("billing", password: secret)
    await (try NATSConnection(urls: [server.url], options: options)).close()
  }

  /// Compiled only: there is no such host.
  private func trusted() async throws -> NATSConnection {
    var options = NATSOptions()
    options.tls = NATSOptions.TLS(trustedCertificates: "/etc/ssl/own-authority.pem")
    let connection = try await NATSConnection(urls: ["nats://host1"], options: options)
    return connection
  }
}
