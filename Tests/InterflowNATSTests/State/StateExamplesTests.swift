import Combine
import InterflowNATS
import InterflowTestSupport
import Testing

/// The examples of values, dictionaries and subjects, as the documentation has them.
// swift-format-ignore
@Suite struct StateExamplesTests {
  private let print = ExampleOutput()

  @Test func aValue() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let limit = try await NATSValue<Int>(connection, bucket: "settings", key: "limit")
    try await limit.send(10)
    try await limit.update { $0 = ($0 ?? 0) + 1 }
    print(limit.value ?? 0)
    #expect(print.lines == ["11"])
  }

  @Test func aDictionary() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let prices = try await NATSDictionary<Double>(connection, bucket: "shop", prefix: "prices")
    try await prices.set(1.5, for: "apple")
    print(prices["apple"] ?? 0)
    #expect(print.lines == ["1.5"])
    try await prices.set(2, for: "apple")
    try await prices.update("apple") { $0 = ($0 ?? 1) * 1.1 }
    #expect(prices["apple"] == 2.2)
  }

  @Test func aSubject() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let prices = try NATSSubject<Double>(connection, "prices.apple")
    let cancellable = prices.sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    try prices.send(1.5)
    await until { print.lines == ["1.5"] }
    cancellable.cancel()
  }

  /// Compiled only: the loop has no end.
  private func aLoop(_ prices: NATSSubject<Double>) async throws {
    for try await price in prices.values { print(price) }
  }
}
