import Combine
import InterflowNATS
import InterflowTestSupport
import Testing

/// The examples of headers, requests and answers, as the documentation has them.
// swift-format-ignore
@Suite struct RequestExamplesTests {
  private let print = ExampleOutput()

  private func connected() async throws -> (server: NATSServer, connection: NATSConnection) {
    let server = try NATSServer()
    return (server, try await NATSConnection(urls: [server.url], options: .patient))
  }

  @Test func headers() async throws {
    let (server, connection) = try await connected()
    let prices = try NATSSubject<Double>(connection, "prices.apple")
    let messages = prices.messages.asyncStream()
    var headers: NATSHeaders = ["Currency": "EUR"]
    headers.add("Frankfurt", to: "Place")
    headers.add("Madrid", to: "Place")
    try prices.send(1.5, headers: headers)
    for try await message in messages.prefix(1) { #expect(message.headers == headers) }
    withExtendedLifetime(server) {}
  }

  @Test func answeringWithAClosure() async throws {
    let (server, connection) = try await connected()
    do {
      let names = try NATSSubject<String>(connection, "names", queue: "sizes")
      let cancellable = names.reply(concurrency: 4) { request in
        request.value.count
      }
      .sink(receiveCompletion: { print($0) }, receiveValue: { print("answered: \($0.value)") })
      let size: Int = try await names.request("apple")
      #expect(size == 5)
      await until { !print.lines.isEmpty }
      cancellable.cancel()
    }
    #expect(print.lines == ["answered: apple"])
    withExtendedLifetime(server) {}
  }

  @Test func answeringWithAPublisher() async throws {
    let (server, connection) = try await connected()
    let names = try NATSSubject<String>(connection, "names")
    let cancellable = names.requests.sink(
      receiveCompletion: { print($0) },
      receiveValue: { request in try? request.respond(request.value.count) })
    try await requesting(connection)
    let answer = try await names.requestMessage("apple", answer: NATSCoding<Int>.json)
    print(answer.value, answer.headers["Unit"] ?? "")
    #expect(print.lines == ["5", "5 "])
    cancellable.cancel()
    withExtendedLifetime(server) {}
  }

  private func requesting(_ connection: NATSConnection) async throws {
    let names = try NATSSubject<String>(connection, "names")
    let size: Int = try await names.request("apple", timeout: .seconds(10))
    print(size)
  }

  @Test func refusing() async throws {
    let (server, connection) = try await connected()
    struct NoName: Error {}
    let names = try NATSSubject<String>(connection, "names")
    let cancellable = names.reply { request in
      if request.value.isEmpty { throw NoName() }
      return request.value.count
    }
    .sink(receiveCompletion: { print($0) }, receiveValue: { _ in })
    do {
      let size: Int = try await names.request("")
      print(size)
    } catch {
      print(error.kind, error.message)  // rejected(code: 500) NoName()
    }
    #expect(print.line == "rejected(code: 500) NoName()")
    cancellable.cancel()
    withExtendedLifetime(server) {}
  }

  private struct Order: Codable, Sendable { var number: Int }

  @Test func anExpectedSequence() async throws {
    let (server, connection) = try await connected()
    let orders = try await NATSStream<Order>(connection, "ORDERS")
    let order = Order(number: 1)
    try await orders.send(order)
    let seen: UInt64 = 0
    do {
      try await orders.send(order, expecting: .last(seen))
    } catch let error as NATSError {
      guard case .wrongSequence(let found) = error.kind else { throw error }
      print("seen until \(seen), and the stream is at \(found ?? 0)")
    }
    #expect(print.lines == ["seen until 0, and the stream is at 1"])
    withExtendedLifetime(server) {}
  }

  @Test func headersOfAStream() async throws {
    let (server, connection) = try await connected()
    let orders = try await NATSStream<Order>(connection, "ORDERS")
    try await orders.send(Order(number: 1), headers: ["Shop": "Bonn"])
    for try await message in orders.messages(durable: "billing").asyncValues {
      print(message.sequence, message.headers["Shop"] ?? "")  // 1 Bonn
      message.ack()
      break
    }
    #expect(print.lines == ["1 Bonn"])
    withExtendedLifetime(server) {}
  }

  @Test func aReplay() async throws {
    let (server, connection) = try await connected()
    let orders = try await NATSStream<Order>(connection, "ORDERS")
    for number in 1...3 { try await orders.send(Order(number: number)) }
    for try await order in orders.replay(from: .all).asyncValues {
      print(order.sequence, order.value.number)  // 1 1, 2 2, 3 3
      if order.remaining == 0 { break }
    }
    #expect(print.line == "1 1, 2 2, 3 3")
    withExtendedLifetime(server) {}
  }
}
