import Combine
import Foundation
import InterflowNATS
import InterflowTestSupport
import Testing

/// The examples of connections, streams and consumers, as the documentation has them.
// swift-format-ignore
@Suite struct StreamExamplesTests {
  struct Order: Codable, Sendable { var number: Int }

  private let print = ExampleOutput()
  private let done = Signal()

  private func bill(_ order: Order) { print(order.number); done.fire() }

  private func bill(_ order: Order) async { print(order.number); done.fire() }

  private func orders(_ server: NATSServer) async throws -> NATSStream<Order> {
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let orders = try await NATSStream<Order>(connection, "ORDERS")
    for number in 1...3 { try await orders.send(Order(number: number)) }
    return orders
  }

  /// Compiled only: the address is that of a server that runs.
  private func connecting() async throws {
    let connection = try await NATSConnection(urls: ["nats://127.0.0.1:4222"])
    let cancellable = connection.status.sink { print($0) }
    await connection.close()
    cancellable.cancel()
  }

  /// Compiled only: the loop has no end, and the address is that of a server that runs.
  private func overview() async throws {
    let connection = try await NATSConnection(urls: ["nats://127.0.0.1:4222"])
    let orders = try await NATSStream<Order>(connection, "ORDERS")
    try await orders.send(Order(number: 1))
    for try await order in orders.values(durable: "billing") { print(order.number) }
  }

  /// Compiled only: the loop has no end.
  private func aStream(_ connection: NATSConnection) async throws {
    struct Order: Codable, Sendable { var number: Int }

    let orders = try await NATSStream<Order>(connection, "ORDERS", subjects: ["orders"])
    try await orders.send(Order(number: 1))
    for try await order in orders.values(durable: "billing") { print(order.number) }
  }

  private func coding() {
    let coding = NATSCoding<Order>(encoder: PropertyListEncoder(), decoder: PropertyListDecoder())
    _ = coding
  }

  @Test func acknowledgedWhenReceived() async throws {
    let server = try NATSServer()
    let orders = try await orders(server)
    let cancellable = orders.publisher(durable: "billing")
      .sink(receiveCompletion: { print($0) }, receiveValue: { bill($0) })
    await done.wait(3)
    cancellable.cancel()
    #expect(print.lines == ["1", "2", "3"])
  }

  @Test func acknowledgedByHand() async throws {
    let server = try NATSServer()
    let orders = try await orders(server)
    let cancellable = orders.messages(durable: "billing")
      .task(maxPublishers: .max(4)) { message in
        await bill(message.value)
        message.ack()
      }
      .sink(receiveCompletion: { print($0) }, receiveValue: {})
    await done.wait(3)
    cancellable.cancel()
    #expect(print.lines.sorted() == ["1", "2", "3"])
  }

  /// Compiled only: the loop has no end.
  private func aLoop(_ orders: NATSStream<Order>) async throws {
    func bill(_ order: Order) { print(order.number) }

    for try await order in orders.values(durable: "billing") { bill(order) }
  }

  @Test func subscribing() async throws {
    let server = try NATSServer()
    let stream = try await orders(server)
    let isDone = Signal()
    let readings = (4...10).publisher.map { Order(number: $0) }
      .handleEvents(receiveCompletion: { _ in isDone.fire() })
    let cancellable = readings.subscribe(stream, inFlight: 64) { completion in
      if case .failure(let error) = completion { print("not stored: \(error)") }
    }
    await isDone.wait()
    try await stream.send(contentsOf: readings, inFlight: 64)
    cancellable.cancel()
    #expect(print.lines.isEmpty)
  }

  @Test func sendingAPublisher() async throws {
    let server = try NATSServer()
    let stream = try await orders(server)
    let readings = (4...10).publisher.map { Order(number: $0) }
    try await stream.send(contentsOf: readings, inFlight: 64)
    #expect(try await stream.send(Order(number: 11)).sequence == 11)
  }
}
